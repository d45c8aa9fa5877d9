"""Clients of a virtual robot's state streams without a network."""


class Transport:
    """A connection whose other end reads when it is told to."""

    def __init__(self):
        """Begin with nothing unread by a client that reads."""
        self.waiting, self.read, self.reads = b"", [], True

    def write(self, data):
        """Take data as an asyncio transport does."""
        if self.reads:
            self.read.append(data)
        else:
            self.waiting += data

    def get_write_buffer_size(self):
        """Return how much waits."""
        return len(self.waiting)

    def set_write_buffer_limits(self, high):
        """Take any."""

    def get_extra_info(self, name):
        """Return nothing: there is no socket."""

    def is_closing(self):
        """Return that the connection is open."""
        return False


def connect(robot, port):
    """Return a new client's connection to a port."""
    make = dict(robot.streams.ports())[port]
    client, transport = make(), Transport()
    client.connection_made(transport)
    return client, transport
