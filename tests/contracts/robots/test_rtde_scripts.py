"""Scripts and dashboard commands: their effects, and how they are refused."""

import socket

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_robots import running, wait_until

from armtwin.robots.ur.protocol.codec import Level
from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.ports.dashboard import ClientQuit, Dashboard
from armtwin.robots.ur_controller.ports.script_port import ScriptFramer
from armtwin.robots.ur_controller.programs.flight_reports import SERIAL_NUMBER
from armtwin.robots.ur_controller.programs.player import MAX_SECONDARY_PROGRAMS, SHORTEST_PLAY
from armtwin.robots.ur_controller.script.runtime.budget import DEFAULT_BUDGET
from armtwin.robots.ur_controller.script_programs import run_script
from armtwin.robots.ur_controller.state.modes import RuntimeState
from armtwin.robots.ur_controller.virtual_robot import INTERPRETER

Q = [0.1, -1.4, 1.5, -1.6, -1.5, 0.2]


@pytest.fixture
def controller():
    """A controller of a UR5e at Q."""
    return virtual_robot("ur5e", start=Q).controller


@pytest.fixture(scope="module")
def shared():
    """A controller that many hostile texts go to."""
    return virtual_robot("ur5e", start=Q).controller


def run(controller, seconds=20.0):
    """Let time pass until the program has ended."""
    for _ in range(int(seconds / controller.dt)):
        controller.cycle()
        if not controller.modes.program_running and controller.idle:
            return
    pytest.fail("the program did not end")


def said(controller):
    """Return what the controller has said."""
    return " ".join(text.message for text in controller.texts)


def test_line_moves_the_arm(controller):
    """The arm is at its goal when a movej line has been run."""
    run_script(controller, "movej([0.3, -1.4, 1.5, -1.6, -1.5, 0.2], a=5, v=2)\n")
    assert controller.modes.program_running
    run(controller)
    np.testing.assert_allclose(controller.reference.q, [0.3, *Q[1:]], atol=1e-12)


def test_program_of_several_lines(controller):
    """Every line takes effect in its turn when a program is sent."""
    text = (
        "def prog():\n"
        "  # a comment\n"
        "  set_tcp(p[0, 0, 0.1, 0, 0, 0])\n"
        "  set_digital_out(1, True)\n"
        "  movej([0.2, -1.4, 1.5, -1.6, -1.5, 0.2], a=5, v=2)\n"
        "  sleep(0.05)\n"
        "  speedj([0.2, 0, 0, 0, 0, 0], 5, 0.1)\n"
        "  stopj(5)\n"
        "  set_payload(1.5, [0, 0, 0.02])\n"
        "  write_output_integer_register(5, 42)\n"
        '  textmsg("done")\n'
        "end\n"
    )
    run_script(controller, text)
    run(controller)
    assert controller.registers.number("output_int_register_5") == 42
    assert controller.registers.number("actual_digital_output_bits") == 2
    assert controller.registers.number("payload") == 1.5
    np.testing.assert_allclose(controller.tcp.vector, [0, 0, 0.1, 0, 0, 0])
    assert controller.reference.q[0] > 0.21
    assert not controller.reference.qd.any()
    assert "done" in said(controller)


def test_servoj_line_holds_for_its_time(controller):
    """The arm moves towards the target and stops when a single servoj line ends."""
    run_script(controller, "servoj([0.2, -1.4, 1.5, -1.6, -1.5, 0.2], t=0.5)\n")
    run(controller)
    assert 0.1 < controller.reference.q[0] <= 0.2 + 1e-9
    assert not controller.reference.qd.any()


