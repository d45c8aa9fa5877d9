"""Programs of the virtual controller: which one runs, and what others are told about it.

Modules:
    player: plays, pauses and stops programs, cycle by cycle.
    events: what happened to programs, for the ports that report it to clients.
"""
