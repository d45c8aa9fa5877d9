"""A line that loses and garbles characters, the same ones for the same seed."""

import random


class FaultyLine:
    """Wraps a line; each character is lost or has a bit flipped with some probability."""

    def __init__(self, line, seed, lost, garbled):
        self.line = line
        self.chance = random.Random(seed)
        self.lost, self.garbled = lost, garbled
        self.faults = 0

    @property
    def name(self):
        """What to call it."""
        return self.line.name

    def write(self, data):
        """Send what is left of some characters."""
        self.line.write(self._spoil(data))

    def read(self, seconds):
        """Return what is left of the characters that came."""
        return self._spoil(self.line.read(seconds))

    def close(self):
        """Close the line."""
        self.line.close()

    def _spoil(self, data):
        out = bytearray()
        for byte in data:
            fate = self.chance.random()
            self.faults += fate < self.lost + self.garbled
            if fate < self.lost:
                continue
            flip = 1 << self.chance.randrange(8) if fate < self.lost + self.garbled else 0
            out.append(byte ^ flip)
        return bytes(out)
