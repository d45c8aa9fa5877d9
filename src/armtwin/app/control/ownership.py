"""Owners of recordings, programs, uploads and jobs: other clients may read, not change them.

A client names itself by the header ``X-Armtwin-Client``, a secret of its choice; a browser keeps
one for its pages. Only a digest of it is stored. What was made without the header belongs to
nobody, and everybody may change it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar
from urllib.parse import unquote

from fastapi import Depends, Header

from armtwin.errors import NotPermittedError
from armtwin.files import replace_file

LONGEST_NAME = 40
"""Characters of a client's own name that are kept: it is shown beside what the client made."""
T = TypeVar("T")


@dataclass(frozen=True)
class Owner:
    """A client: digest of its secret, and the name that others see; both empty for nobody."""

    id: str = ""
    name: str = ""

    def admits(self, client: Owner) -> bool:
        """Return whether a client may change what belongs to this owner."""
        return not self.id or self.id == client.id

    def require(self, client: Owner, what: str, otherwise: str) -> None:
        """Raise unless a client may change what belongs to this owner.

        Args:
            client: the requesting client.
            what: the thing, such as "this job".
            otherwise: what others can do instead.

        Raises:
            NotPermittedError: it belongs to somebody else.
        """
        if not self.admits(client):
            raise NotPermittedError(f"{what} belongs to {self.name}; {otherwise}")


NOBODY = Owner()


def requester(
    client: Annotated[
        str | None,
        Header(
            alias="X-Armtwin-Client",
            min_length=8,
            max_length=64,
            pattern=r"^[\w-]+$",
            description="The client's secret; what it makes belongs to it.",
        ),
    ] = None,
    name: Annotated[
        str | None,
        Header(alias="X-Armtwin-Name", max_length=200, description="Its name, percent-encoded."),
    ] = None,
) -> Owner:
    """Return the client that sends a request; ``NOBODY`` without the header."""
    if client is None:
        return NOBODY
    shown = "".join(c for c in unquote(name or "") if c.isprintable())[:LONGEST_NAME].strip()
    return Owner(hashlib.sha256(client.encode()).hexdigest(), shown or "another client")


Requester = Annotated[Owner, Depends(requester)]


def eviction_candidate(
    things: Iterable[T], owner_of: Callable[[T], Owner], client: Owner
) -> T | None:
    """Return the item to remove for a client's new one: its oldest, else the oldest of all.

    Args:
        things: oldest first.
        owner_of: the owner of one of them.
        client: who needs the room.
    """
    known = list(things)
    own = [thing for thing in known if owner_of(thing).id == client.id]
    return next(iter([*own, *known]), None)


class ProgramOwners:
    """Owners of saved programs while the app runs, in a file that both of its processes read."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def of(self, program: str) -> Owner:
        """Return the owner of a program by its file's stem."""
        entry = self._read().get(program)
        return Owner(*entry) if entry else NOBODY

    def set(self, program: str, owner: Owner) -> None:
        """Set the owner of a program; ``NOBODY`` removes its entry."""
        known = self._read()
        if owner.id:
            known[program] = [owner.id, owner.name]
        elif known.pop(program, None) is None:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self._file, json.dumps(known).encode())

    def clear(self) -> None:
        """Forget all owners; programs of earlier runs of the app belong to nobody."""
        self._file.unlink(missing_ok=True)

    def _read(self) -> dict[str, list[str]]:
        with contextlib.suppress(OSError, ValueError):
            found: dict[str, list[str]] = json.loads(self._file.read_bytes())
            return found
        return {}
