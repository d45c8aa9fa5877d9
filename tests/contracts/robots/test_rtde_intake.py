"""One client cannot hold up a virtual robot, however much it sends."""

import pytest

from armtwin.robots.ur_controller.ports.intake import MAX_WAITING, SLICE, Inbox, Intake

BUDGET, STEP = 10.0, 1.0


class Clock:
    """A clock that goes on when somebody works."""

    def __init__(self):
        """Start at zero."""
        self.now = 0.0

    def __call__(self):
        """Return the time."""
        return self.now


class Transport:
    """A connection that can be paused."""

    reading = True

    def pause_reading(self):
        """Read no more."""
        self.reading = False

    def resume_reading(self):
        """Read on."""
        self.reading = True

    def is_closing(self):
        """Stay open."""
        return False


@pytest.fixture
def clock():
    """A clock."""
    return Clock()


@pytest.fixture
def intake(clock):
    """An intake with time for ten steps a tick."""
    return Intake(BUDGET, clock)


def client(intake, clock, steps_a_slice=1):
    """Return a client's inbox, its transport and what has been worked on."""
    done, transport = [], Transport()

    def work(data):
        for _ in range(steps_a_slice):
            clock.now += STEP
            yield
        done.append(data)

    return Inbox(intake, work, transport), transport, done


def test_little_is_worked_on_at_once(intake, clock):
    """No tick is needed when a client sends little."""
    inbox, _, done = client(intake, clock)
    inbox.feed(b"hello")
    assert done == [b"hello"]


def test_much_waits_for_the_next_tick(intake, clock):
    """No tick works longer than its time and one step when a client sends much."""
    inbox, transport, done = client(intake, clock, steps_a_slice=7)
    data = bytes(range(256)) * 800
    inbox.feed(data)
    assert clock.now <= BUDGET + STEP
    assert not transport.reading
    ticks = 0
    while len(b"".join(done)) < len(data):
        before = clock.now
        intake.refill()
        assert clock.now - before <= BUDGET + STEP
        ticks += 1
    assert ticks > 50
    assert b"".join(done) == data
    assert transport.reading
    assert max(map(len, done)) <= SLICE


def test_clients_take_turns(intake, clock):
    """A client is answered in the next tick when another one has sent much."""
    flood, _, _ = client(intake, clock)
    flood.feed(bytes(MAX_WAITING))
    quiet, _, done = client(intake, clock)
    quiet.feed(b"stop")
    assert not done
    intake.refill()
    assert done == [b"stop"]


def test_what_came_before_the_end_is_worked_on(intake, clock):
    """All is worked on, then the client leaves, when it sends much and goes away."""
    inbox, _, done = client(intake, clock)
    inbox.feed(bytes(20 * SLICE))
    left = []
    inbox.finish(lambda: left.append(len(done)))
    assert not left
    for _ in range(10):
        intake.refill()
    assert left == [20]


def test_dropped_client_is_forgotten(intake, clock):
    """Nothing more is worked on when a client has been dropped."""
    inbox, _, done = client(intake, clock)
    inbox.feed(bytes(20 * SLICE))
    inbox.close()
    count = len(done)
    for _ in range(5):
        intake.refill()
    inbox.feed(b"more")
    assert len(done) == count


def test_long_steps_are_paid_back(intake, clock):
    """Other work gets its share of time when every step takes longer than a tick's budget."""

    def work(data):
        while True:
            clock.now += 4 * BUDGET
            yield

    Inbox(intake, work, Transport()).feed(b"x")
    ticks = 400
    before = clock.now
    for _ in range(ticks):
        intake.refill()
    assert (clock.now - before) / ticks <= 1.02 * BUDGET


def test_late_ticks_bring_their_budgets(intake, clock):
    """As much is worked on as in single ticks when several late ticks come at once."""
    data = bytes(40 * SLICE)
    single, _, done = client(intake, clock)
    single.feed(data)
    for _ in range(6):
        intake.refill()
    other = Intake(BUDGET, clock)
    late, _, done_late = client(other, clock)
    late.feed(data)
    other.refill(6)
    assert abs(len(done_late) - len(done)) <= 2 < len(done_late)


def test_unused_time_of_late_ticks_lapses(intake, clock):
    """One tick's time at most is spent before the next cycle when late ticks found nothing."""
    intake.refill(8)
    inbox, _, done = client(intake, clock)
    inbox.feed(bytes(40 * SLICE))
    assert BUDGET <= clock.now <= BUDGET + STEP
    assert done
