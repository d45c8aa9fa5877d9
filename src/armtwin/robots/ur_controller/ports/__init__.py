"""Network ports of a virtual controller.

Modules:
    rtde_port, rtde_session: RTDE.
    text_port: dashboard, interpreter mode and scripts.
    dashboard: answers of the dashboard.
    http_port, rest, rest_calls, rest_programs: the REST service of PolyScope X.
    addresses: loopback addresses with free ports.
    intake: shares the time of a control cycle among the clients.
"""
