"""Connections of the control process: accepted cheaply, bounded in number and bytes.

Modules:
    acceptor: accepts connections; those that stop the robot are started first.
    pool: a bounded number of connections, in which a new one finds room.
    protocols: HTTP connections and WebSockets, bounded in number and bytes.
"""
