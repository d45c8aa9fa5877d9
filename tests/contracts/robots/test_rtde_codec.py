"""RTDE on the wire: what is packed is unpacked, and nonsense is an error with a name."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armtwin.errors import InputError, ProtocolError, RefusedError
from armtwin.robots.ur.protocol import codec
from armtwin.robots.ur.protocol.codec import Framer, Level, TextMessage, Type
from armtwin.robots.ur.protocol.fields import INPUTS, KINDS, OUTPUTS, is_known, known_outputs
from armtwin.robots.ur.protocol.recipe import Recipe, accepted
from armtwin.robots.ur_controller.state.registers import Registers

PACKETS = st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=300)), max_size=8)


def cut(data, places):
    """Return data in pieces."""
    edges = sorted({0, len(data), *(p % (len(data) + 1) for p in places)})
    return [data[a:b] for a, b in zip(edges, edges[1:], strict=False)]


@given(PACKETS, st.lists(st.integers(0, 10**6), max_size=20))
def test_framing_survives_any_cut(packets, places):
    """The same packets come out when the stream is cut anywhere."""
    data = b"".join(codec.packet(kind, payload) for kind, payload in packets)
    framer = Framer()
    found = [p for piece in cut(data, places) for p in framer.feed(piece)]
    assert found == packets
    assert framer.waiting == 0


@settings(max_examples=300)
@given(st.lists(st.binary(max_size=200), max_size=30))
def test_framing_of_anything(pieces):
    """Packets or a ProtocolError come out, and little is kept, when any bytes come in."""
    framer = Framer()
    try:
        for piece in pieces:
            list(framer.feed(piece))
    except ProtocolError as error:
        assert "the least is 3" in str(error)
    assert framer.waiting <= codec.LARGEST


def test_giant_packet():
    """A packet of more than 65,535 bytes is refused when it is made."""
    with pytest.raises(ProtocolError, match="65535"):
        codec.packet(Type.DATA, bytes(70_000))


READERS = [
    lambda data: codec.read_setup_outputs(data, 1),
    lambda data: codec.read_setup_outputs(data, 2),
    codec.read_names,
    lambda data: codec.read_setup_answer(data, numbered=True),
    lambda data: codec.read_setup_answer(data, numbered=False),
    codec.read_accepted,
    codec.read_protocol_request,
    codec.read_controller_version,
    lambda data: codec.read_text(data, 1),
    lambda data: codec.read_text(data, 2),
]


@settings(max_examples=300)
@given(st.binary(max_size=300), st.sampled_from(READERS))
def test_messages_of_anything(data, read):
    """A message or a ProtocolError comes out when any payload is read."""
    try:
        read(data)
    except ProtocolError as error:
        assert str(error)


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(Level))
def test_text_messages(message, source, level):
    """A text message is the same when it has been packed and read."""
    said = TextMessage(message, source, level)
    assert codec.read_text(codec.text(said, 2), 2) == said
    assert codec.read_text(codec.text(said, 1), 1) == TextMessage(message, "", level)


def test_text_too_long():
    """A text message is cut when it is longer than 255 bytes."""
    heard = codec.read_text(codec.text(TextMessage("x" * 1000, "y" * 300), 2), 2)
    assert heard == TextMessage("x" * 255, "y" * 255)


@pytest.mark.parametrize("protocol", [1, 2])
def test_setup_of_outputs(protocol):
    """Frequency and names are the same when a setup has been packed and read."""
    payload = codec.named_setup(["timestamp", "actual_q"], 125.0, protocol)
    frequency, names = codec.read_setup_outputs(payload, protocol)
    assert names == ["timestamp", "actual_q"]
    assert frequency == (125.0 if protocol == 2 else None)


def test_trailing_comma():
    """Empty names do not count when a list ends in a comma, as ur_rtde's do."""
    assert codec.read_names(b"timestamp,actual_q,") == ["timestamp", "actual_q"]


def test_controller_version():
    """A version is the same when packed and read, also without the build of old controllers."""
    payload = codec.controller_version((5, 25, 1, 12345))
    assert len(payload) == 16
    assert codec.read_controller_version(payload) == (5, 25, 1, 12345)
    assert codec.read_controller_version(payload[:12]) == (5, 25, 1, 0)


def test_kinds_have_the_protocols_sizes():
    """Every type has the length that the protocol gives it when its size is asked for."""
    sizes = {kind.name: kind.size for kind in KINDS.values()}
    assert sizes == {
        "BOOL": 1, "UINT8": 1, "UINT32": 4, "UINT64": 8, "INT32": 4, "DOUBLE": 8, "VECTOR3D": 24,
        "VECTOR6D": 48, "VECTOR6INT32": 24, "VECTOR6UINT32": 24,
    }  # fmt: skip


