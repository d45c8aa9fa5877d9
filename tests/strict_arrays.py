"""Arrays that refuse to meet NumPy's, as those of a GPU do, for tests without one."""

import numpy as np

from armtwin.compile.kernel import kernel
from armtwin.workspace.device import Device


class StrictArray(np.ndarray):
    """An array whose operations take arrays of its own kind and plain numbers only."""

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        """Compute after checking the operands."""
        given = [plain(x) for x in inputs]
        places = None if out is None else tuple(plain(x) for x in out)
        result = getattr(ufunc, method)(*given, out=places, **options)
        return out[0] if out is not None else strict(result)

    def __array_function__(self, function, types, arguments, options):
        """Refuse functions of NumPy: the device's own module has to be used."""
        raise TypeError(f"numpy.{function.__name__} was called with an array of the device")

    def __setitem__(self, key, value):
        """Write values of the same kind."""
        self.view(np.ndarray)[_plain_key(key)] = plain(value)

    def __getitem__(self, key):
        """Return a part of the same kind."""
        return strict(self.view(np.ndarray)[_plain_key(key)])

    def __array__(self, *given, **options):
        """Refuse to become a NumPy array by itself."""
        raise TypeError("an array of the device was taken for a NumPy array")


def strict(x):
    """Return an array as one of the device; numbers stay as they are."""
    return x.view(StrictArray) if isinstance(x, np.ndarray) and x.ndim else x


def plain(x):
    """Return an array of the device as a NumPy array; refuse one of NumPy's."""
    if isinstance(x, StrictArray):
        return x.view(np.ndarray)
    if isinstance(x, np.ndarray) and x.ndim:
        raise TypeError("an array of NumPy was mixed with arrays of the device")
    return x


def _plain_key(key):
    if isinstance(key, tuple):
        return tuple(_plain_key(part) for part in key)
    return plain(key) if isinstance(key, np.ndarray) else key


class StrictModule:
    """NumPy's functions for arrays of the device."""

    def asarray(self, x, dtype=None):
        """Return a NumPy array as one of the device."""
        return x if isinstance(x, StrictArray) else strict(np.array(x, dtype=dtype))

    def __getattr__(self, name):
        """Return one of NumPy's functions."""
        function = getattr(np, name)
        return lambda *given, **options: strict(function(*map(plain, given), **options))


class StrictDevice(Device):
    """A device with arrays of its own, computed by the processor."""

    name, rows, xp = "gpu", 9001, StrictModule()

    def bind(self, arm, equation, constants, rows=None):
        """Return ``run(*inputs)`` of an equation."""
        compiled = kernel(arm, equation)

        def run(*inputs):
            n = len(inputs[0])
            given = [np.ascontiguousarray(plain(x)) for x in inputs]
            found = compiled(*given, *[np.asarray(x, float) for x in constants])
            return [strict(y.reshape(n, -1)) for y in found]

        return run

    def host(self, x):
        """Return an array as a NumPy array."""
        assert isinstance(x, StrictArray)
        return plain(x)

    def add_at(self, x, places, values):
        """Add values at places."""
        np.add.at(plain(x), plain(places), plain(values))

    def maximum_at(self, x, places, values):
        """Raise values at places."""
        np.maximum.at(plain(x), plain(places), plain(values))
