"""Functions on JAX arrays of the processor: results, derivatives, compiled functions, errors."""

import jax
import numpy as np
import pytest

import armtwin as at
from armtwin.errors import InputError, JointLimitError

jax.config.update("jax_enable_x64", True)
jnp = jax.numpy
ARM = at.load("ur10e")
Q, QD, QDD = np.random.default_rng(0).uniform(-2, 2, (3, 5, 6))
FUNCTIONS = (
    (at.fk, (Q,)), (at.link_poses, (Q,)), (at.jacobian, (Q,)), (at.body_jacobian, (Q,)),
    (at.gravity, (Q,)), (at.mass_matrix, (Q,)), (at.coriolis, (Q, QD)),
    (at.inverse_dynamics, (Q, QD, QDD)), (at.forward_dynamics, (Q, QD, QDD)),
)  # fmt: skip


@pytest.mark.parametrize(("function", "given"), FUNCTIONS, ids=lambda f: getattr(f, "__name__", ""))
def test_arrays_come_back_in_their_library(function, given):
    """Results are JAX arrays equal to NumPy's when the inputs are JAX arrays."""
    found = function(ARM, *map(jnp.asarray, given))
    assert isinstance(found, jax.Array)
    np.testing.assert_array_equal(np.asarray(found), function(ARM, *given))


def test_float32_stays_float32():
    """The number type is kept when the inputs are float32."""
    found = at.fk(ARM, jnp.asarray(Q, dtype=jnp.float32))
    assert found.dtype == jnp.float32
    np.testing.assert_allclose(found, at.fk(ARM, Q), atol=1e-6)


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["plain", "jit"])
def test_gradient_of_a_distance(wrap):
    """The gradient of a squared distance is 2 J^T p when JAX differentiates through fk."""

    def squared(q):
        return (at.fk(ARM, q)[..., :3, 3] ** 2).sum()

    expected = 2 * np.einsum("nij,ni->nj", at.jacobian(ARM, Q)[:, :3], at.fk(ARM, Q)[:, :3, 3])
    np.testing.assert_allclose(wrap(jax.grad(squared))(jnp.asarray(Q)), expected, atol=1e-13)


def test_gradients_of_dynamics():
    """dtau/dqdd is the mass matrix, and dtau/dq follows differences, when JAX differentiates."""
    q, qd, qdd = map(jnp.asarray, (Q[0], QD[0], QDD[0]))
    by_q, by_qdd = jax.jacobian(lambda *x: at.inverse_dynamics(ARM, *x), (0, 2))(q, qd, qdd)
    np.testing.assert_allclose(by_qdd, at.mass_matrix(ARM, Q[0]), atol=1e-12)
    steps = 1e-6 * np.eye(6)
    tau = at.inverse_dynamics(ARM, np.concatenate([Q[0] + steps, Q[0] - steps]), QD[0], QDD[0])
    np.testing.assert_allclose(by_q, (tau[:6] - tau[6:]).T / 2e-6, atol=1e-6)


def test_gradient_of_a_shared_input_is_summed():
    """One gradient serves a speed shared by all states, summed, when it was broadcast."""

    def total(qd):
        return at.inverse_dynamics(ARM, jnp.asarray(Q), qd, jnp.zeros(6)).sum()

    def each(qd):
        return at.inverse_dynamics(ARM, jnp.asarray(Q), qd, jnp.zeros((5, 6))).sum()

    shared = jax.grad(total)(jnp.asarray(QD[0]))
    own = jax.grad(each)(jnp.tile(jnp.asarray(QD[0]), (5, 1)))
    assert shared.shape == (6,)
    np.testing.assert_allclose(shared, own.sum(axis=0), atol=1e-12)


def test_vmap_is_a_batch():
    """Mapping over states equals a batch when JAX maps a function of one state."""
    found = jax.vmap(lambda q: at.gravity(ARM, q))(jnp.asarray(Q))
    np.testing.assert_allclose(found, at.gravity(ARM, Q), atol=1e-13)


def test_errors_are_those_of_numpy_arrays():
    """Limits, NaN, shapes and arrays of two libraries raise when the inputs are JAX arrays."""
    with pytest.raises(JointLimitError, match="row 2"):
        at.fk(ARM, jnp.asarray(Q).at[2, 1].set(9.0))
    with pytest.raises(InputError, match="nan"):
        at.fk(ARM, jnp.asarray(Q).at[0, 0].set(jnp.nan))
    with pytest.raises(InputError, match="takes 6 numbers"):
        at.fk(ARM, jnp.asarray(Q[:, :5]))
    with pytest.raises(InputError, match="one library"):
        at.coriolis(ARM, jnp.asarray(Q), QD)
