"""Programs of ur_rtde that fail: its wait ends with an error, and no other client is affected."""

import pytest
from script_clients import compiled, settle, unhurried_robot
from stream_clients import Transport

from armtwin.robots.ur.protocol.codec import Level
from armtwin.robots.ur_controller.programs.script_sender import DONE
from armtwin.robots.ur_controller.streams.broadcast import REALTIME

CONTROL = """def rtde_control():
    global reg_offset_int = # int register offset
{}    stopped = False
    while not stopped:
        stopped = read_input_integer_register(0) == 255
        sync()
    end
    # NODE_CONTROL_LOOP_ENDS
end
"""
"""What ur_rtde's control script begins with and how it ends."""
FAILING = ["none()", "x = = 3", "sleep(0.2)\n x = 1 / 0", "if True:\nx = 1 / 0\nend", "for i in x:"]
ENDINGS = ["write_output_integer_register(0, 2)\nend\n", "end\n", "end # f\n# done\n",
           " write_output_integer_register(0 + 0, 2)\nend\n\n"]  # fmt: skip


@pytest.fixture
def robot():
    """A robot that does not listen and has all the time for its clients."""
    return unhurried_robot()


def connected(robot):
    """Return a new client of the real-time interface, which ur_rtde sends scripts to."""
    made = dict(robot.streams.ports())[REALTIME[0]]()
    made.connection_made(Transport())
    return made


def playing(robot, client, offset=0):
    """Send a control script; return whether it is played."""
    client.data_received(CONTROL.format(offset).encode())
    compiled(robot)
    return robot.controller.program is not None


def stop_control(robot):
    """Let the control script end, as stopScript does."""
    robot.controller.registers["input_int_register_0"] = 255
    settle(robot)
    robot.controller.registers["input_int_register_0"] = 0
    assert not robot.controller.modes.program_running


def done(robot, register=0):
    """Return whether a register says done."""
    return robot.controller.registers.number(f"output_int_register_{register}") == DONE


@pytest.mark.parametrize("line", FAILING)
@pytest.mark.parametrize("ending", ENDINGS)
def test_wait_ends_when_a_program_fails(robot, line, ending):
    """The register says done and the next upload is refused when any program of ur_rtde fails."""
    client = connected(robot)
    assert playing(robot, client)
    stop_control(robot)
    closing = "end\n" if line.startswith("for") else ""
    client.data_received(f"def f():\n {line}\n {closing}{ending}".encode())
    settle(robot)
    assert done(robot)
    assert not playing(robot, client)
    assert playing(robot, client)


@pytest.mark.parametrize("offset", [0, 24])
def test_register_is_that_of_the_control_script(robot, offset):
    """The register beyond the control script's offset is written when a program fails."""
    client = connected(robot)
    assert playing(robot, client, offset)
    stop_control(robot)
    client.data_received(b"none()\n")
    settle(robot)
    assert done(robot, offset)
    assert not done(robot, 24 - offset)


def test_other_clients_upload_at_once(robot):
    """A new client's control script is played right after another client's program failed."""
    client = connected(robot)
    assert playing(robot, client)
    stop_control(robot)
    client.data_received(b"none()\n")
    compiled(robot)
    assert playing(robot, connected(robot))


def test_other_clients_programs_write_no_register(robot):
    """A call of ur_rtde does not seem done when another client's program fails meanwhile."""
    assert playing(robot, connected(robot))
    connected(robot).data_received(
        b"def f():\n x = = 3\n write_output_integer_register(0, 2)\nend\n"
    )
    settle(robot)
    assert not robot.controller.modes.program_running
    assert not done(robot)


def test_program_of_a_robot_that_is_off(robot):
    """The wait ends when a program is not played because the robot is switched off."""
    client = connected(robot)
    assert playing(robot, client)
    stop_control(robot)
    robot.controller.panel.power_off()
    client.data_received(b"def f():\n sync()\nend\n")
    settle(robot)
    assert done(robot)


@pytest.mark.parametrize("text", ["def f():\n sync()\nend\n", "sec f():\n none()\nend\n"])
def test_nothing_else_ends_the_wait(robot, text):
    """The register stays, as on a real robot, when a program does not write it or is secondary."""
    client = connected(robot)
    assert playing(robot, client)
    stop_control(robot)
    client.data_received(text.encode())
    settle(robot)
    assert not done(robot)
    assert playing(robot, client)


def test_incomplete_program_ends_the_wait(robot):
    """The wait ends with a report when the end of a program does not come in time."""
    client = connected(robot)
    assert playing(robot, client)
    stop_control(robot)
    client.data_received(b"def f():\n sync()\n")
    client.connection_lost(None)
    compiled(robot)
    assert done(robot)
    texts = [*robot.controller.texts, *robot.controller.log]
    assert any("closed before its end" in t.message for t in texts if t.level == Level.EXCEPTION)
