"""A virtual robot that does not listen, and the programs that clients send to it, for tests."""

from waiting import wait_until

from armtwin.robots.ur_controller.build import virtual_robot


def unhurried_robot():
    """Return a robot that does not listen and has all the time for its clients."""
    made = virtual_robot("ur5e")
    made.intake.budget = float("inf")
    made.intake.refill()
    return made


def compiled(robot):
    """Wait until everything that clients have sent is compiled and started, or refused."""
    wait_until(lambda: robot.intake.refill() or not robot.intake.busy)


def settle(robot, seconds=1.0):
    """Let the robot's time pass, after what clients have sent was compiled."""
    compiled(robot)
    for _ in range(round(seconds / robot.controller.dt)):
        robot.cycle()
