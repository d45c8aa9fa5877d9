"""A program that a client controls over sockets, in the manner of external control.

The robot connects to the client, which sends eight integers per cycle: a timeout [ms], six values
times 1e6 and a mode. Threads carry out the mode; a missed message ends the program.
"""

import struct

import pytest

from armtwin.robots.ur_controller.script import motions as m
from armtwin.robots.ur_controller.script.fake import FakeHost, FakeSockets, run_cycles
from armtwin.robots.ur_controller.script.program import ScriptProgram, State

PROGRAM = """
def reverse_control():
  steptime = get_steptime()
  MULT = 1000000
  MODE_STOPPED = -2
  MODE_IDLE = 0
  MODE_SERVO = 1
  MODE_SPEED = 2
  MODE_FORWARD = 3
  global control_mode = MODE_IDLE
  global target = get_actual_joint_positions()
  global last_target = target
  global fresh = False
  global speeds = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
  global points_left = 0
  global missed = 0
  thread_move = 0
  thread_points = 0

  def too_fast(from_q, to_q):
    local k = 0
    while k < 6:
      local speed = norm(to_q[k] - from_q[k]) / steptime
      if speed > 20.0:
        textmsg(str_cat(
          str_cat("joint ", k), str_cat(" would need ",
            str_cat(speed, " rad/s"))))
        return True
      end
      k = k + 1
    end
    return False
  end

  def set_target(q):
    if not too_fast(target, q):
      last_target = target
      target = q
      fresh = True
    end
  end

  thread servo_thread():
    while control_mode == MODE_SERVO:
      enter_critical
      if not fresh:
        missed = missed + 1
        step = target - last_target
        last_target = target
        target = target + step
      end
      fresh = False
      q = target
      servoj(q, t=steptime, lookahead_time=0.03, gain=2000)
      exit_critical
    end
    stopj(4.0)
  end

  thread speed_thread():
    while control_mode == MODE_SPEED:
      qd = speeds
      speedj(qd, 40.0, steptime)
    end
    stopj(4.0)
  end

  thread points_thread():
    while points_left > 0:
      local raw = socket_read_binary_integer(7, "points", 0.5)
      points_left = points_left - 1
      if raw[0] > 0:
        q = [raw[1], raw[2], raw[3], raw[4], raw[5], raw[6]] / MULT
        movej(q, a=1.4, v=1.05, t=raw[7] / 1000)
      else:
        points_left = 0
      end
    end
    socket_send_int(0, "points")
  end

  if not (socket_open("127.0.0.1", 50001, "reverse") and
      socket_open("127.0.0.1", 50003, "points")):
    popup("no connection", error=True, blocking=True)
    halt
  end
  textmsg("connected")
  timeout = 0.0
  while control_mode > MODE_STOPPED:
    enter_critical
    message = socket_read_binary_integer(8, "reverse", timeout)
    if message[0] > 0:
      timeout = message[1] / 1000.0
      if control_mode != message[8]:
        control_mode = message[8]
        kill thread_points
        join thread_move
        if control_mode == MODE_SERVO:
          target = get_actual_joint_positions()
          last_target = target
          thread_move = run servo_thread()
        elif control_mode == MODE_SPEED:
          thread_move = run speed_thread()
        elif control_mode == MODE_FORWARD:
          points_left = message[2]
          thread_points = run points_thread()
        end
      end
      values = [message[2], message[3], message[4], message[5], message[6], message[7]] / MULT
      if control_mode == MODE_SERVO:
        set_target(values)
      elif control_mode == MODE_SPEED:
        speeds = values
      end
    else:
      textmsg("timed out")
      control_mode = MODE_STOPPED
    end
    exit_critical
  end
  join thread_move
  kill thread_points
  socket_close("reverse")
  socket_close("points")
end
"""
STOPPED, IDLE, SERVO, SPEED, FORWARD = -2, 0, 1, 2, 3


class Driver:
    """The client's side."""

    def __init__(self):
        self.host, self.sockets = FakeHost(), FakeSockets("reverse", "points")
        self.run = ScriptProgram.load(PROGRAM).start(self.host, self.sockets)
        self.cycle(2)

    def cycle(self, count=1):
        """Let cycles pass."""
        run_cycles(self.run, self.host, count)

    def send(self, mode, values, timeout=20):
        """Send a message."""
        whole = [round(1e6 * v) if mode != FORWARD else v for v in values]
        self.sockets.incoming["reverse"] += struct.pack(">8i", timeout, *whole, mode)

    def moved(self, kind):
        """Return the motions of a kind."""
        return [motion for motion in self.host.started if isinstance(motion, kind)]


