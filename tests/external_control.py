"""The PC side of external control: servers that a control program on the robot connects to.

All messages are 32-bit integers in network byte order; quantities are sent times 1e6, times and
blend radii times 1000. The protocol is documented with UR's client library
(Universal_Robots_Client_Library, doc/architecture).
"""

import contextlib
import enum
import socket
import struct
from pathlib import Path

import numpy as np

from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.script_programs import run_script

PROGRAM = Path(__file__).with_name("external_control.script")
VALUES, MILLI = 1_000_000, 1000
COMMAND_LENGTH = 28


class Mode(enum.IntEnum):
    """What the robot shall do with a message of the reverse interface."""

    STOPPED = -2
    IDLE = 0
    SERVOJ = 1
    SPEEDJ = 2
    FORWARD = 3
    SPEEDL = 4
    POSE = 5
    FREEDRIVE = 6
    TORQUE = 8


class Action(enum.IntEnum):
    """What shall happen to a trajectory, or to freedrive."""

    CANCEL = -1
    NOTHING = 0
    START = 1
    START_STREAM = 2
    END_STREAM = 3


class Point(enum.IntEnum):
    """Kinds of trajectory points."""

    MOVEJ = 0
    MOVEL = 1
    MOVEP = 2
    MOVEC = 3
    OPTIMOVEJ = 4
    OPTIMOVEL = 5
    MOVEJ_POSE = 6
    MOVEL_JOINT = 7
    MOVEP_JOINT = 8
    MOVEC_JOINT = 9
    MOVEC_JOINT_POSE = 10
    MOVEC_POSE_JOINT = 11
    OPTIMOVEJ_POSE = 12
    OPTIMOVEL_JOINT = 13
    SPLINE = 51


class Command(enum.IntEnum):
    """Commands of the script command interface."""

    ZERO_FTSENSOR = 0
    SET_PAYLOAD = 1
    SET_TOOL_VOLTAGE = 2
    START_FORCE_MODE = 3
    END_FORCE_MODE = 4
    START_TOOL_CONTACT = 5
    END_TOOL_CONTACT = 6
    SET_FRICTION_COMPENSATION = 7
    FT_RTDE_INPUT_ENABLE = 8
    SET_GRAVITY = 9
    SET_TCP_OFFSET = 10
    SET_FRICTION_SCALES = 11


SUCCESS, CANCELED, FAILURE = 0, 1, 2
CUBIC, QUINTIC = 1, 2
ZEROS = (0.0,) * 6


def scaled(values):
    """Return quantities as the integers that are sent."""
    return [round(VALUES * v) for v in values]


