"""Desktop arms with hobby servos on an Arduino UNO.

Modules:
    servo_robot: a servo arm as a ``Robot``.
    servo_arm: moves in joint angles, saved positions.
    line_thread: the thread that communicates with the board for ``servo_robot``.
    board: requests and answers, with repeats.
    messages: commands, status and configuration of the board.
    serial_frames: frames with checksum on the serial line.
    line: the serial port.
    pulse_mapping: joint angles to pulse widths and back.
    servo_settings: the ``[servo]`` table of a TOML file.
    arrival: waits until the arm rests.

The folder ``firmware`` holds the program of the board.
"""
