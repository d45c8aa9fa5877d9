"""Frames, answers and repeats of the servo board's line, without a board."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armtwin.errors import ArmTwinError, InputError, LinkError, ProtocolError, RefusedError
from armtwin.robots.servo.board import ANSWER, Board
from armtwin.robots.servo.line import SerialLine
from armtwin.robots.servo.messages import AxisConfig, BoardCommand, BoardConfig, BoardStatus
from armtwin.robots.servo.serial_frames import (
    END,
    MAX_BYTES,
    START,
    FrameReader,
    SerialFrame,
    crc16,
)

PHONE = {*range(0, 28), *range(48, 58), *range(65, 91), *range(102, 250)}
FRAMES = st.builds(
    SerialFrame, st.integers(0, 255), st.integers(0, 255), st.binary(max_size=MAX_BYTES - 4)
)
STATUS = struct.pack("<5B2H6H", 1, 0, 5, 3, 2, 0xBEEF, 7, *range(3000, 3006))


def test_checksum_is_the_published_one():
    """The CRC is 0x29B1 when it is taken of 123456789, as for every CRC-16/CCITT-FALSE."""
    assert crc16(b"123456789") == 0x29B1


@given(FRAMES)
def test_frames_come_back(frame):
    """A frame is read as it was written when all of its characters arrive."""
    assert FrameReader().feed(frame.encode()) == [frame]


@given(FRAMES)
def test_no_part_of_a_frame_speaks_to_a_phone(frame):
    """No character has a meaning in a phone dialect when a frame is taken apart."""
    assert not set(frame.encode()) & PHONE


@given(FRAMES, st.data())
def test_a_flipped_bit_is_noticed(frame, data):
    """No frame is read when one bit between its ends is wrong."""
    text = bytearray(frame.encode())
    place = data.draw(st.integers(1, len(text) - 2))
    text[place] ^= 1 << data.draw(st.integers(0, 7))
    assert FrameReader().feed(bytes(text)) == []


@given(st.binary(max_size=600), FRAMES)
def test_rubbish_does_not_hide_a_frame(rubbish, frame):
    """A frame is read, and little is kept, when anything at all came before."""
    reader = FrameReader()
    reader.feed(rubbish)
    assert len(reader._halves or b"") <= 2 * MAX_BYTES
    assert reader.feed(frame.encode())[-1] == frame


@given(st.lists(FRAMES, max_size=5), st.integers(1, 7))
def test_pieces_make_frames(frames, size):
    """Frames are read in order when they come in pieces."""
    text = b"".join(frame.encode() for frame in frames)
    reader = FrameReader()
    parts = [text[n : n + size] for n in range(0, len(text), size)]
    assert [frame for part in parts for frame in reader.feed(part)] == frames


class ScriptedLine:
    """A line whose other end answers each question as a function says."""

    name = "scripted"

    def __init__(self, answer):
        self.answer = answer
        self.waiting = b""
        self.asked = []

    def write(self, data):
        """Take a question and think of the answer."""
        (question,) = FrameReader().feed(data)
        self.asked.append(question)
        self.waiting += self.answer(question, len(self.asked))

    def read(self, seconds):
        """Return the answer."""
        data, self.waiting = self.waiting, b""
        return data

    def close(self):
        """Do nothing."""


def board(answer, **options):
    """Return a board with a scripted line."""
    return Board(ScriptedLine(answer), timeout=0.01, **options)


def reply(question, payload=b"\0"):
    """Return the answer to a question."""
    return SerialFrame(question.number, question.command | ANSWER, payload).encode()


def test_a_lost_answer_is_asked_again():
    """The same numbered question is asked again when the answers are lost, late or of others."""

    def answer(question, time):
        other = SerialFrame(question.number ^ 1, question.command | ANSWER, b"\0").encode()
        return [b"", other, reply(question)[:-1], b"noise" + reply(question)][time - 1]

    host = board(answer)
    host.stop()
    assert len(set(host.line.asked)) == 1
    assert (len(host.line.asked), host.repeats) == (4, 3)


def test_silence_is_an_error():
    """The error says how often it was tried when nobody answers."""
    host = board(lambda question, time: b"", attempts=3)
    with pytest.raises(LinkError, match="no answer to STATUS in 3 attempts"):
        host.status()


@pytest.mark.parametrize("payload", [b"", b"\0", b"\0" + STATUS[:-1], b"\0" + STATUS + b"x"])
def test_answers_of_the_wrong_size(payload):
    """A protocol error comes when an answer is too short or too long."""
    with pytest.raises(ProtocolError):
        board(lambda question, time: reply(question, payload)).status()


@pytest.mark.parametrize("result", [1, 2, 3, 4, 5, 6, 7, 99])
def test_refusals_say_why(result):
    """A refusal with a reason comes when the board says no."""
    host = board(lambda question, time: reply(question, bytes([result])))
    with pytest.raises(RefusedError, match="the board refuses SAVE: .{10}"):
        host.save()


def test_another_version_is_refused():
    """The versions are named when another firmware answers."""
    with pytest.raises(ProtocolError, match="version 9 with 6 axes"):
        board(lambda question, time: reply(question, bytes([0, 9, 6, 50]))).hello()


@given(st.binary(max_size=28))
def test_any_answer_is_survived(payload):
    """A value or an error of armtwin comes when the board answers anything at all."""
    host = board(lambda question, time: reply(question, payload), attempts=1)
    for ask in (
        host.status,
        host.hello,
        host.save,
        lambda: host.step(0),
        lambda: host.move([0] * 6),
    ):
        try:
            ask()
        except ArmTwinError:
            continue


def test_status_is_read():
    """Every field is in its place when a status is decoded."""
    got = BoardStatus.decode(STATUS)
    assert (got.mode.name, got.switched_on, got.writing, got.phones) == ("MOVING", 1, 0, 1)
    assert (got.steps, got.step, got.config_check, got.bad_frames) == (3, 2, 0xBEEF, 7)
    assert got.position == tuple(range(3000, 3006))


def test_unknown_modes_are_refused():
    """A protocol error comes when the board is in a mode that nobody knows."""
    with pytest.raises(ProtocolError, match="not understood"):
        BoardStatus.decode(b"\x63" + STATUS[1:])


@pytest.mark.parametrize(
    "wrong",
    [(900, 4000, 1, 2, 3000, 500), (2000, 5001, 1, 2, 3000, 500), (3000, 3000, 1, 2, 3000, 500),
     (4000, 2000, 1, 2, 3000, 500), (2000, 4000, 1, 2, 4001, 500), (2000, 4000, 2, 2, 3000, 500),
     (2000, 4000, 1, 2, 3000, 49), (2000, 4000, 1, 2, 3000, 70000), (2000, 4000, -1, 2, 3000, 99)],
)  # fmt: skip
def test_wrong_axes_are_refused(wrong):
    """An input error comes when an axis has values that the board cannot drive."""
    with pytest.raises(InputError):
        AxisConfig(*wrong)


def test_configuration_is_given_once():
    """Nothing is written when the board has the same configuration already."""
    same = BoardConfig((AxisConfig(2000, 4000, 1000, 5000, 3000, 500),) * 6)
    status = struct.pack("<5B2H6H", 0, 0, 0, 0, 0, same.check, 0, *[3000] * 6)
    host = board(lambda question, time: reply(question, b"\0" + status))
    assert host.configure(same) is False
    assert [frame.command for frame in host.line.asked] == [BoardCommand.STATUS]


def test_frames_hold_what_fits():
    """An input error comes when a frame would be too long or its numbers too large."""
    for wrong in ((256, 1, b""), (1, -1, b""), (1, 1, bytes(MAX_BYTES - 3))):
        with pytest.raises(InputError):
            SerialFrame(*wrong)
    assert len(SerialFrame(1, 1, bytes(MAX_BYTES - 4)).encode()) == 2 * MAX_BYTES + 2
    assert (START, END) == (0xFA, 0xFB)


def test_missing_port_is_named(tmp_path):
    """The error names the port when there is none."""
    with pytest.raises(LinkError, match=r"nothing_here.* cannot be opened"):
        SerialLine(str(tmp_path / "nothing_here"))