def test_secondary_program_runs_beside(controller):
    """The running program goes on when a secondary one sets an output."""
    run_script(controller, "movej([1.0, -1.4, 1.5, -1.6, -1.5, 0.2], v=0.5)\n")
    controller.cycle()
    run_script(controller, "sec io():\n set_digital_out(2, True)\nend\n")
    controller.cycle()
    assert controller.modes.program_running
    assert controller.registers.number("actual_digital_output_bits") == 4
    run_script(controller, "sec bad():\n movej([0,0,0,0,0,0])\nend\n")
    assert "movej takes time" in said(controller)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("unknown_function(1)\n", "1:1: compile_error_name_not_found:unknown_function"),
        ("x = = 3\n", "syntax_error_on_line:1"),
        ("def f():\n while True\n  sync()\n end\nend\n", "syntax_error_on_line:"),
        ("def f():\n" + "\n" * 30_000 + "end\n", "more than 20000 lines"),
    ],
)
def test_what_cannot_be_compiled_is_refused(controller, text, reason):
    """The program stops and the reason is given when a script cannot be compiled."""
    run_script(controller, "sleep(100)\n")
    run_script(controller, text)
    assert controller.modes.runtime == RuntimeState.STOPPED
    refused = [text for text in controller.texts if reason in text.message]
    assert [text.level for text in refused] == [Level.EXCEPTION]


def test_refused_secondary_program(controller):
    """The running program goes on and the reason is given when a secondary one is refused."""
    run_script(controller, "sleep(100)\n")
    run_script(controller, "sec f():\n x = = 3\nend\n")
    controller.cycle()
    assert controller.modes.program_running
    assert "secondary program refused: 2:6: syntax_error_on_line:2" in said(controller)


def test_endless_secondary_programs_are_bounded(controller):
    """Only some secondary programs run at a time, and each ends when it never waits."""
    for _ in range(MAX_SECONDARY_PROGRAMS + 1):
        run_script(controller, "sec f():\n while True:\n  x = 1\n end\nend\n")
    assert f"secondary program refused: {MAX_SECONDARY_PROGRAMS} run already" in said(controller)
    for _ in range(DEFAULT_BUDGET.busy_cycles + 2):
        controller.cycle()
    assert said(controller).count("secondary program stopped") == MAX_SECONDARY_PROGRAMS
    assert not controller.beside_full


def test_short_program_can_be_seen(controller):
    """The program is PLAYING for a tenth of a second when it takes no time at all."""
    run_script(controller, "set_digital_out(1, True)\n")
    playing = 0
    while controller.modes.program_running:
        controller.cycle()
        playing += 1
    assert playing == round(SHORTEST_PLAY / controller.dt) + 1
    assert controller.registers.number("actual_digital_output_bits") == 2


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (
            "force_mode(p[0,0,0,0,0,0], [0,0,1,0,0,0], [0,0,5,0,0,0], 2, [1,1,1,1,1,1])",
            "force_mode",
        ),
        ("freedrive_mode()", "freedrive_mode"),
        ("teach_mode()", "freedrive_mode"),
        ("direct_torque([0,0,0,0,0,0])", "direct_torque"),
    ],
)
def test_what_needs_forces_ends_the_program(controller, call, name):
    """The program stops with the reason when a kinematic body cannot follow a function."""
    run_script(controller, call + "\n")
    run(controller)
    stopped = [text for text in controller.texts if f"{name} needs forces" in text.message]
    assert [text.level for text in stopped] == [Level.EXCEPTION]


@pytest.mark.parametrize("call", ["high_holding_torque_disable()", "set_tool_output_mode(1)"])
def test_settings_without_effect_are_reported(controller, call):
    """Clients are warned when a setting has no effect on the virtual arm."""
    run_script(controller, call + "\n")
    run(controller)
    warned = [text.level for text in controller.texts if "has no effect" in text.message]
    assert warned == [Level.WARNING]


def test_protective_stop_ends_the_program_at_once(controller):
    """Nothing after protective_stop is executed."""
    run_script(controller, f"protective_stop()\nset_digital_out(1, True)\nmovej({Q})\n")
    controller.cycle()
    assert not controller.modes.program_running
    assert controller.registers.number("actual_digital_output_bits") == 0


def test_blocking_popup(controller):
    """The program waits until the popup is closed over the dashboard."""
    run_script(controller, 'popup("look", blocking=True)\nset_digital_out(1, True)\n')
    for _ in range(100):
        controller.cycle()
    assert controller.modes.program_running
    assert controller.panel.popup == "look"
    Dashboard(controller).answer("close popup")
    run(controller)
    assert controller.registers.number("actual_digital_output_bits") == 2


