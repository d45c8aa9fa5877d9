"""The dashboard over its socket: what UR's client library asks of it, and its files."""

import gzip
import io
import json
import re
import socket
import threading
import zipfile
from pathlib import Path

import pytest
from waiting import wait_until

from armtwin.errors import InputError
from armtwin.robots.ur_controller.build import VirtualRobotOptions, virtual_robot
from armtwin.robots.ur_controller.ports.dashboard import Dashboard
from armtwin.robots.ur_controller.state.events import (
    ProgramPaused,
    ProgramResumed,
    ProgramStarted,
    ProgramStopped,
)
from armtwin.testing import virtual_robot as running_robot

EXAMPLES = Path(__file__).parents[3] / "examples" / "urscript"
WAIT = """<URProgram name="wait"><children><MainProgram runOnlyOnce="false"><children>
<Wait type="Sleep"><waitTime>1.0</waitTime></Wait>
</children></MainProgram></children></URProgram>"""
FOREIGN = """<URProgram name="x"><children><MainProgram><children>
<Contributed originalName="Gripper"/></children></MainProgram></children></URProgram>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of programs beside a file that is not part of it."""
    top = tmp_path_factory.mktemp("robot")
    folder = top / "programs"
    (folder / "cell").mkdir(parents=True)
    (folder / "wait_program.urp").write_bytes(gzip.compress(WAIT.encode()))
    (folder / "foreign.urp").write_bytes(gzip.compress(FOREIGN.encode()))
    (folder / "cell" / "turn.script").write_text("def turn():\n  sleep(100)\nend\n")
    (folder / "wrong.script").write_text("def wrong(:\nend\n")
    (folder / "cell.installation").write_bytes(gzip.compress(b"<Installation/>"))
    (top / "secret.script").write_text("def secret():\n  sync()\nend\n")
    (folder / "link.script").symlink_to(top / "secret.script")
    return folder


@pytest.fixture(scope="module")
def running(folder):
    """A running robot with that folder."""
    with running_robot("ur5e", programs=folder, unlock_after=0.2) as robot:
        yield robot


@pytest.fixture
def ask(running):
    """Send lines over one connection and return the last answer."""
    with (
        socket.create_connection((running.host, 29999), timeout=180) as link,
        link.makefile("rw", newline="\n") as file,
    ):
        assert file.readline() == "Connected: Universal Robots Dashboard Server\n"

        def send(*lines):
            for line in lines:
                file.write(line + "\n")
                file.flush()
                answer = file.readline().removesuffix("\n")
            return answer

        yield send


def test_power_cycle_and_program(running, ask):
    """The words of a power cycle and of a program follow each other as on a UR controller."""
    assert ask("load wait_program.urp") == "Loading program: /programs/wait_program.urp"
    assert ask("programState") == "STOPPED wait_program.urp"
    assert ask("power off") == "Powering off"
    assert ask("robotmode") == "Robotmode: POWER_OFF"
    assert ask("play") == "Failed to execute: play"
    assert ask("power on", "robotmode") == "Robotmode: IDLE"
    assert ask("brake release") == "Brake releasing"
    assert ask("robotmode") == "Robotmode: RUNNING"
    assert ask("play") == "Starting program"
    assert ask("programState") == "PLAYING wait_program.urp"
    assert ask("running") == "Program running: true"
    events = running.controller.events
    wait_until(lambda: ProgramStarted("wait_program") in [event.report for event in list(events)])
    assert ask("pause") == "Pausing program"
    assert ask("programState") == "PAUSED wait_program.urp"
    assert ask("play", "programState") == "PLAYING wait_program.urp"
    assert ask("stop") == "Stopped"
    assert ask("programState") == "STOPPED wait_program.urp"
    assert ask("running") == "Program running: false"
    assert ask("isProgramSaved") == "true wait_program.urp"
    assert ask("get loaded program") == "Loaded program: /programs/wait_program.urp"
    kinds = (ProgramStarted, ProgramPaused, ProgramResumed, ProgramStopped)
    assert [event.report for event in list(events)[-4:]] == [kind("wait_program") for kind in kinds]


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("/ursim/programs/wait_program.urp", "Loading program: /ursim/programs/wait_program.urp"),
        ("/programs/cell/turn.script", "Loading program: /programs/cell/turn.script"),
        ("cell/turn.script", "Loading program: /programs/cell/turn.script"),
        ("nothing.urp", "File not found: nothing.urp"),
        ("../secret.script", "File not found: ../secret.script"),
        ("/programs/../../secret.script", "File not found: /programs/../../secret.script"),
        ("link.script", "File not found: link.script"),
        ("/etc/hostname", "File not found: /etc/hostname"),
        ("foreign.urp", "Error while loading program: foreign.urp"),
        ("wrong.script", "Error while loading program: wrong.script"),
        ("cell", "Error while loading program: cell"),
    ],
)
def test_load(ask, name, answer):
    """A program of the folder is loaded, and nothing outside it, when a client names a file."""
    assert ask(f"load {name}") == answer


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.script")), ids=lambda path: path.stem)
def test_examples_can_be_loaded(path):
    """The examples of URScript are loaded, and start, when their folder is the robot's."""
    controller = virtual_robot("ur5e", programs=EXAMPLES).controller
    dashboard = Dashboard(controller)
    assert dashboard.answer(f"load {path.name}") == f"Loading program: /programs/{path.name}"
    assert dashboard.answer("play") == "Starting program"
    controller.cycle()
    assert dashboard.answer("programState") == f"PLAYING {path.name}"
    controller.stop_program()


