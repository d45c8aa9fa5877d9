"""Programs of the virtual controller: loading, playing and reporting.

Modules:
    player: plays, pauses and stops programs, cycle by cycle.
    script_sender: connections that send programs, and ur_rtde's wait for a script's end.
    loader: compiling programs and handling files beside the control cycle.
    robot_folder: the robot's folder of programs and installations.
    urp, urp_moves, urp_expressions: PolyScope programs as URScript.
    external_control: scripts of drivers, for programs with UR's External Control node.
    flight_reports: the log, flight reports and support files.
"""
