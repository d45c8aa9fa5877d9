"""State of a virtual controller.

Modules:
    registers: every field of RTDE.
    readings: references and measurements, written in every cycle.
    modes: power, safety and program state.
    teach_pendant: buttons, the loaded program, popups and modes that clients set.
    io: outputs, speed slider and watchdog.
    wrist_sensor: the force at the tool, measured by the arm or by a sensor of the user's.
    events: reports to clients besides the state.
    electrics: currents, voltages and energy.
"""