def test_unreadable_node_is_named(running, ask):
    """The log names the node when a program cannot be read."""
    ask("load foreign.urp")
    assert any("'Contributed' Gripper" in line.text for line in running.controller.journal.lines)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("default.installation", "Loading installation: /programs/default.installation"),
        ("cell.installation", "Loading installation: /programs/cell.installation"),
        ("none.installation", "File not found: none.installation"),
        ("wait_program.urp", "Failed to load installation: wait_program.urp"),
    ],
)
def test_load_installation(ask, name, answer):
    """An installation is loaded when the folder has it."""
    assert ask(f"load installation {name}") == answer


def test_log_is_saved(folder, ask):
    """The file holds what clients added when the log is saved."""
    assert ask("addToLog a line of mine") == "Added log message"
    assert ask("addToLog") == "No log message to add"
    assert ask("saveLog") == "Log saved to disk"
    assert "a line of mine" in (folder / "polyscope.log").read_text()


@pytest.mark.parametrize("kind", ["", "controller", "software", "system"])
def test_flight_report(folder, ask, kind):
    """A report with state, versions and log is written when a client asks for it."""
    ask("addToLog for the report")
    answer = ask(f"generate flight report {kind}")
    name = re.fullmatch("Flight Report generated with id: (.+)", answer)[1]
    with zipfile.ZipFile(folder / "flightreports" / f"{name}.zip") as archive:
        state = json.loads(archive.read("state.json"))
        assert "for the report" in archive.read("polyscope.log").decode()
        assert ("programs.json" in archive.namelist()) == (kind in ("", "system"))
    assert state["type"] == (kind or "system")
    assert state["polyscope_version"] == "5.25.0.0"
    assert state["robot_mode"] == "RUNNING"
    assert len(state["fields"]["actual_q"]) == 6


def test_support_file(folder, ask):
    """The archive holds the flight reports when a support file is generated."""
    assert ask("generate flight report wrong").startswith("Failed to execute")
    name = ask("generate support file cell").removeprefix("Completed successfully: ")
    assert re.fullmatch(r"ur_20\d+_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.zip", name)
    with zipfile.ZipFile(folder / "cell" / name) as archive:
        reports = archive.namelist()
        with zipfile.ZipFile(io.BytesIO(archive.read(reports[-1]))) as report:
            assert "wait_program.urp" in json.loads(report.read("programs.json"))
    assert len(reports) == len(list((folder / "flightreports").iterdir()))


@pytest.mark.parametrize("place", ["..", "/etc", "nowhere", "wait_program.urp"])
def test_support_file_stays_inside(folder, ask, place):
    """Nothing is written when a support file shall go outside the folder or into no folder."""
    before = sorted(folder.parent.rglob("*"))
    assert ask(f"generate support file {place}").startswith("Failed to execute")
    assert sorted(folder.parent.rglob("*")) == before


def test_operational_mode(ask):
    """Only manual and automatic are accepted when the operational mode is set."""
    assert ask("set operational mode AUTOMATIC") == "Operational mode 'AUTOMATIC' is set"
    assert ask("get operational mode") == "AUTOMATIC"
    assert ask("set operational mode manual") == "Operational mode 'MANUAL' is set"
    assert ask("set operational mode fast") == "Failed setting operational mode: fast"
    assert ask("get operational mode") == "MANUAL"
    assert ask("clear operational mode").startswith("No longer controlling the operational mode.")
    assert ask("get operational mode") == "NONE"


def test_protective_stop(running, ask):
    """A protective stop ends over the dashboard, and its popup, when it has lasted long enough."""
    running.call(running.controller.protective_stop, "of the test")
    assert ask("popup stopped", "safetystatus") == "Safetystatus: PROTECTIVE_STOP"
    done = "Protective stop releasing"
    wait_until(lambda: ask("unlock protective stop") == done)
    assert ask("safetymode") == "Safetymode: NORMAL"
    assert running.controller.panel.popup == ""
    assert ask("close safety popup") == "closing safety popup"


def test_emergency_stop(running, ask):
    """The arm gets power again after the safety was restarted when the emergency stop was hit."""
    running.call(running.controller.panel.emergency_stop)
    assert ask("power on", "brake release", "robotmode") == "Robotmode: POWER_OFF"
    assert ask("restart safety") == "Restarting safety"
    assert ask("power on", "brake release", "robotmode") == "Robotmode: RUNNING"