@pytest.fixture
def driver():
    """Return a connected driver."""
    return Driver()


def test_connection(driver):
    """The program connects both sockets and waits without end for the first message."""
    assert [name for name, _, _ in driver.sockets.opened] == ["reverse", "points"]
    driver.cycle(3000)
    assert driver.run.state is State.RUNNING
    assert driver.host.messages == ["connected"]


def test_servo_follows_in_every_cycle(driver):
    """Each cycle has one servoj with the value sent in it, when a message comes per cycle."""
    start = driver.host.q
    for k in range(100):
        driver.send(SERVO, (start[0] + 0.001 * k, *start[1:]))
        driver.cycle()
    servos = driver.moved(m.ServoJoints)
    assert 98 <= len(servos) <= 100
    assert servos[-1].joints[0] == pytest.approx(start[0] + 0.099, abs=2e-3)
    assert driver.run.variable("missed") <= 1


def test_servo_extrapolates_when_a_message_is_missing(driver):
    """The target goes on at its speed when messages are missing for a few cycles."""
    start = driver.host.q
    for k in range(50):
        driver.send(SERVO, (start[0] + 0.001 * k, *start[1:]))
        driver.cycle()
    before = driver.moved(m.ServoJoints)[-1].joints[0]
    driver.cycle(5)
    after = driver.moved(m.ServoJoints)[-1].joints[0]
    assert after == pytest.approx(before + 0.005, abs=2e-3)


def test_a_jump_is_ignored(driver):
    """A target that is too far away is logged and ignored."""
    start = driver.host.q
    driver.send(SERVO, start)
    driver.cycle(2)
    driver.send(SERVO, (start[0] + 1.0, *start[1:]))
    driver.cycle(2)
    assert "joint 0 would need 500 rad/s" in driver.host.messages
    assert driver.moved(m.ServoJoints)[-1].joints[0] == pytest.approx(start[0])


def test_timeout_stops_the_program(driver):
    """The program stops the arm and ends when no message comes within the timeout."""
    driver.send(SPEED, (0.1, 0, 0, 0, 0, 0), timeout=20)
    driver.cycle(5)
    assert driver.moved(m.JointSpeedCommand)
    driver.cycle(30)
    assert driver.run.state is State.FINISHED, driver.run.error
    assert driver.host.messages[-1] == "timed out"
    assert isinstance(driver.host.started[-1], m.StopJoints)


def test_mode_changes(driver):
    """The old thread ends with stopj before the new one moves when the mode changes."""
    for _ in range(10):
        driver.send(SPEED, (0.1, 0, 0, 0, 0, 0))
        driver.cycle()
    for _ in range(10):
        driver.send(SERVO, driver.host.q)
        driver.cycle()
    kinds = [type(motion) for motion in driver.host.started]
    first_servo = kinds.index(m.ServoJoints)
    assert kinds[first_servo - 1] is m.StopJoints
    assert m.JointSpeedCommand not in kinds[first_servo:]


def test_points(driver):
    """Points are read and moved to, and the result is sent, when a trajectory is announced."""
    points = [(0.1 * k, -1.57, 1.57, -1.57, -1.57, 0.0) for k in range(1, 4)]
    for point in points:
        whole = [round(1e6 * v) for v in point]
        driver.sockets.incoming["points"] += struct.pack(">7i", *whole, 100)
    driver.send(FORWARD, (3, 0, 0, 0, 0, 0), timeout=5000)
    driver.cycle(160)
    moves = driver.moved(m.JointMoveCommand)
    assert [move.target.values for move in moves] == [pytest.approx(p) for p in points]
    assert all(move.seconds == pytest.approx(0.1) for move in moves)
    assert bytes(driver.sockets.sent["points"]) == struct.pack(">i", 0)


def test_points_are_given_up(driver):
    """The motion is given up when the mode changes in the middle of a trajectory."""
    whole = [round(1e6 * v) for v in (1.0, -1.57, 1.57, -1.57, -1.57, 0.0)]
    driver.sockets.incoming["points"] += struct.pack(">7i", *whole, 5000)
    driver.send(FORWARD, (1, 0, 0, 0, 0, 0), timeout=5000)
    driver.cycle(20)
    driver.send(IDLE, (0,) * 6, timeout=5000)
    driver.cycle(2)
    assert len(driver.host.cancelled) == 1
    assert driver.run.state is State.RUNNING
