"""Interface of array libraries for kernels, and of arrays in GPU memory."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from armtwin.compile.targets.cuda import Real
from armtwin.extras import require
from armtwin.spatial import Array

REALS: dict[str, Real] = {"float64": "double", "float32": "float"}
"""Number types of arrays and their names in CUDA."""


class DeviceArray(NamedTuple):
    """An array in a GPU's memory.

    Attributes:
        owner: the library's array, which keeps the memory alive.
        address: of its first number.
        shape: (...).
        strides: distances of neighbours along each dimension [numbers].
        kind: number type, for example float64.
        device: number of the GPU.
    """

    owner: Any
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    kind: str
    device: int

    @property
    def in_row_order(self) -> bool:
        """Whether the numbers lie without gaps in row order."""
        step = 1
        for length, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if length != 1 and stride != step:
                return False
            step *= length
        return True


class ArrayLibrary(ABC):
    """One library of arrays.

    Attributes:
        modules: in which its array types are defined.
    """

    modules: tuple[str, ...]

    @abstractmethod
    def on_gpu(self, x: Any) -> bool:
        """Return whether an array is in the memory of a GPU."""

    @abstractmethod
    def to_numpy(self, x: Any) -> Array:
        """Return a CPU array as a NumPy array that shares its memory."""

    @abstractmethod
    def from_numpy(self, y: Array, like: Any) -> Any:
        """Return a NumPy array as one of this library, with the number type of ``like``."""

    @abstractmethod
    def facts(self, x: Any) -> DeviceArray:
        """Return the address of a GPU array, without a copy."""

    @abstractmethod
    def new(self, shape: tuple[int, ...], like: DeviceArray) -> Any:
        """Return an uninitialised GPU array on the device and of the type of ``like``."""

    def contiguous(self, x: DeviceArray, shape: tuple[int, ...]) -> DeviceArray:
        """Return an array broadcast to a shape, in row order; copies it."""
        raise NotImplementedError

    def finish(self, y: Any) -> Any:
        """Return an array of ``new`` after the kernel was launched."""
        return y

    def stream(self, x: Any) -> contextlib.AbstractContextManager[Any]:
        """Return a context in which CuPy launches on the stream that the caller uses."""
        return contextlib.nullcontext()

    @abstractmethod
    def host(self, x: Any) -> Array:
        """Return a copy of an array as a float64 NumPy array."""

    @abstractmethod
    def send(self, y: Array, like: Any) -> Any:
        """Return a copy of a NumPy array on the device of ``like``, in its own number type."""

    @abstractmethod
    def rows_of(self, x: Any) -> Array:
        """Return the places where a vector is not zero; only these leave the GPU."""

    def put(self, x: Any, rows: Array, values: Array) -> Any:
        """Return an array whose rows were replaced; in place where the library can.

        Args:
            x: the array (n, ...).
            rows: places (k,).
            values: new rows (k, ...).
        """
        x[self.send(rows, x)] = self.send(values, x)
        return x

    def is_traced(self, x: Any) -> bool:
        """Return whether ``x`` stands for an array of a function that is being compiled."""
        return False

    def call_later(
        self, run: Callable[..., tuple[Array, ...]], shapes: list[tuple[int, ...]], x: Sequence[Any]
    ) -> tuple[Any, ...]:
        """Return the results of a function of NumPy arrays within a function being compiled.

        Args:
            run: takes one NumPy array per input; returns float64 arrays.
            shapes: of its results.
            x: traced inputs.
        """
        raise NotImplementedError


def cupy() -> Any:
    """Return the module CuPy.

    Raises:
        MissingDataError: it is not installed.
    """
    require("computing on a GPU", "cupy")
    import cupy as module

    return module
