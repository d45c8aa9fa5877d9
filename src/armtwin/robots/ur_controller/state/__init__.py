"""State of a virtual controller.

Modules:
    registers: every field of RTDE.
    readings: references and measurements, written in every cycle.
    modes: power, safety and program state, and the teach pendant's buttons.
    io: outputs, speed slider and watchdog.
    wrist_sensor: the force at the tool, measured by the arm or by a sensor of the user's.
    electrics: currents, voltages and energy.
"""