def test_unexpected_command_leaves_the_connection(ask):
    """The next command is answered when one is not understood."""
    assert ask("brake_release") == 'could not understand: "brake_release"'
    assert ask("running now").startswith("could not understand")
    assert ask("ROBOTMODE") == "Robotmode: RUNNING"


@pytest.mark.parametrize(
    ("command", "old", "new"),
    [
        ("safetystatus", None, "5.4.0"), ("restart safety", "3.7.0", "5.1.0"),
        ("get operational mode", None, "5.6.0"), ("set operational mode manual", None, "5.0.0"),
        ("is in remote control", None, "5.6.0"), ("get serial number", "3.12.0", "5.6.0"),
        ("get robot model", "3.12.0", "5.6.0"), ("saveLog", "3.13.0", "5.8.0"),
        ("generate flight report system", "3.13.0", "5.8.0"), ("getUserRole", "3.1.0", None),
        ("version", None, "5.0.0"),
    ],
)  # fmt: skip
def test_versions(command, old, new):
    """A command is known from its first version on when controllers of both series are asked."""
    for first, before, newest in ((old, (3, 0), "3.15.8"), (new, (5, 0), "5.25.0")):
        assert knows(newest, command) == (first is not None)
        number = tuple(map(int, first.split(".")))[:2] if first else before
        if first:
            assert knows(first, command)
        if number > before:
            assert not knows(f"{number[0]}.{number[1] - 1}.0", command)


def knows(version, command):
    """Return whether a controller of a version understands a command."""
    controller = virtual_robot("ur5e", version=version).controller
    return not Dashboard(controller).answer(command).startswith("could not understand")


def test_user_roles():
    """Roles are set and reported on a CB3 controller when they exist."""
    dashboard = Dashboard(virtual_robot("ur5e", version="3.15.8").controller)
    for role in ("PROGRAMMER", "OPERATOR", "NONE", "LOCKED", "RESTRICTED"):
        assert dashboard.answer(f"setUserRole {role}") == f"Setting user role: {role}"
        assert dashboard.answer("getUserRole") == role
    assert dashboard.answer("setUserRole king") == "Failed setting user role: king"


EXTERNAL = """<URProgram name="e"><children><MainProgram runOnlyOnce="true"><children>
<Contributed originalName="Control" strategyClass="com.fzi.externalcontrol.impl.Node"/>
</children></MainProgram></children></URProgram>"""
SENT = """# HEADER_BEGIN
def greet():
  textmsg("hello from the driver")
end
# HEADER_END
greet()
sleep(100)
"""


@pytest.mark.parametrize("closes", [True, False])
def test_external_control(tmp_path, closes):
    """The driver's script runs in the place of the node when a program is played."""
    (tmp_path / "external_control.urp").write_bytes(gzip.compress(EXTERNAL.encode()))
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        links = []

        def serve():
            link, _ = server.accept()
            links.append(link)
            assert link.makefile("rb").readline() == b"request_program\n"
            link.sendall(SENT.encode())
            if closes:
                link.close()

        thread = threading.Thread(target=serve)
        thread.start()
        with running_robot("ur5e", programs=tmp_path, external_control=address) as running:
            answers = running.dashboard("load external_control.urp", "play", "programState")
            assert answers[1:] == ["Starting program", "PLAYING external_control.urp"]
            lines = running.controller.journal.lines
            wait_until(lambda: any("hello from the driver" in line.text for line in list(lines)))
        thread.join()
        for link in links:
            link.close()


def test_external_control_without_driver(tmp_path):
    """Playing fails, and the log says why, when no driver has a script."""
    (tmp_path / "external_control.urp").write_bytes(gzip.compress(EXTERNAL.encode()))
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    options = VirtualRobotOptions(programs=tmp_path, external_control=address)
    controller = virtual_robot("ur5e", options=options).controller
    dashboard = Dashboard(controller)
    assert dashboard.answer("load external_control.urp").startswith("Loading program")
    assert dashboard.answer("play") == "Failed to execute: play"
    assert "could not be reached" in controller.journal.text()
    with pytest.raises(InputError, match="write host and port"):
        VirtualRobotOptions(external_control="50002")


def test_local_control():
    """The robot says that it is not in remote control when it was built so."""
    robot = virtual_robot("ur5e", options=VirtualRobotOptions(remote_control=False))
    assert Dashboard(robot.controller).answer("is in remote control") == "false"


def test_no_folder():
    """A folder that does not exist is refused when a robot is built with it."""
    with pytest.raises(InputError, match="no folder of programs"):
        virtual_robot("ur5e", programs="/nonexistent/programs")


def test_shutdown():
    """The answer comes and every port is closed when a client shuts the robot down."""
    with running_robot("ur5e") as running:
        assert running.dashboard("power on", "shutdown") == ["Powering on", "Shutting down"]
        wait_until(lambda: running.robot.off)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((running.host, 29999), timeout=180)
