"""Arrays of PyTorch, JAX and CuPy: recognised without importing them, exchanged without copies.

An array's library is already imported by its owner, so that looking it up in ``sys.modules`` is
enough. CPU arrays become NumPy arrays that share their memory, GPU arrays CuPy arrays (DLPack).
"""

from __future__ import annotations

import contextlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from armtwin.errors import InputError
from armtwin.extras import require
from armtwin.spatial import Array

REALS = {"float64": "double", "float32": "float"}
"""Number types of arrays and their names in CUDA."""


class ArrayLibrary(ABC):
    """One library of arrays.

    Attributes:
        modules: in which its array types are defined.
    """

    modules: tuple[str, ...]

    @abstractmethod
    def on_gpu(self, x: Any) -> bool:
        """Return whether an array lies in the memory of a GPU."""

    @abstractmethod
    def to_numpy(self, x: Any) -> Array:
        """Return a CPU array as a NumPy array that shares its memory."""

    @abstractmethod
    def from_numpy(self, y: Array, like: Any) -> Any:
        """Return a NumPy array as one of this library, with the number type of ``like``."""

    @abstractmethod
    def new(self, shape: tuple[int, ...], like: Any) -> tuple[Any, Any]:
        """Return an uninitialised array on the GPU of ``like``, and the same memory for CuPy."""

    def to_cupy(self, x: Any) -> Any:
        """Return a GPU array as a CuPy array that shares its memory."""
        return cupy().from_dlpack(x)

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

    def finish(self, y: Any) -> Any:
        """Return an array of ``new`` after the kernel was launched."""
        return y

    def stream(self, x: Any) -> contextlib.AbstractContextManager[Any]:
        """Return a context in which CuPy launches on the stream that the caller uses."""
        return contextlib.nullcontext()


class Torch(ArrayLibrary):
    """PyTorch; results lie in memory of its own allocator."""

    modules = ("torch",)

    def on_gpu(self, x: Any) -> bool:
        """Return whether an array lies in the memory of a GPU."""
        return bool(x.is_cuda)

    def to_numpy(self, x: Any) -> Array:
        """Return a CPU array as a NumPy array that shares its memory."""
        found: Array = x.detach().numpy()
        return found

    def from_numpy(self, y: Array, like: Any) -> Any:
        """Return a NumPy array as one of this library, with the number type of ``like``."""
        return sys.modules["torch"].from_numpy(y).to(like.dtype)

    def to_cupy(self, x: Any) -> Any:
        """Return a GPU array as a CuPy array that shares its memory."""
        return cupy().from_dlpack(x.detach())

    def new(self, shape: tuple[int, ...], like: Any) -> tuple[Any, Any]:
        """Return an uninitialised array on the GPU of ``like``, and the same memory for CuPy."""
        made = sys.modules["torch"].empty(shape, dtype=like.dtype, device=like.device)
        return made, cupy().from_dlpack(made)

    def stream(self, x: Any) -> contextlib.AbstractContextManager[Any]:
        """Return a context in which CuPy launches on the stream that the caller uses."""
        number = sys.modules["torch"].cuda.current_stream(x.device).cuda_stream
        return _on(x.device.index, cupy().cuda.ExternalStream(number, x.device.index))


