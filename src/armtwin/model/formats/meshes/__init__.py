"""Mesh files of arms: finding, checking, reading and copying them; shapes in arm files.

* ``asset_names``: names under which meshes are copied beside a written arm file
* ``content_checks``: limits on mesh files, checked before they are parsed
* ``glb``: the shapes of an arm as one GLB file
* ``locate``: the file that a reference such as ``package://robot/link1.dae`` means
* ``mjcf_assets``, ``mjcf_geoms``: meshes, materials and shapes in a written MJCF file
* ``mjcf_shapes``: reading the shapes of an MJCF file
* ``read_mesh``: triangles and colours of a mesh, through trimesh
* ``solids``: primitive solids as triangles
* ``toml_shapes``: shapes in arm files of armtwin
* ``urdf_shapes``: shapes in URDF, read and written
"""