@pytest.mark.parametrize("blend", [0.0, 0.03])
@pytest.mark.parametrize("kind", ["movej", "movel", "movep"])
def test_blend_radius(controller, kind, blend):
    """The arm passes a rounded corner without a stop, and stops at it without a radius."""
    second = [0.5, -1.3, *Q[2:]]
    first = f"{kind}({[0.4, *Q[1:]]}, a=2, v=0.5, r={blend})"
    run_script(controller, f"{first}\n{kind}({second}, a=2, v=0.5)\n")
    speeds = []
    while controller.modes.program_running:
        controller.cycle()
        speeds.append(np.abs(controller.reference.qd).max())
    moving = np.flatnonzero(np.array(speeds) > 0)
    slowest = np.min(speeds[moving[0] + 10 : moving[-1] - 10])
    assert (slowest < 0.01) == (blend == 0.0)
    np.testing.assert_allclose(controller.reference.q, second, atol=1e-5)


def test_interpreter_port():
    """Lines to port 30020 run within a program in interpreter mode, and are discarded else."""
    with running() as station:
        robot = station.robots[0]
        with socket.create_connection((robot.host, INTERPRETER), timeout=180) as sock:
            answers = sock.makefile()
            sock.sendall(b"set_digital_out(1, True)\n")
            assert answers.readline().startswith("discard: Interpreter not running")
            station.call(run_script, robot.controller, "interpreter_mode()\n")
            wait_until(lambda: robot.controller.program.run.interpreter.active)
            sock.sendall(b"set_digital_out(1, True)\nnonsense(\n")
            assert answers.readline() == "ack: 1: set_digital_out(1, True)\n"
            assert answers.readline() == "discard: Syntax error: nonsense(\n"
            wait_until(lambda: robot.controller.registers.number("actual_digital_output_bits"))


def test_stopped_program_releases_its_sockets(controller):
    """The program's connections are closed when it is stopped from outside."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        run_script(controller, f'socket_open("127.0.0.1", {port})\nsleep(100)\n')
        controller.cycle()
        peer, _ = server.accept()
        with peer:
            peer.settimeout(10)
            controller.cycle()
            controller.stop_program()
            assert peer.recv(1) == b""


@pytest.mark.parametrize(
    "line",
    ["movej([1,2,3])", "movej(3)", "movej()", "movel(p[9,9,9,0,0,0])", "movej([0,0,0,0,0,0], v=0)",
     "movej([0,0,0,0,0,0], zz=1)", "set_digital_out(99, True)", 'set_digital_out("a", True)',
     "speedj([1,2], 1)", "set_tcp(3)", "set_payload(1, 2)", "write_output_integer_register(99, 1)",
     "write_output_integer_register(1, 9e99)", "sleep(-1)", "stopj(0)",
     "movej([99,0,0,0,0,0], a=99, v=99)"],
)  # fmt: skip
def test_wrong_arguments_stop_the_program(controller, line):
    """The program ends and the arm rests when a line's arguments make no sense."""
    run_script(controller, line + "\n")
    run(controller)
    assert not controller.reference.qd.any()
    assert np.isfinite(controller.registers["actual_q"]).all()


TEXTS = st.one_of(
    st.text(max_size=200),
    st.from_regex(r"(movej|movel|speedj|servoj|set_tcp)\([\[\]p0-9eE.,+\- =avtr]{0,60}\)\n"),
    st.from_regex(r"(def|sec) [a-z]{1,5}\(\):\n( [a-z_]{1,12}\([0-9,.]{0,9}\)\n){0,3}end\n"),
)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_any_script(shared, text):
    """The controller lives on within its limits when any text is sent as a script."""
    run_script(shared, text)
    for _ in range(3):
        shared.cycle()
    assert np.isfinite(shared.reference.q).all()
    assert (np.abs(shared.reference.qd) <= 1.06 * np.pi).all()


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize(
    ("data", "texts", "rest"),
    [
        (b"movej([1])\nrest", [b"movej([1])\n"], 4),
        (b"movej([1])", [], 10),
        (b"def f():\n movej([1])\nend\nmore", [b"def f():\n movej([1])\nend\n"], 4),
        (b"def f():\n if x:\n end\n", [], 21),
        (b"\n\nsec g():\nend\n\n", [b"sec g():\nend\n"], 0),
        (b"", [], 0),
    ],
)
def test_where_a_script_ends(data, texts, rest, size):
    """Programs end at their own end and lines at the line's end however bytes come in."""
    framer = ScriptFramer()
    parts = [data[k : k + size] for k in range(0, len(data), size)]
    assert [text for part in parts for text in framer.feed(part)] == texts
    assert framer.size == rest


