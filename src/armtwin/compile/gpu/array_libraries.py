"""Arrays of PyTorch, JAX and CuPy: recognised without importing them, exchanged without copies.

An array's library is already imported by its owner, so that looking it up in ``sys.modules`` is
enough. CPU arrays become NumPy arrays that share their memory.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from armtwin.compile.gpu.array_library import ArrayLibrary, DeviceArray, cupy
from armtwin.errors import InputError
from armtwin.spatial import Array


@functools.lru_cache(maxsize=64)
def _stream(device: int, number: int) -> Any:
    """Return a stream of another library as one of CuPy."""
    return cupy().cuda.ExternalStream(number, device)


class Torch(ArrayLibrary):
    """PyTorch; results lie in memory of its own allocator."""

    modules: tuple[str, ...] = ("torch",)

    def on_gpu(self, x: Any) -> bool:
        """Return whether an array is in the memory of a GPU."""
        return bool(x.is_cuda)

    def to_numpy(self, x: Any) -> Array:
        """Return a CPU array as a NumPy array that shares its memory."""
        found: Array = x.detach().numpy()
        return found

    def from_numpy(self, y: Array, like: Any) -> Any:
        """Return a NumPy array as a tensor, with the number type of ``like``."""
        return sys.modules["torch"].from_numpy(y).to(like.dtype)

    def facts(self, x: Any) -> DeviceArray:
        """Return the address of a tensor."""
        kind = str(x.dtype).removeprefix("torch.")
        return DeviceArray(x, x.data_ptr(), tuple(x.shape), x.stride(), kind, x.get_device())

    def new(self, shape: tuple[int, ...], like: DeviceArray) -> Any:
        """Return an uninitialised tensor on the device and of the type of ``like``."""
        owner = like.owner
        return sys.modules["torch"].empty(shape, dtype=owner.dtype, device=owner.device)

    def contiguous(self, x: DeviceArray, shape: tuple[int, ...]) -> DeviceArray:
        """Return a tensor broadcast to a shape, in row order; copies it."""
        return self.facts(x.owner.detach().expand(shape).contiguous())

    def host(self, x: Any) -> Array:
        """Return a copy of a tensor as a float64 NumPy array."""
        return np.array(x.detach().cpu().numpy(), dtype=np.float64)

    def send(self, y: Array, like: Any) -> Any:
        """Return a copy of a NumPy array on the device of ``like``, in its own number type."""
        return sys.modules["torch"].from_numpy(np.array(y)).to(like.device)

    def rows_of(self, x: Any) -> Array:
        """Return the places where a vector is not zero."""
        found: Array = x.nonzero().flatten().cpu().numpy()
        return found

    def stream(self, x: Any) -> contextlib.AbstractContextManager[Any]:
        """Return a context of PyTorch's current stream."""
        device = x.get_device()
        return _stream(device, sys.modules["torch"].cuda.current_stream(device).cuda_stream)