class Jax(ArrayLibrary):
    """JAX; its arrays cannot be written to, so that results are CuPy arrays first."""

    modules = ("jax", "jaxlib")

    def on_gpu(self, x: Any) -> bool:
        """Return whether an array lies in the memory of a GPU."""
        return any(device.platform == "gpu" for device in x.devices())

    def to_numpy(self, x: Any) -> Array:
        """Return a CPU array as a NumPy array that shares its memory."""
        return np.asarray(x)

    def from_numpy(self, y: Array, like: Any) -> Any:
        """Return a NumPy array as one of this library, with the number type of ``like``."""
        return sys.modules["jax"].numpy.asarray(y, dtype=like.dtype)

    def new(self, shape: tuple[int, ...], like: Any) -> tuple[Any, Any]:
        """Return an uninitialised array on the GPU of ``like``, and the same memory for CuPy."""
        made = cupy().empty(shape, dtype=str(like.dtype))
        return made, made

    def is_traced(self, x: Any) -> bool:
        """Return whether ``x`` stands for an array of a function that is being compiled."""
        return isinstance(x, sys.modules["jax"].core.Tracer)

    def call_later(
        self, run: Callable[..., tuple[Array, ...]], shapes: list[tuple[int, ...]], x: Sequence[Any]
    ) -> tuple[Any, ...]:
        """Return the results of a function of NumPy arrays, called by ``pure_callback``."""
        jax, kind = sys.modules["jax"], x[0].dtype
        results = tuple(jax.ShapeDtypeStruct(shape, kind) for shape in shapes)

        def on_host(*arrays: Any) -> tuple[Array, ...]:
            return tuple(y.astype(kind, copy=False) for y in run(*map(np.asarray, arrays)))

        found = jax.pure_callback(on_host, results, *x, vmap_method="broadcast_all")
        return tuple(found)

    def finish(self, y: Any) -> Any:
        """Return an array of ``new`` as one of this library."""
        return sys.modules["jax"].dlpack.from_dlpack(y)

    def stream(self, x: Any) -> contextlib.AbstractContextManager[Any]:
        """Return a context in which CuPy launches on the stream that the caller uses."""
        number = next(iter(x.devices())).local_hardware_id
        return _on(number, cupy().cuda.Stream.null)


class Cupy(ArrayLibrary):
    """CuPy, on its current stream."""

    modules = ("cupy",)

    def on_gpu(self, x: Any) -> bool:
        """Return whether an array lies in the memory of a GPU."""
        return True

    def to_numpy(self, x: Any) -> Array:
        """Return a CPU array as a NumPy array that shares its memory."""
        raise NotImplementedError  # CuPy has no CPU arrays

    def from_numpy(self, y: Array, like: Any) -> Any:
        """Return a NumPy array as one of this library, with the number type of ``like``."""
        raise NotImplementedError

    def to_cupy(self, x: Any) -> Any:
        """Return a GPU array as a CuPy array that shares its memory."""
        return x

    def new(self, shape: tuple[int, ...], like: Any) -> tuple[Any, Any]:
        """Return an uninitialised array on the GPU of ``like``, and the same memory for CuPy."""
        made = cupy().empty(shape, dtype=like.dtype)
        return made, made

    def stream(self, x: Any) -> contextlib.AbstractContextManager[Any]:
        """Return a context in which CuPy launches on the stream that the caller uses."""
        return x.device  # type: ignore[no-any-return]


LIBRARIES: tuple[ArrayLibrary, ...] = (Torch(), Jax(), Cupy())


def library_of(x: object) -> ArrayLibrary | None:
    """Return the library of an array; None for NumPy arrays, lists and numbers."""
    module = type(x).__module__.partition(".")[0]
    return next((library for library in LIBRARIES if module in library.modules), None)


def common_library(inputs: Sequence[object]) -> ArrayLibrary | None:
    """Return the library of all inputs; None if there is none among them.

    Raises:
        InputError: arrays of two libraries, or of a library beside NumPy arrays.
    """
    found = [library_of(x) for x in inputs]
    if all(library is None for library in found):
        return None
    if any(library is not found[0] for library in found):
        kinds = ", ".join(f"{type(x).__module__}.{type(x).__name__}" for x in inputs)
        raise InputError(f"the inputs are {kinds}; give arrays of one library")
    return found[0]


def cupy() -> Any:
    """Return the module CuPy.

    Raises:
        MissingDataError: it is not installed.
    """
    require("computing on a GPU", "cupy")
    import cupy as module

    return module


@contextlib.contextmanager
def _on(device: int | None, stream: Any) -> Any:
    with cupy().cuda.Device(device or 0), stream:
        yield
