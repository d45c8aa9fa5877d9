"""Derivatives of PyTorch's autograd and JAX's grad through kernels."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

from armtwin.compile.gpu.array_libraries import Jax, Torch
from armtwin.compile.gpu.array_library import ArrayLibrary

Run = Callable[..., tuple[Any, ...]]


def differentiable(
    library: ArrayLibrary, forward: Run, backward: Run, inputs: Sequence[Any]
) -> tuple[Any, ...]:
    """Return ``forward(*inputs)``, with its derivative known to the library where it has any.

    Args:
        library: library of the inputs.
        forward: returns the outputs.
        backward: takes inputs and one seed (..., size) per output; returns one gradient per input.
        inputs: the arrays (..., size).
    """
    if isinstance(library, Torch):
        torch = sys.modules["torch"]
        if torch.is_grad_enabled() and any(x.requires_grad for x in inputs):
            return tuple(_torch_function().apply(forward, backward, *inputs))
    if isinstance(library, Jax):
        return tuple(_jax_function(forward, backward)(*inputs))
    return forward(*inputs)


def _flat_seed(seed: Any, lead: int) -> Any:
    """Return a seed (..., *shape) as (..., size)."""
    return seed.reshape(*seed.shape[:lead], -1)


def _summed(gradient: Any, like: Any) -> Any:
    """Return a gradient summed over the dimensions in which its input was broadcast."""
    extra = gradient.ndim - like.ndim
    axes = [*range(extra), *(k for k in range(extra, gradient.ndim) if like.shape[k - extra] == 1)]
    axes = [k for k in axes if k < extra or gradient.shape[k] != 1]
    return gradient.sum(tuple(axes)).reshape(like.shape) if axes else gradient.reshape(like.shape)


@functools.cache
def _torch_function() -> Any:
    torch = sys.modules["torch"]

    class Evaluation(torch.autograd.Function):  # type: ignore[misc,name-defined]
        """Runs a kernel forward and the kernel of its derivative backward."""

        @staticmethod
        def forward(ctx: Any, forward: Run, backward: Run, *inputs: Any) -> tuple[Any, ...]:
            ctx.save_for_backward(*inputs)
            ctx.backward_run = backward
            return forward(*inputs)

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, *seeds: Any) -> tuple[Any, ...]:
            inputs = ctx.saved_tensors
            lead = max(x.ndim for x in inputs) - 1
            flat = [_flat_seed(seed.contiguous(), lead) for seed in seeds]
            found = ctx.backward_run(*inputs, *flat)
            return None, None, *map(_summed, found, inputs)

    return Evaluation


def _jax_function(forward: Run, backward: Run) -> Any:
    jax = sys.modules["jax"]

    @jax.custom_vjp  # type: ignore[untyped-decorator]
    def evaluation(*inputs: Any) -> tuple[Any, ...]:
        return forward(*inputs)

    def keep(*inputs: Any) -> tuple[Any, Any]:
        return forward(*inputs), inputs

    def gradients(inputs: Any, seeds: Any) -> tuple[Any, ...]:
        lead = max(x.ndim for x in inputs) - 1
        found = backward(*inputs, *[_flat_seed(seed, lead) for seed in seeds])
        return tuple(map(_summed, found, inputs))

    evaluation.defvjp(keep, gradients)
    return evaluation
