"""PolyScope programs: what their nodes become, what they do, and how others are refused."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armtwin.errors import InputError
from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.programs.urp import LARGEST, urp_script
from armtwin.robots.ur_controller.script import ScriptProgram
from armtwin.robots.ur_controller.script_programs import run_script


def characters(text):
    """Return an expression as PolyScope keeps it."""
    escaped = {'"': "&quot;", "<": "&lt;", "&": "&amp;"}
    cells = (f'<ExpressionChar character="{escaped.get(c, c)}"/>' for c in text)
    return f"<expression>{''.join(cells)}</expression>"


def packed(nodes, once="true", before=""):
    """Return a program of some nodes as a file."""
    xml = (
        f'<URProgram name="p"><kinematics/><children><InitVariablesNode/>{before}'
        f'<MainProgram runOnlyOnce="{once}"><children>{nodes}</children></MainProgram>'
        "</children></URProgram>"
    )
    return gzip.compress(xml.encode(), mtime=0)


def lines(nodes, **options):
    """Return the lines between the first and the last of a translated program."""
    text = urp_script(packed(nodes, **options), "p")
    return [line.removeprefix("  ") for line in text.splitlines()[1:-1]]


VARIABLE = '<variable name="n"><initializeExpression/></variable>'
SAME = '<variable reference="../../Assignment/variable"/>'
WAYPOINT = '<Waypoint type="Fixed" name="W">{}<position>{}</position></Waypoint>'
ANGLES = '<JointAngles angles="0, -1.5, 1.5, -1.5, -1.5, 0.1"/>'
Q = "[0.0, -1.5, 1.5, -1.5, -1.5, 0.1]"
SLOW = '<motionParameters cartesianSpeed="0.1" blendRadius="0.02"/>'
PIN = '<pin referencedName="{}"/>'


def move(kind, children, extra=""):
    """Return a move node."""
    start = f'<Move motionType="{kind}" speed="0.5" acceleration="1.2" useActiveTCP="true" {extra}>'
    return f"{start}<children>{children}</children></Move>"


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ('<Wait type="Sleep"><waitTime>0.5</waitTime></Wait>', ["sleep(0.5)"]),
        (f'<Wait type="Condition">{characters("n≥2")}</Wait>',
         ["while not (n >= 2):", "  sync()", "end"]),
        (f'<Wait type="DigitalInput">{PIN.format("digital_in[2]")}<digitalValue>1</digitalValue>'
         "</Wait>", ["while not (get_standard_digital_in(2) == True):", "  sync()", "end"]),
        (f'<Wait type="AnalogInput">{PIN.format("analog_in[1]")}<analogComparison>1'
         "</analogComparison><analogValue>4.0</analogValue></Wait>",
         ["while not (get_standard_analog_in(1) > 4.0):", "  sync()", "end"]),
        (f'<Set type="DigitalOutput">{PIN.format("digital_out[3]")}<digitalValue>0</digitalValue>'
         "</Set>", ["set_standard_digital_out(3, False)"]),
        ('<Set type="NoAction"/><Comment comment="a&#10;b"/><Halt/>', ["# a b", "halt"]),
        ('<Popup type="Warning" haltProgram="true" message="say &quot;x&quot;"/>',
         ["popup(\"say 'x'\", title=\"Warning\", warning=True, error=False, blocking=True)",
          "halt"]),
        (f'<Script type="Line">{characters("set_tcp(p[0,0,0,0,0,0])")}</Script>',
         ["set_tcp(p[0,0,0,0,0,0])"]),
        ('<Script type="File"><cachedContents>sync()\nsync()</cachedContents></Script>',
         ["sync()", "sync()"]),
        (f'<Assignment valueSource="Expression">{VARIABLE}{characters("1")}</Assignment>'
         f'<Assignment valueSource="Expression">{SAME}{characters("n + 1")}</Assignment>',
         ["global n = 1", "global n = n + 1"]),
        (f'<If type="If">{characters("n≟1")}<children><Halt/></children></If>'
         f'<If type="ElseIf">{characters("n>1")}<children><Halt/></children></If>'
         '<If type="Else"><children><Halt/></children></If><Halt/>',
         ["if n == 1:", "  halt", "elif n>1:", "  halt", "else:", "  halt", "end", "halt"]),
        (f'<If type="If">{characters("True")}<children><Halt/></children></If>',
         ["if True:", "  halt", "end"]),
        ('<Loop type="Always"><children><Halt/></children></Loop>',
         ["while True:", "  halt", "  sync()", "end"]),
        (f'<Loop type="Counting" count="2">{VARIABLE}<children><Halt/></children></Loop>',
         ["global n = 0", "while n < 2:", "  halt", "  sync()", "  n = n + 1", "end"]),
        ('<Folder name="f"><children><Halt/></children></Folder>', ["halt"]),
        ('<CallSubProgram><subprogram name="do it"><children><Halt/></children></subprogram>'
         '</CallSubProgram><CallSubProgram>'
         '<subprogram reference="../../CallSubProgram/subprogram"/></CallSubProgram>',
          ["def do_it():", "  halt", "end", "do_it()", "do_it()"]),
        (move("MoveJ", WAYPOINT.format("", ANGLES)), [f"movej({Q}, a=1.2, v=0.5, r=0.0)"]),
        (move("MoveL", WAYPOINT.format(SLOW, ANGLES)), [f"movel({Q}, a=1.2, v=0.1, r=0.02)"]),
        (move("MoveP", WAYPOINT.format("", ANGLES), 'blendRadius="0.01"'),
         [f"movep({Q}, a=1.2, v=0.5, r=0.01)"]),
        (move("MoveJ", '<Waypoint name="W"><position joints="0,0,0,0,0,1"/></Waypoint>'),
         ["movej([0.0, 0.0, 0.0, 0.0, 0.0, 1.0], a=1.2, v=0.5, r=0.0)"]),
        (f'<Assignment valueSource="Expression">{VARIABLE}{characters("p[1,0,0,0,0,0]")}'
         "</Assignment>" + move("MoveL", '<Waypoint type="Variable" name="W"><variable reference='
                '"../../../../Assignment/variable"/></Waypoint>'),
         ["global n = p[1,0,0,0,0,0]", "movel(n, a=1.2, v=0.5, r=0.0)"]),
    ],
)  # fmt: skip
def test_nodes(nodes, expected):
    """A node becomes the lines that PolyScope would run when it can be read."""
    assert lines(nodes) == expected
    ScriptProgram.load("n = 1\n" + "\n".join(expected) + "\n")


def test_main_program_repeats():
    """The main program is repeated, after what comes before it, when it does not run only once."""
    before = '<SpecialSequence type="BeforeStart"><children><Halt/></children></SpecialSequence>'
    found = lines('<Wait type="Sleep"><waitTime>1</waitTime></Wait>', once="false", before=before)
    assert found == ["halt", "while True:", "  sleep(1.0)", "  sync()", "end"]


@pytest.mark.parametrize(
    ("nodes", "reason"),
    [
        ('<Contributed originalName="Gripper"/>', "the node 'Contributed' Gripper cannot be read"),
        ("<Palletizing/>", "'Palletizing'"),
        ('<Set type="AnalogOutput"/>', "'Set'.*'AnalogOutput'"),
        ('<Assignment valueSource="Operator"/>', "'Assignment'.*'Operator'"),
        (move("MoveC", ""), "'MoveC'"),
        (move("MoveJ", '<Waypoint type="Relative" name="W"/>'), "'W'.*'Relative'"),
        (move("MoveJ", '<Waypoint type="Fixed" name="W"/>'), "'W' has no position"),
        (move("MoveJ", WAYPOINT.format("", '<JointAngles angles="1,2"/>')), "instead of 6"),
        (move("MoveJ", WAYPOINT.format("", '<JointAngles angles="1,2,3,4,5,nan"/>')), "no number"),
        (move("MoveJ", WAYPOINT.format('<motionParameters time="2"/>', ANGLES)), "'time'.*'W'"),
        (move("MoveL", WAYPOINT.format("<children><Until/></children>", ANGLES)), "'children'"),
        ('<Wait type="Sleep"/>', "the time is None"),
        ('<Loop type="Counting"><variable name="1x"/></Loop>', "'1x' is no name"),
        ('<Loop type="Counting"><variable name="x"/></Loop>', "the count is None"),
        ('<If type="Else"/>', "without an 'If'"),
        (f'<If type="If">{characters("True")}<otherwise/></If>', "'otherwise' of a node 'If'"),
        ('<Loop type="Always" checkContinuously="true"/>', "'checkContinuously'"),
        ('<Assignment valueSource="Expression"><variable reference="../../nowhere"/></Assignment>',
         "leads nowhere"),
        ("<Folder><children>" * 60 + "</children></Folder>" * 60, "nested"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(nodes, reason):
    """The node is named when it cannot be read; nothing of the program is run."""
    with pytest.raises(InputError, match=reason):
        urp_script(packed(nodes), "p")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no XML"),
        (b"<URProgram/>", "not gzipped"),
        (gzip.compress(b"no xml", mtime=0), "no XML"),
        (gzip.compress(b"<Other/>", mtime=0), "'Other' instead of 'URProgram'"),
        (gzip.compress(b"<URProgram/>", mtime=0), "one 'MainProgram'"),
        (gzip.compress(b'<!DOCTYPE x [<!ENTITY a "b">]><URProgram/>', mtime=0), "document type"),
        (gzip.compress(b" " * (LARGEST + 1), mtime=0), "MiB when unpacked"),
        (gzip.compress(b"<URProgram/>", mtime=0)[:-9], "not gzipped"),
    ],
)
def test_no_program(data, reason):
    """The file is refused with the reason when it is no PolyScope program."""
    with pytest.raises(InputError, match=reason):
        urp_script(data, "p")


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200), st.booleans())
def test_any_bytes(data, zipped):
    """Only an InputError is raised when any bytes are read as a program."""
    with pytest.raises(InputError):
        urp_script(gzip.compress(data, mtime=0) if zipped else data, "p")


def test_program_moves_the_arm():
    """The arm visits the waypoints and outputs are set when a program is played."""
    nodes = (
        f'<Loop type="Counting" count="2">{VARIABLE}<children>'
        + move("MoveJ", WAYPOINT.format("", ANGLES)).replace('speed="0.5"', 'speed="3"')
        + '<Set type="DigitalOutput"><pin referencedName="digital_out[4]"/>'
        "<digitalValue>1</digitalValue></Set></children></Loop>"
    )
    controller = virtual_robot("ur5e").controller
    run_script(controller, urp_script(packed(nodes), "p"))
    for _ in range(20000):
        controller.cycle()
        if not controller.modes.program_running:
            break
    assert not controller.modes.program_running
    assert np.allclose(controller.body.q, [0, -1.5, 1.5, -1.5, -1.5, 0.1], atol=1e-9)
    assert controller.registers.number("actual_digital_output_bits") == 1 << 4
