"""A desktop arm of hobby servos behind an Arduino UNO on a serial line.

``firmware/`` is the board's program; ``frames`` and ``messages`` are what is said on the line,
``board`` asks and repeats, ``mapping`` turns joint angles into pulse widths, ``servo_arm`` moves
the arm.
"""