def test_all_fields_are_there():
    """The published number of fields of every type exists when registers are left aside."""
    plain = [kind.name for name, kind in OUTPUTS.items() if "_register" not in name]
    counts = {kind: plain.count(kind) for kind in set(plain)}
    assert counts == {
        "DOUBLE": 26, "VECTOR6D": 26, "UINT64": 5, "INT32": 7, "VECTOR6INT32": 1, "VECTOR3D": 5,
        "UINT32": 9, "UINT8": 5,
    }  # fmt: skip
    assert OUTPUTS["output_bit_register_127"].name == "BOOL"
    assert INPUTS["input_double_register_47"].name == "DOUBLE"


def test_fields_by_version():
    """Newer fields are not known when the controller is older than they."""
    assert "payload" not in known_outputs((5, 4, 0, 0))
    assert "payload" in known_outputs((5, 6, 0, 0))
    assert "payload" in known_outputs((3, 15, 8, 0))
    assert "payload" not in known_outputs((3, 14, 0, 0))
    assert "ft_raw_wrench" not in known_outputs((3, 15, 8, 0))
    assert "ft_raw_wrench" in known_outputs((10, 7, 0, 0))
    assert not is_known("actual_current_as_torque", (5, 22, 3, 0))
    assert is_known("actual_current_as_torque", (5, 23, 0, 0))


def example_values():
    """Return a value for one field of every type."""
    return {
        "timestamp": 41.5, "actual_q": [1.0, -2.0, 3.0, -4.0, 5.0, -6.0], "robot_mode": -1,
        "runtime_state": 2**32 - 1, "control_step": 2**64 - 1, "tool_output_mode": 255,
        "payload_cog": [0.1, 0.2, 0.3], "joint_mode": [253, -1, 2, 3, 4, 5],
        "output_bit_register_64": True,
    }  # fmt: skip


def test_recipe_packs_and_reads():
    """All values are the same when a recipe has packed and read them."""
    values = example_values()
    recipe = Recipe(3, list(values), [OUTPUTS[name] for name in values])
    payload = recipe.payload(values)
    assert payload[0] == 3
    row = recipe.rows(recipe.values(payload))[0]
    for name, value in values.items():
        np.testing.assert_array_equal(row[name], value)
    layout = ">d6diIQB3d6i?"
    assert recipe.flat(recipe.values(payload)) == struct.unpack(layout, payload[1:])


def test_registers_send_what_recipes_read():
    """A gathered packet holds the published values when registers of every type are set."""
    values, registers = example_values(), Registers()
    recipe = Recipe(1, list(values), [OUTPUTS[name] for name in values])
    gather = registers.gather(recipe)
    for name, value in values.items():
        registers[name] = value
    assert not np.frombuffer(gather.packet()[4:], np.uint8).any()
    registers.publish()
    packet = gather.packet()
    assert packet == codec.packet(Type.DATA, recipe.payload(values))


@pytest.mark.parametrize("change", [b"", b"xx"])
def test_surplus_bytes_do_not_count(change):
    """Values are read all the same when a packet is longer than its recipe."""
    recipe = Recipe(1, ["timestamp"], [OUTPUTS["timestamp"]])
    payload = recipe.payload({"timestamp": 2.0}) + change
    assert recipe.flat(recipe.values(payload)) == (2.0,)


def test_short_and_foreign_packets_are_refused():
    """A ProtocolError names sizes or numbers when a packet does not fit its recipe."""
    recipe = Recipe(1, ["timestamp"], [OUTPUTS["timestamp"]])
    with pytest.raises(ProtocolError, match="needs 9"):
        recipe.values(b"\x01\0\0")
    with pytest.raises(ProtocolError, match="recipe 2, not 1"):
        recipe.values(b"\x02" + bytes(8))


@pytest.mark.parametrize(
    ("values", "message"),
    [({}, "no value"), ({"robot_mode": [1, 2]}, "1 numbers"), ({"robot_mode": 2**40}, "fit")],
)
def test_values_that_do_not_fit(values, message):
    """An InputError says what is wrong when values do not fit their recipe."""
    recipe = Recipe(1, ["robot_mode"], [OUTPUTS["robot_mode"]])
    with pytest.raises(InputError, match=message):
        recipe.payload(values)


def test_refused_fields_are_named():
    """A RefusedError names the fields when the controller does not know or give them."""
    with pytest.raises(RefusedError, match="nonsense: not known") as caught:
        accepted(0, ["timestamp", "nonsense"], ["DOUBLE", "NOT_FOUND"])
    assert caught.value.names == ("nonsense",)
    with pytest.raises(RefusedError, match="another client"):
        accepted(0, ["speed_slider_mask"], ["IN_USE"])
    with pytest.raises(RefusedError, match="refused the recipe"):
        accepted(0, ["timestamp"], ["DOUBLE"])
    with pytest.raises(ProtocolError, match="1 types answer 2"):
        accepted(1, ["timestamp", "actual_q"], ["DOUBLE"])
    with pytest.raises(ProtocolError, match="VECTOR9D"):
        accepted(1, ["timestamp"], ["VECTOR9D"])
