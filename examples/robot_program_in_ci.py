"""Test a URScript program without a robot: a virtual UR5e runs it as a real controller would."""

import socket

import numpy as np

from armtwin.testing import virtual_robot

PROGRAM = """def lift():
  above = pose_trans(get_actual_tcp_pose(), p[0, 0, -0.1, 0, 0, 0])
  movel(above, a=1.2, v=0.25)
  set_standard_digital_out(0, True)
end
"""
SCRIPTS = 30002  # the port of every UR controller that takes scripts


with virtual_robot("ur5e") as robot:
    start = np.array(robot.controller.registers["actual_TCP_pose"])
    with socket.create_connection((robot.host, SCRIPTS)) as link:
        link.sendall(PROGRAM.encode())
        robot.wait_for(lambda: robot.controller.registers["actual_digital_output_bits"] & 1)
    moved = np.array(robot.controller.registers["actual_TCP_pose"]) - start

assert np.isclose(np.linalg.norm(moved[:3]), 0.1, atol=1e-4), moved
print(f"the tool moved by {1000 * np.linalg.norm(moved[:3]):.2f} mm, output 0 is on")
