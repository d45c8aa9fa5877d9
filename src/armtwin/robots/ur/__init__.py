"""UR controllers: reading samples over RTDE, comparing them with a twin, moving by script.

Modules:
    ur_robot: a controller as a ``Robot``.
    feed: samples and alarms of a controller for ``ur_robot``.
    remote: script port and dashboard.
    live_twin: computes what the model expects for every sample.
    monitor: checks samples, raises alarms, gives the verdict.
    learned_contacts: contact thresholds learned from a recording of a UR robot.
    statistics: rate, gaps, outages and latency.
    recorder: samples to a Parquet file.
    payload: joint torques of a payload that changes.
    tcp: tool centre point, pose vectors.

Packages:
    speed_control: joint speeds that lead the arm to a goal, or along a motion.
    protocol: the RTDE protocol and its client.
"""
