"""Arm files: TOML, URDF, MJCF and the factory calibration of UR robots.

* ``arm_file/``: fields in words, JSON schema, faults, DH tables and new files
* ``export``: ``export``: an arm to a file, the format by its ending
* ``factory_calibration``: an arm with the DH corrections of its UR controller
* ``meshes/``: shapes of links and their mesh files
* ``mjcf_equality``: joints of an MJCF file that follow others
* ``mjcf_reader``: MJCF to an arm
* ``mjcf_settings``: defaults and compiler settings of an MJCF file
* ``mjcf_writer``: an arm to MJCF
* ``toml``: arm files of armtwin, read and written
* ``toml_schema``: the fields of an arm file
* ``tree/``: the serial chain from base to tip in a tree of bodies
* ``urdf_reader``: URDF to an arm
* ``urdf_writer``: an arm to URDF
* ``xml``: elements and attributes with errors that name the line
"""
