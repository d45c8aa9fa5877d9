"""The program being taught outlives the app."""

import asyncio

import armtwin as at
from armtwin.app.control.session import Session
from armtwin.app.control.teaching import teaching
from armtwin.robots.simulated_arm import SimulatedArm


def taught(folder, arm, *names):
    """Run an app's session in which positions are added; return the names it shows at its start."""

    async def run():
        session = Session(SimulatedArm(at.load(arm)), folder=folder)
        await session.start()
        desk = teaching(session)
        desk.keep_drafts(folder / "drafts")
        shown = [row.name for row in desk.program.positions]
        for name in names:
            desk.add(name, 0.5, 0.0)
        await session.close()
        return shown

    return asyncio.run(run())


def test_a_restart_loses_nothing(tmp_path):
    """The same positions are shown when the app is started again, and not on another arm."""
    assert taught(tmp_path, "ur5e", "pick", "place") == []
    assert taught(tmp_path, "ur5e", "rest") == ["pick", "place"]
    assert taught(tmp_path, "ur10e") == []
    assert taught(tmp_path, "ur5e") == ["pick", "place", "rest"]


def test_a_damaged_draft_is_ignored(tmp_path):
    """An empty program is shown when the file of the last one is cut or of another arm."""
    taught(tmp_path, "ur5e", "pick")
    file = next((tmp_path / "drafts").iterdir())
    whole = file.read_bytes()
    file.write_bytes(whole[:40])
    assert taught(tmp_path, "ur5e") == []
    file.write_bytes(whole.replace(b"ur5e", b"ur10e"))
    assert taught(tmp_path, "ur5e") == []