class ExternalPc:
    """The servers: reverse interface, trajectory interface, script command interface."""

    NAMES = ("reverse", "trajectory", "commands")

    def __init__(self):
        self.servers = {name: socket.create_server(("127.0.0.1", 0)) for name in self.NAMES}
        self.links, self._received = {}, {name: b"" for name in self.NAMES}
        for server in self.servers.values():
            server.setblocking(False)

    @property
    def ports(self):
        """Ports of the reverse, the trajectory and the script command interface."""
        return tuple(self.servers[name].getsockname()[1] for name in self.NAMES)

    def accept(self):
        """Accept waiting connections; return whether all three exist."""
        for name in self.NAMES:
            if name not in self.links:
                try:
                    self.links[name], _ = self.servers[name].accept()
                except BlockingIOError:
                    continue
                self.links[name].setblocking(False)
                self.links[name].setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return len(self.links) == len(self.NAMES)

    def close(self):
        """Close all connections."""
        for made in (*self.links.values(), *self.servers.values()):
            made.close()

    def _send(self, name, *whole):
        self.links[name].sendall(struct.pack(f">{len(whole)}i", *whole))

    def write(self, values, mode, timeout=0.1):
        """Send six values for a mode; the program ends when no other message follows in time."""
        self._send("reverse", round(MILLI * timeout), *scaled(values), mode)

    def trajectory(self, action, count=0, timeout=0.2):
        """Announce a trajectory of some points, cancel it, or let it go on."""
        self._send("reverse", round(MILLI * timeout), action, count, 0, 0, 0, 0, Mode.FORWARD)

    def freedrive(self, action, timeout=0.2):
        """Begin, end or go on with freedrive."""
        self._send("reverse", round(MILLI * timeout), action, 0, 0, 0, 0, 0, Mode.FREEDRIVE)

    def point(self, kind, first, second=ZEROS, third=(1.05, 1.4), *, seconds=0.0, blend=0.0):
        """Send a trajectory point; the third block of a move is speed, acceleration, mode."""
        last = [*third, *ZEROS][:6]
        blocks = scaled(first) + scaled(second) + scaled(last)
        self._send("trajectory", *blocks, round(MILLI * seconds), round(MILLI * blend), kind)

    def spline(self, q, qd, seconds, qdd=None):
        """Send a point of a cubic spline, or of a quintic one with accelerations."""
        kind, last = (CUBIC, ZEROS) if qdd is None else (QUINTIC, qdd)
        blocks = scaled(q) + scaled(qd) + scaled(last)
        self._send("trajectory", *blocks, round(MILLI * seconds), kind, Point.SPLINE)

    def command(self, code, *values, whole=()):
        """Send a command with unscaled integers before quantities."""
        numbers = [code, *whole, *scaled(values)]
        self._send("commands", *numbers, *(0,) * (COMMAND_LENGTH - len(numbers)))

    def results(self, name="trajectory"):
        """Return all result codes that have come on an interface."""
        with contextlib.suppress(BlockingIOError):
            self._received[name] += self.links[name].recv(4096)
        data = self._received[name]
        return list(struct.unpack(f">{len(data) // 4}i", data[: len(data) // 4 * 4]))


def control_program(ports):
    """Return a control program of our own for the ports of the three interfaces."""
    text = PROGRAM.read_text()
    names = ("REVERSE", "TRAJECTORY", "SCRIPT_COMMANDS")
    for name, port in zip(names, ports, strict=True):
        text = text.replace(f"({name},", f"({port},")
    return text


class ControlledRobot:
    """A virtual controller under external control, stepped cycle by cycle.

    Args:
        program: returns the control program for the PC's three ports.
        options: of the virtual robot; ``arm`` is ur5e if not given.
    """

    def __init__(self, program, **options):
        self.controller = virtual_robot(options.pop("arm", "ur5e"), **options).controller
        self.pc = ExternalPc()
        run_script(self.controller, program(self.pc.ports))
        self.until(self.pc.accept, 5.0)

    @property
    def q(self):
        """Wanted joint positions [rad]."""
        return self.controller.reference.q.copy()

    @property
    def qd(self):
        """Wanted joint speeds [rad/s]."""
        return self.controller.reference.qd.copy()

    @property
    def running(self):
        """Whether the control program runs."""
        return self.controller.program is not None

    @property
    def texts(self):
        """Messages of the program."""
        return [text.message for text in self.controller.texts]

    def cycle(self, count=1, each=None):
        """Let control cycles pass; ``each`` is called before every one."""
        for _ in range(count):
            if each is not None:
                each()
            self.controller.cycle()

    def until(self, condition, longest, each=None):
        """Let cycles pass until a condition holds; return how long that took [s]."""
        for k in range(round(longest / self.controller.dt)):
            if condition():
                return k * self.controller.dt
            self.cycle(1, each)
        raise AssertionError(f"not within {longest} s; texts: {self.texts[-5:]}")

    def hold(self):
        """Keep a trajectory going."""
        self.pc.trajectory(Action.NOTHING)

    def forward(self, *points, longest=10.0, each=None):
        """Run a trajectory of ``(method, arguments, keywords)``; return its result and duration."""
        before = len(self.pc.results())
        self.pc.trajectory(Action.START, len(points))
        for send, arguments, keywords in points:
            send(*arguments, **keywords)

        def every():
            self.hold()
            if each is not None:
                each()

        took = self.until(lambda: len(self.pc.results()) > before, longest, every)
        return self.pc.results()[-1], took

    def close(self):
        """End the program and close the connections."""
        self.controller.stop_program()
        self.pc.close()

    @property
    def pose(self):
        """Wanted pose of the tool as a vector [m, rad]."""
        return np.array(self.controller.registers["target_TCP_pose"])


@contextlib.contextmanager
def controlled(program=control_program, **options):
    """Yield a robot under control that has got its first message."""
    robot = ControlledRobot(program, **options)
    try:
        robot.cycle(5, lambda: robot.pc.write(ZEROS, Mode.IDLE))
        yield robot
    finally:
        robot.close()
