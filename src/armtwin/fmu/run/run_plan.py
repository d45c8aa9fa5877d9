"""The arrays and function addresses that the compiled loop works with."""

from __future__ import annotations

import ctypes
from array import array
from typing import Any

from armtwin.fmu.loading.instance import Instance
from armtwin.fmu.loading.scalar import Scalar
from armtwin.fmu.run.grid import Grid, zeros
from armtwin.fmu.run.host import KINDS, HostRun, VariableGroup, host_library

COMMON = {
    "do_step": "DoStep", "set_time": "SetTime", "get_states": "GetContinuousStates",
    "set_states": "SetContinuousStates", "get_indicators": "GetEventIndicators",
    "completed_step": "CompletedIntegratorStep", "enter_events": "EnterEventMode",
    "enter_continuous": "EnterContinuousTimeMode",
}  # fmt: skip
OWN = {
    2: {"get_rates": "GetDerivatives", "update_states": "NewDiscreteStates"},
    3: {"get_rates": "GetContinuousStateDerivatives", "update_states": "UpdateDiscreteStates"},
}


class Plan:
    """A run made ready: a table of inputs, room for outputs, variables grouped by type.

    ``output`` has one row more than the table: row 0 is what the FMU gives at the beginning and,
    in co-simulation, row k + 1 what it gives after the step that begins at row k. In model
    exchange row k belongs to row k of the inputs.
    """

    def __init__(self, instance: Instance, table: Grid, solver_step: float) -> None:
        interface = instance.interface
        self.instance, self.table, self.rows = instance, table, table.rows
        inputs = [s for s in interface.with_causality("input") if s.columns(table.names)]
        outputs = [s for s in interface.with_causality("output") if interface.kind(s) is not None]
        self.input_names = [name for s in inputs for name in s.columns(table.names)]
        self.output_names = [name for s in outputs for name in s.entries]
        self.width = len(self.output_names)
        self.output = array("d", [float("nan")]) * ((self.rows + 1) * max(self.width, 1))
        self.has_discrete_inputs = int(any(s.variability != "continuous" for s in inputs))
        self._held: list[Any] = []
        self.run = HostRun()
        self._tables()
        places = [table.names.index(name) for name in self.input_names]
        self.run.inputs, self.run.n_inputs = self._groups(inputs, places, "Set")
        self.run.outputs, self.run.n_outputs = self._groups(outputs, list(range(self.width)), "Get")
        self.run.scratch = self._keep(zeros(8 + max(len(places), self.width)))
        for field, name in (COMMON | OWN[interface.fmi]).items():
            setattr(self.run, field, instance.library.address(f"fmi{interface.fmi}{name}"))
        self._solver(solver_step)

    def _keep(self, values: array[Any]) -> int:
        """Keep an array as long as the plan exists; return its address."""
        self._held.append(values)
        return values.buffer_info()[0]

    def _tables(self) -> None:
        """Lay out the tables; the last step is as long as the one before it."""
        run, time = self.run, self.table.time
        last = time[-1] - time[-2] if self.rows > 1 else 1e-3
        run.fmi, run.instance = self.instance.interface.fmi, self.instance.pointer
        run.time = self._keep(time + array("d", [time[-1] + last]))
        run.input, run.output = self._keep(self.table.data), self._keep(self.output)
        run.in_width, run.out_width = self.table.width, self.width
        run.between = self._keep(zeros(self.table.width + 1))

    def _groups(self, scalars: list[Scalar], columns: list[int], verb: str) -> tuple[int, int]:
        """Return where the variables lie grouped by the function that carries them.

        Args:
            scalars: the variables.
            columns: where each of their numbers stands in the table.
            verb: Set or Get.
        """
        interface, rest = self.instance.interface, iter(columns)
        sorted_in: dict[tuple[str, bool], list[tuple[Scalar, list[int]]]] = {}
        for scalar in scalars:
            key = (interface.call(verb, scalar), scalar.variability == "continuous")
            places = [next(rest) for _ in scalar.entries]
            sorted_in.setdefault(key, []).append((scalar, places))
        groups = (VariableGroup * max(len(sorted_in), 1))()
        for group, ((call, continuous), members) in zip(groups, sorted_in.items(), strict=False):
            kind = interface.kind(members[0][0]) or ""
            every = [place for _, places in members for place in places]
            group.kind, group.count, group.values = KINDS.index(kind), len(members), len(every)
            group.references = self._keep(array("I", [s.reference for s, _ in members]))
            group.columns = self._keep(array("i", every))
            function = self.instance.library.function(call)
            group.call = ctypes.cast(function, ctypes.c_void_p).value
            group.continuous = int(continuous)
        self._held.append(groups)
        return ctypes.addressof(groups), len(sorted_in)

    def _solver(self, solver_step: float) -> None:
        run, interface = self.run, self.instance.interface
        run.n_states, run.n_indicators = len(interface.states), interface.indicators
        if interface.fmi == 3 and self.instance.library.mode == "me":
            count = ctypes.c_size_t()
            self.instance.call("GetNumberOfEventIndicators", ctypes.byref(count))
            run.n_indicators = count.value
            self.instance.call("GetNumberOfContinuousStates", ctypes.byref(count))
            run.n_states = count.value
        skips = interface.flag("me", "completedIntegratorStepNotNeeded")
        needs = interface.flag("me", "needsCompletedIntegratorStep")
        run.wants_completed_step = int(needs if interface.fmi == 3 else not skips)
        run.solver_step = solver_step
        run.state = self._keep(zeros(6 * run.n_states + 1))
        run.indicator = self._keep(zeros(2 * run.n_indicators + 1))

    def call(self, name: str, *arguments: int) -> bool:
        """Run a part of the compiled loop; whole numbers are passed as C longs."""
        return host_library().call(name, self.run, *map(ctypes.c_long, arguments))

    def output_row(self, index: int) -> list[float]:
        """Return one row of outputs."""
        return self.output[index * self.width : (index + 1) * self.width].tolist()
