"""Arm files for people and editors: their fields in words, JSON schema, faults, new files.

* ``angles``: angles as numbers or text
* ``dh_table``: ``read_dh_table``: a DH table (CSV) to an arm
* ``faults``: what is wrong with an arm file, with line, field and the nearest valid name
* ``field_texts``: what each field of an arm file means
* ``json_schema``: ``arm_file_schema``: the JSON schema for editors, shipped as a file
* ``new_file``: ``new_arm_file``: a commented arm file to start from

The fields themselves and their validation are in ``toml_schema`` beside this folder.
"""