ANSWERS = [
    ("robotmode", "Robotmode: RUNNING"), ("safetystatus", "Safetystatus: NORMAL"),
    ("safetymode", "Safetymode: NORMAL"), ("running", "Program running: false"),
    ("programState", "STOPPED <unnamed>"), ("get serial number", SERIAL_NUMBER),
    ("get robot model", "UR5"), ("is in remote control", "true"), ("stop", "Stopped"),
    ("play", "Failed to execute: play"), ("popup hello", "showing popup"),
    ("close popup", "closing popup"), ("close safety popup", "closing safety popup"),
    ("load x.urp", "File not found: x.urp"), ("power off", "Powering off"),
    ("power on", "Powering on"), ("brake release", "Brake releasing"),
    ("unlock protective stop", "Protective stop releasing"), ("version", "5.25.0.0"),
    ("addToLog hi", "Added log message"), ("get loaded program", "No program loaded"),
    ("nonsense", 'could not understand: "nonsense"'),
]  # fmt: skip


@pytest.mark.parametrize(("line", "answer"), ANSWERS)
def test_dashboard(controller, line, answer):
    """The dashboard answers as a robot's does when it is asked."""
    assert Dashboard(controller).answer(line) == answer


def test_dashboard_version(controller):
    """Four numbers are reported, as clients look for, when the version is asked for."""
    assert "5.25.0.0" in Dashboard(controller).answer("PolyscopeVersion")


def test_dashboard_quit(controller):
    """The connection ends when the client says quit."""
    with pytest.raises(ClientQuit):
        Dashboard(controller).answer("quit")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=100))
def test_dashboard_of_anything(shared, line):
    """One line is answered when anything is sent to the dashboard."""
    try:
        answer = Dashboard(shared).answer(line)
    except ClientQuit:
        return
    assert answer
    assert "\n" not in answer


def test_somebody_pushes():
    """A joint is pushed for its time, and a running program goes on, when a script says so."""
    controller = virtual_robot("ur5e", start=Q).controller
    run_script(controller, "sleep(10)\n")
    run_script(controller, "sec push():\n armtwin_push(2, 12.5, 0.1)\nend\n")
    measured = []
    for _ in range(100):
        controller.cycle()
        measured.append(controller.body.external.copy())
    assert np.count_nonzero([torque[1] == 12.5 for torque in measured]) == 50
    assert not np.delete(measured, 1, axis=1).any()
    assert not measured[-1].any()
    assert controller.modes.program_running


@pytest.mark.parametrize("cycles", [1, 2, 50])
def test_push_between_two_cycles(controller, cycles):
    """A joint is pushed in as many cycles as its time has when no script pushes it."""
    controller.cycle()
    controller.external_push.push(2, 12.5, cycles * controller.dt)
    pushed = 0
    for _ in range(60):
        controller.cycle()
        pushed += controller.body.external[1] == 12.5
    assert pushed == cycles
    assert not controller.push.any()


@pytest.mark.parametrize(
    "call",
    ["armtwin_push(0, 5, 1)", "armtwin_push(7, 5, 1)", "armtwin_push(1, 1e999, 1)",
     "armtwin_push(1e999, 1, 1)", "armtwin_push(1, 5000, 1)", "armtwin_push(1, 5, 0)",
     "armtwin_push(1, 5, 1e9)", "armtwin_push(1, 5, 0.001)", "armtwin_push(1)",
     'armtwin_push("1", 5, 1)'],
)  # fmt: skip
def test_pushes_that_nobody_can_exert(controller, call):
    """Nothing is pushed and the reason is said when a push makes no sense."""
    run_script(controller, f"sec push():\n {call}\nend\n")
    run_script(controller, f"{call}\n")
    controller.cycle()
    assert not controller.push.any()
    assert (
        len([text for text in controller.texts if text.level in (Level.ERROR, Level.EXCEPTION)])
        == 2
    )
