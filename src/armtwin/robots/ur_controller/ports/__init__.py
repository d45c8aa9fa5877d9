"""Network ports of a virtual controller.

Modules:
    rtde_port, rtde_session, rtde_feed: RTDE.
    text_port: lines with an answer each: dashboard and interpreter mode.
    script_port: programs and lines of URScript.
    state_port: clients of the primary, secondary and real-time interface.
    controller_lines: lines on the script ports that are no URScript.
    dashboard: answers of the dashboard.
    addresses: loopback addresses with free ports.
    intake: shares the time of a control cycle among the clients.
    outbox: bytes on their way to a client that reads slowly.
    event_loop: control cycles first, then a few clients at a time.
"""
