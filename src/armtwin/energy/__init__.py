"""Energy of motions and recordings, and motions of least energy.

- ``ledger``, ``ledger_page``: the energy ledger and its page.
- ``flows``: the ledger as a Sankey diagram.
- ``power``: powers of every motor over time; ``trajectory``: joint states over time.
- ``recorded``: the ledger of a recording with the supply's model; ``supply``: that model.
- ``several``: several recordings, with one model of the supply, tested on others.
- ``optimize``, ``optimum_page``: motions of least energy and their page.
- ``savings``: comparison with other motions; ``mujoco_replay``: a plan simulated in MuJoCo.
"""
