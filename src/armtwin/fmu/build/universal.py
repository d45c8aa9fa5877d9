"""Universal macOS libraries: several architectures in one file behind a short header."""

from __future__ import annotations

import struct

MAGIC = 0xCAFEBABE
ALIGNMENT = 14


def universal(parts: list[bytes]) -> bytes:
    """Return one file that holds 64-bit Mach-O libraries of different architectures.

    The header is big-endian: magic, count, then per part CPU type and subtype (as in the part's
    own little-endian header), offset, size and alignment (a power of two).
    """
    step = 1 << ALIGNMENT
    offset, heads, body = step, [], b""
    for part in parts:
        kind, subtype = struct.unpack_from("<II", part, 4)
        heads.append(struct.pack(">IIIII", kind, subtype, offset, len(part), ALIGNMENT))
        padded = part + bytes(-len(part) % step)
        body += padded
        offset += len(padded)
    head = struct.pack(">II", MAGIC, len(parts)) + b"".join(heads)
    last = len(parts[-1]) + -len(parts[-1]) % step - len(parts[-1])
    data = head + bytes(step - len(head)) + body
    return data[: len(data) - last] if last else data