class Cupy(ArrayLibrary):
    """CuPy, on its current stream."""

    modules: tuple[str, ...] = ("cupy",)

    def on_gpu(self, x: Any) -> bool:
        """Return True: CuPy has no other arrays."""
        return True

    def to_numpy(self, x: Any) -> Array:
        """Raise NotImplementedError: CuPy has no CPU arrays."""
        raise NotImplementedError

    def from_numpy(self, y: Array, like: Any) -> Any:
        """Raise NotImplementedError: CuPy has no CPU arrays."""
        raise NotImplementedError

    def facts(self, x: Any) -> DeviceArray:
        """Return the address of an array."""
        strides = tuple(step // x.itemsize for step in x.strides)
        return DeviceArray(x, x.data.ptr, x.shape, strides, str(x.dtype), x.device.id)

    def new(self, shape: tuple[int, ...], like: DeviceArray) -> Any:
        """Return an uninitialised array on the device and of the type of ``like``."""
        return cupy().empty(shape, dtype=like.kind)

    def contiguous(self, x: DeviceArray, shape: tuple[int, ...]) -> DeviceArray:
        """Return an array broadcast to a shape, in row order; copies it."""
        return self.facts(cupy().ascontiguousarray(cupy().broadcast_to(x.owner, shape)))

    def host(self, x: Any) -> Array:
        """Return a copy of an array as a float64 NumPy array."""
        return np.array(x.get(), dtype=np.float64)

    def send(self, y: Array, like: Any) -> Any:
        """Return a copy of a NumPy array on the device of ``like``, in its own number type."""
        return cupy().asarray(y)

    def rows_of(self, x: Any) -> Array:
        """Return the places where a vector is not zero."""
        found: Array = cupy().flatnonzero(x).get()
        return found

    def stream(self, x: Any) -> contextlib.AbstractContextManager[Any]:
        """Return a context of the array's device."""
        return x.device


class Jax(Cupy):
    """JAX; its arrays become CuPy arrays, since results could not be written to them."""

    modules = ("jax", "jaxlib")

    def on_gpu(self, x: Any) -> bool:
        """Return whether an array is in the memory of a GPU."""
        return any(device.platform == "gpu" for device in x.devices())

    def to_numpy(self, x: Any) -> Array:
        """Return a CPU array as a NumPy array that shares its memory."""
        return np.asarray(x)

    def from_numpy(self, y: Array, like: Any) -> Any:
        """Return a NumPy array as one of JAX, with the number type of ``like``."""
        return sys.modules["jax"].numpy.asarray(y, dtype=like.dtype)

    def facts(self, x: Any) -> DeviceArray:
        """Return the address of an array, after the pending JAX operations on it."""
        return super().facts(x if isinstance(x, cupy().ndarray) else cupy().from_dlpack(x))

    def finish(self, y: Any) -> Any:
        """Return an array of ``new`` as one of JAX, without a copy."""
        return sys.modules["jax"].dlpack.from_dlpack(y)

    def stream(self, x: Any) -> contextlib.AbstractContextManager[Any]:
        """Return a context of the array's device; DLPack orders the streams."""
        number = next(iter(x.devices())).local_hardware_id
        return cupy().cuda.Device(number)

    def host(self, x: Any) -> Array:
        """Return a copy of an array as a float64 NumPy array."""
        return np.array(x, dtype=np.float64)

    def send(self, y: Array, like: Any) -> Any:
        """Return a copy of a NumPy array on the device of ``like``, in its own number type."""
        return sys.modules["jax"].device_put(y, next(iter(like.devices())))

    def rows_of(self, x: Any) -> Array:
        """Return the places where a vector is not zero."""
        return np.asarray(sys.modules["jax"].numpy.flatnonzero(x))

    def put(self, x: Any, rows: Array, values: Array) -> Any:
        """Return a copy of an array whose rows were replaced.

        Args:
            x: the array (n, ...).
            rows: places (k,).
            values: new rows (k, ...).
        """
        return x.at[rows].set(values)

    def is_traced(self, x: Any) -> bool:
        """Return whether ``x`` stands for an array of a function that is being compiled."""
        return isinstance(x, sys.modules["jax"].core.Tracer)

    def call_later(
        self, run: Callable[..., tuple[Array, ...]], shapes: list[tuple[int, ...]], x: Sequence[Any]
    ) -> tuple[Any, ...]:
        """Return the results of a function of NumPy arrays, called by ``pure_callback``.

        Args:
            run: takes one NumPy array per input; returns float64 arrays.
            shapes: of its results.
            x: traced inputs.
        """
        jax, kind = sys.modules["jax"], x[0].dtype
        results = tuple(jax.ShapeDtypeStruct(shape, kind) for shape in shapes)

        def on_host(*arrays: Any) -> tuple[Array, ...]:
            return tuple(y.astype(kind, copy=False) for y in run(*map(np.asarray, arrays)))

        return tuple(jax.pure_callback(on_host, results, *x, vmap_method="broadcast_all"))


LIBRARIES: tuple[ArrayLibrary, ...] = (Torch(), Cupy(), Jax())


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
