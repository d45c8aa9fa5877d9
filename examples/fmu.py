"""An arm as a native FMU: exported, run over a table, the lag of its master made visible."""

import numpy as np

import armtwin as at

arm = at.load("ur10e")
made = at.export_fmu(arm, "ur10e_fk.fmu", model="fk", fmi=2)
print(f"{made.path}: {made.size / 1000:.0f} kB, {', '.join(made.platforms)}")

time = 0.002 * np.arange(1000)
q = np.column_stack([np.sin(2 * time + k) for k in range(6)])
inputs = at.Signals(time, {f"q{k + 1}": q[:, k] for k in range(6)})
truth = at.fk(arm, q)[:, :3, 3]
for align in (True, False):
    run = at.run_fmu(made.path, inputs, options=at.RunFmuOptions(align=align))
    error = np.linalg.norm(run.values[:, :3] - truth, axis=1).max()
    print(f"aligned {align}: at most {error:.1e} m from the Python model")

moved = at.run_fmu(made.path, inputs, options=at.RunFmuOptions(start={"tool_z": 0.1}))
print("with a tool of 0.1 m the first height is", moved.signals.columns["z"][0].round(4), "m")
