"""Verbs that run beside a robot.

Modules:
    app: the web app.
    mirror: the live twin of a robot.
    record: a robot's samples to a file.
    replay: a recording as a virtual controller.
    robot: the virtual UR controller.
    servo: a servo arm.
    robot_screen: the table that mirror and record show while they run.
"""
