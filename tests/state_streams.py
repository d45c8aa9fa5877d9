"""An independent decoder of UR's client interfaces, and a small client of the primary one.

The layouts are written down here a second time, field by field from UR's description of its client
interfaces, so that a mistake in the encoder shows.
"""

import socket
import struct
import time


class Bytes:
    """Reads numbers from the front of some bytes."""

    def __init__(self, data):
        self.data = data

    def take(self, letters):
        """Return the next values; one value itself, several as a tuple."""
        form = struct.Struct(">" + letters)
        found, self.data = form.unpack(self.data[: form.size]), self.data[form.size :]
        return found[0] if len(found) == 1 else found

    def text(self, size=None):
        """Return the next bytes as text; all of them if no size is given."""
        size = len(self.data) if size is None else size
        found, self.data = self.data[:size], self.data[size:]
        return found.decode()


def mode(b, version):
    """Robot mode data."""
    names = ["connected", "enabled", "power_on", "emergency", "protective", "running", "paused"]
    found = {"time": b.take("Q"), **{name: b.take("B") for name in names}}
    found |= {"robot_mode": b.take("b"), "control_mode": b.take("B")}
    found |= {"speed_fraction": b.take("d"), "speed_scaling": b.take("d")}
    if version >= (3, 2):
        found["speed_limit"] = b.take("d")
    if version >= (3, 5):
        b.take("B")
    return found


def joints(b, version):
    """Joint data: a row per joint."""
    names = [
        "q",
        "target_q",
        "qd",
        "current",
        "voltage",
        "motor_temperature",
        "micro_temperature",
        "mode",
    ]
    rows = [dict(zip(names, b.take("dddffffB"), strict=True)) for _ in range(6)]
    return {name: [row[name] for row in rows] for name in names}


def tool(b, version):
    """Tool data."""
    names = [
        "range0",
        "range1",
        "input0",
        "input1",
        "voltage48",
        "output_voltage",
        "current",
        "temperature",
        "mode",
    ]
    return dict(zip(names, b.take("BBddfBffB"), strict=True))


def masterboard(b, version):
    """Masterboard data, without a Euromap67 interface."""
    names = [
        "inputs",
        "outputs",
        "range0",
        "range1",
        "input0",
        "input1",
        "domain0",
        "domain1",
        "output0",
        "output1",
        "temperature",
        "voltage",
        "current",
        "io_current",
        "safety_mode",
        "reduced",
        "euromap",
    ]
    found = dict(zip(names, b.take("iibbddbbddffffBBb"), strict=True))
    assert found["euromap"] == 0
    found["reserved"] = b.take("I")
    if version >= (3, 2):
        found["operational_mode"], found["enabling_device"] = b.take("BB")
    if version >= ((5, 4) if version[0] == 5 else (3, 10)):
        b.take("B")
    return found


def cartesian(b, version):
    """Cartesian info: pose and offset of the tool centre point."""
    found = {"pose": b.take("6d")}
    if version >= (3, 2):
        found["offset"] = b.take("6d")
    return found


def kinematics(b, version):
    """Kinematics info."""
    found = {"checksum": b.take("6I"), "theta": b.take("6d"), "a": b.take("6d")}
    return found | {"d": b.take("6d"), "alpha": b.take("6d"), "status": b.take("I")}


def configuration(b, version):
    """Configuration data."""
    found = {"limits": [b.take("dd") for _ in range(6)], "rates": [b.take("dd") for _ in range(6)]}
    names = ["joint_speed", "joint_acceleration", "tool_speed", "tool_acceleration", "radius"]
    found |= {name: b.take("d") for name in names}
    found |= {name: b.take("6d") for name in ("a", "d", "alpha", "theta")}
    return found | {name: b.take("i") for name in ["masterboard", "box", "robot_type", "sub_type"]}


def force(b, version):
    """Force mode data."""
    return {"wrench": b.take("6d"), "dexterity": b.take("d")}


def additional(b, version):
    """Additional info."""
    return {"pressed": b.take("B"), "enabled": b.take("B"), "rest": b.text()}


def communication(b, version):
    """Tool communication info."""
    names = ["enabled", "baud_rate", "parity", "stop_bits", "rx_idle", "tx_idle"]
    return dict(zip(names, b.take("Biiiff"), strict=True))


def tool_mode(b, version):
    """Tool mode info."""
    return {"output": b.take("B"), "digital": b.take("BB")}


def reserved(b, version):
    """Data for UR's own software."""
    return {"size": len(b.text())}


SUB_PACKAGES = {
    0: mode, 1: joints, 2: tool, 3: masterboard, 4: cartesian, 5: kinematics, 6: configuration,
    7: force, 8: additional, 9: reserved, 10: reserved, 11: communication, 12: tool_mode,
}  # fmt: skip


def robot_state(packet, version):
    """Return the sub-packages of a robot state message by type, in their order, and their sizes."""
    b, found, sizes = Bytes(packet), {}, {}
    assert b.take("iB") == (len(packet), 16)
    while b.data:
        size, kind = struct.unpack(">iB", b.data[:5])
        inner, b.data = Bytes(b.data[5:size]), b.data[size:]
        found[kind], sizes[kind] = SUB_PACKAGES[kind](inner, version), size
        assert inner.data == b"", f"{len(inner.data)} bytes too many in sub-package {kind}"
    return found, sizes


