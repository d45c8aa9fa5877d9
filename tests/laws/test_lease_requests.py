"""Requests of control: they last while their client is heard, and their number is bounded."""

import pytest

from armtwin.app.control.lease import EXPIRY, MAX_WAITING, REQUEST_EXPIRY, Lease, LeaseClient
from armtwin.errors import QueueFullError

ANNE, BERT, CARL = (LeaseClient(f"{name}-secret", name) for name in "abc")


class HeldLease(Lease):
    """A lease of Anne, at a time that the test sets."""

    def __init__(self):
        super().__init__(clock=lambda: self.now)
        self.now = 0.0
        self.take(ANNE)

    def pass_time(self, seconds, *heard):
        """Let time pass while Anne and some others send heartbeats."""
        for _ in range(10):
            self.now += seconds / 10
            for client in (ANNE, *heard):
                self.heartbeat(client.id)


def test_a_silent_client_waits_no_longer():
    """Control goes to the client that is heard when the one that asked first has gone."""
    lease = HeldLease()
    lease.request(BERT)
    lease.request(CARL)
    lease.pass_time(1.5 * REQUEST_EXPIRY, CARL)
    assert lease.waiting == (CARL,)
    lease.release(ANNE.id)
    assert lease.holder == CARL


def test_control_becomes_free_when_only_silent_clients_wait():
    """Nobody has control after a release when all who asked have gone."""
    lease = HeldLease()
    lease.request(BERT)
    lease.pass_time(1.5 * REQUEST_EXPIRY)
    lease.release(ANNE.id)
    assert lease.holder is None


def test_a_repeated_request_keeps_its_place():
    """A client stays first when it repeats its request instead of sending heartbeats."""
    lease = HeldLease()
    lease.request(BERT)
    lease.request(CARL)
    for _ in range(4):
        lease.pass_time(EXPIRY, CARL)
        lease.request(BERT)
    assert lease.waiting == (BERT, CARL)


def test_a_full_list_refuses_until_requests_expire():
    """A further client is told so when the list is full, and gets in when the others have gone."""
    lease = HeldLease()
    for number in range(MAX_WAITING):
        lease.request(LeaseClient(f"phantom-{number}", f"phantom {number}"))
    with pytest.raises(QueueFullError, match="20 clients wait"):
        lease.request(BERT)
    lease.pass_time(1.5 * REQUEST_EXPIRY)
    lease.request(BERT)
    assert lease.waiting == (BERT,)