def robot_message(packet):
    """Return type and fields of a robot message."""
    b = Bytes(packet)
    assert b.take("iB") == (len(packet), 20)
    stamp, source, kind = b.take("QbB")
    head = {"time": stamp, "source": source}
    if kind == 0:
        return "text", head | {"text": b.text()}
    if kind == 2:
        asked = dict(
            zip(["id", "type", "warning", "error", "blocking"], b.take("II???"), strict=True)
        )
        return "popup", head | asked | {"title": b.text(b.take("B")), "text": b.text()}
    if kind == 3:
        found = {"project": b.text(b.take("B")), "version": b.take("BBii"), "date": b.text()}
        return "version", head | found
    if kind == 5:
        names = ["code", "argument", "mode", "data_type", "data"]
        return "safety mode", head | dict(zip(names, b.take("iiBII"), strict=True))
    if kind == 6:
        names = ["code", "argument", "level", "data_type", "data"]
        found = dict(zip(names, b.take("iiiII"), strict=True))
        return "error code", head | found | {"text": b.text()}
    if kind == 7:
        found = {"code": b.take("i"), "argument": b.take("i")}
        return "key", head | found | {"title": b.text(b.take("B")), "text": b.text()}
    if kind == 18:
        names = ["robot_type", "reserved", "control_box", "reserved_too", "tool_flange"]
        return "hardware", head | dict(zip(names, b.take("iHHHH"), strict=True))
    assert kind == 10, f"robot messages of type {kind} are not known"
    return "exception", head | {"line": b.take("i"), "column": b.take("i"), "text": b.text()}


def connected(host, port, buffer=None):
    """Return a connection whose end here buffers only so many bytes, if given."""
    made = socket.socket()
    if buffer is not None:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    made.settimeout(20)
    made.connect((host, port))
    return made


class PrimaryClient:
    """What a client of the primary interface does: keeps the newest state and all messages."""

    def __init__(self, host, port=30001, version=(5, 25), buffer=None):
        """Connect; ``buffer`` is how much the system keeps of what is not read [B]."""
        self.version, self.state, self.kinds = version, {}, []
        self.messages = []
        self._socket = connected(host, port, buffer)
        self._rest = b""

    def close(self):
        """Leave."""
        self._socket.close()

    def packet(self):
        """Return the next packet."""
        size = int.from_bytes(self._filled(4)[:4], "big")
        data = self._filled(size)
        self._rest = data[size:]
        return data[:size]

    def _filled(self, size):
        while len(self._rest) < size:
            data = self._socket.recv(1 << 16)
            assert data, "the robot closed the connection"
            self._rest += data
        return self._rest

    def read(self):
        """Take the next packet in."""
        packet = self.packet()
        self.kinds.append(packet[4])
        if packet[4] == 16:
            self.state |= robot_state(packet, self.version)[0]
        else:
            self.messages.append(robot_message(packet))

    def until(self, condition, what="condition"):
        """Read until a condition holds; fail after so long that no busy machine explains it."""
        end = time.monotonic() + 180.0
        while not condition():
            assert time.monotonic() < end, f"{what} did not come true within 180 s"
            self.read()

    def send(self, text):
        """Send a script or line, with a line break at its end."""
        self._socket.sendall(text.encode() + b"\n")

    @property
    def mode(self):
        """The newest robot mode data; None before the first."""
        return self.state.get(0)

    def until_mode(self, **values):
        """Read until the robot mode data has these values."""
        self.until(
            lambda: self.mode is not None and {k: self.mode[k] for k in values} == values,
            what=f"{values}",
        )

    def of(self, kind):
        """Return the messages of a kind that have come."""
        return [fields for name, fields in self.messages if name == kind]

    def wait_for(self, kind, **values):
        """Read until a message of a kind with these values has come; return it."""

        def found():
            return [m for m in self.of(kind) if {k: m[k] for k in values} == values]

        self.until(found, what=f"{kind} {values}")
        return found()[0]

    def run(self, body, name="test_fun"):
        """Send a program and read until it has ended; return its messages, or raise its error.

        As UR's client library does: an exception or a warning is an error.
        """
        self.messages.clear()
        self.send(f"def {name}():\n{body}\nend")
        self.until(lambda: self._ended(name), what=f"the end of {name}")
        for exception in self.of("exception"):
            raise ScriptFailure(exception["line"], exception["column"], exception["text"])
        for error in self.of("error code"):
            raise RobotError(f"C{error['code']}A{error['argument']}")
        return self.messages

    def _ended(self, name):
        stopped = any(
            (key["title"], key["text"]) == ("PROGRAM_XXX_STOPPED", name) for key in self.of("key")
        )
        return stopped or bool(self.of("exception") or self.of("error code"))


class ScriptFailure(Exception):
    """A script exception with line and column."""


class RobotError(Exception):
    """An error code."""
