"""Uploads, jobs and programs over the API, with bad input and without a browser."""

import asyncio
import io
import os
import zipfile

import numpy as np
import pytest
from served_app import served
from waiting import until

import armtwin
from armtwin.app.control.run_recorder import FinishedRecording
from armtwin.app.jobs import uploads
from armtwin.app.jobs.job_service import job_service
from armtwin.app.jobs.queue import MAX_KEPT, MAX_RUNNING
from armtwin.errors import InputError
from armtwin.recording.files import archive as archives
from armtwin.robots.programs.program_runner import PERIOD

ME, OTHER = "client-one", "client-two"


async def over(web, job, seconds=120.0):
    """Return a job once it is done, failed or cancelled."""
    async with asyncio.timeout(seconds):
        while job["state"] in ("waiting", "running"):
            await asyncio.sleep(0.05)  # polls; the state decides
            job = (await web.get(f"/api/jobs/{job['id']}")).json()
    return job


async def sent(web, data, name="run.csv", kind="recording"):
    """Return the answer to an upload."""
    return await web.post("/api/uploads", params={"name": name, "kind": kind}, content=data)


def recording_bytes(arm="ur10e", rows=60):
    """Return a recording of an arm's twin itself as CSV bytes."""
    model = armtwin.load(arm)
    time = np.arange(rows) * 0.02
    q = 0.3 * np.sin(time[:, None] * np.arange(1, model.dof + 1)) + 0.2
    xyz = armtwin.fk(model, q)[:, :3, 3]
    heads = ["time", *[f"q{k + 1}" for k in range(model.dof)], "x", "y", "z"]
    table = np.column_stack([time, q, xyz])
    lines = [",".join(heads), *[",".join(f"{v:.9g}" for v in row) for row in table]]
    return "\n".join(lines).encode()


def archive(**entries):
    """Return a zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in entries.items():
            file.writestr(name, data)
    return buffer.getvalue()


def test_recording_is_checked_and_reported(tmp_path):
    """A verdict, a table and two reports come back when the twin's own recording is checked."""

    async def act(web, session):
        upload = (await sent(web, recording_bytes(), "../../x/run one.exe")).json()
        assert upload["name"] == "run one.csv"
        order = {"kind": "validate", "arm": "here", "recording": upload["id"]}
        job = await over(web, (await web.post("/api/jobs", json=order)).json())
        assert job["state"] == "done", job["error"]
        assert job["outcome"]["passed"]
        page = await web.get(f"/api/jobs/{job['id']}/files/report.html")
        assert b"<html" in page.content[:300]
        assert "attachment" in page.headers["content-disposition"]
        assert "sandbox" in page.headers["content-security-policy"]
        pdf = await web.get(f"/api/jobs/{job['id']}/files/report.pdf")
        assert pdf.content.startswith(b"%PDF")
        folder = session.parts["jobs"].jobs.get(job["id"]).folder
        assert folder.is_dir() and folder.stat().st_mode & 0o077 == 0
        assert (await web.delete(f"/api/jobs/{job['id']}")).status_code == 200
        assert not folder.exists()

    served(act, tmp_path, "ur10e")


def test_validation_takes_the_options_of_the_command_line(tmp_path):
    """Mapping and factory calibration are used, a path is refused, when a job names them."""

    async def act(web, session):
        renamed = recording_bytes().replace(b"q1,", b"axis,", 1)
        upload = (await sent(web, renamed)).json()
        toml = (await sent(web, b'[columns]\nq1 = "axis"\n', "names.toml")).json()
        yaml = b"kinematics:\n  shoulder: {x: 0, y: 0, z: 0.1, roll: 0, pitch: 0, yaw: 0}\n"
        wrong = (await sent(web, yaml, "factory.yaml")).json()
        order = {"kind": "validate", "arm": "ur10e", "recording": upload["id"]}
        for mapping in ({"columns": {"q1": "axis"}}, toml["id"]):
            mapped = {**order, "mapping": mapping, "options": {"efforts": False}}
            job = await over(web, (await web.post("/api/jobs", json=mapped)).json())
            assert job["state"] == "done" and job["outcome"]["passed"], job["error"]
        mapped["options"] = {"calibration": wrong["id"]}
        job = await over(web, (await web.post("/api/jobs", json=mapped)).json())
        assert job["state"] == "failed" and "1 joints" in job["error"]
        for more, said in (
            ({"mapping": "/etc/passwd"}, "no mapping"),
            ({"options": {"calibration": "/etc/passwd"}}, "no uploaded file"),
            ({"options": {"colour": "red"}}, "colour"),
        ):
            answer = await web.post("/api/jobs", json={**order, **more})
            assert answer.status_code == 422 and said in answer.text

    served(act, tmp_path, "ur10e")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"\x7fELF\0\0\0\0", "unknown kind"),
        (b"PK\x03\x04 cut", "damaged"),
        (archive(**{"a.txt": b"x"}), "archive"),
        (archive(**{"xl/workbook.xml": b"\0" * 1000}), ""),
    ],
)
def test_wrong_uploads_are_refused(data, said, tmp_path):
    """An upload is answered with its reason when its content is of no kind that is read."""

    async def act(web, session):
        answer = await sent(web, data)
        if said:
            assert answer.status_code == 422 and said in answer.json()["error"]
        else:
            assert answer.json()["name"] == "run.xlsx"

    served(act, tmp_path, "ur10e")


def test_large_uploads_are_refused(tmp_path, monkeypatch):
    """An upload ends with an error and leaves no file when it grows beyond the limit."""
    monkeypatch.setattr(uploads, "MAX_BYTES", 1000)
    monkeypatch.setattr(archives, "MAX_UNPACKED", 10_000)

    async def act(web, session):
        answer = await sent(web, b"a,b\n" * 1000)
        assert answer.status_code == 422 and "MB" in answer.json()["error"]
        bomb = await sent(web, archive(**{"xl/workbook.xml": b"\0" * 100_000}))
        assert bomb.status_code == 422 and "unpacked" in bomb.json()["error"]
        place = job_service(session).uploads._place()
        assert list(place.iterdir()) == []

    served(act, tmp_path, "ur10e")


def test_failing_job_tells_why(tmp_path):
    """The job's error is the library's own when its input does not serve, and the app lives."""

    async def act(web, session):
        text = (await sent(web, b"hello;world\nthis;is\nno;recording\n")).json()
        short = (await sent(web, recording_bytes("desktop5"))).json()
        jobs = [
            {"kind": "validate", "recording": text["id"]},
            {"kind": "validate", "recording": short["id"]},
            {"kind": "identify", "recordings": [short["id"]], "arm": "desktop5"},
            {"kind": "fmu", "model": "nonsense"},
        ]
        reported = [await web.post("/api/jobs", json=job) for job in jobs]
        ended = [await over(web, answer.json()) for answer in reported]
        assert [job["state"] for job in ended] == ["failed"] * 4
        assert "joints" in ended[0]["error"] or "number" in ended[0]["error"]
        assert "arm 'ur10e' has 6" in ended[1]["error"]
        assert "no model" in ended[3]["error"]
        assert (await web.get("/api/state")).status_code == 200

    served(act, tmp_path, "ur10e")


def test_cancelled_job_ends_its_process(tmp_path):
    """The process is gone and the next job starts when a job is cancelled."""

    async def act(web, session):
        points = [[0, -1.5, 1, -0.5, 1, 0], [1.5, -1, 0.5, -1, -1, 1]] * 5
        order = {"kind": "optimize", "arm": "ur5e-energy", "points": points}
        jobs = [(await web.post("/api/jobs", json=order)).json() for _ in range(MAX_RUNNING + 1)]
        assert [job["state"] for job in jobs] == ["running"] * MAX_RUNNING + ["waiting"]
        process = job_service(session).jobs.get(jobs[0]["id"]).process.pid
        answer = (await web.post(f"/api/jobs/{jobs[0]['id']}/cancel")).json()
        assert answer["state"] == "cancelled"
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
        assert (await web.get(f"/api/jobs/{jobs[-1]['id']}")).json()["state"] == "running"

    served(act, tmp_path, "ur10e")


def test_jobs_are_bounded(tmp_path):
    """A job is refused when too many wait, and nothing is left when the app ends."""
    left = []

    async def act(web, session):
        service = job_service(session)
        order = {"kind": "fmu", "platform": "all", "model": "forward-dynamics", "arm": "ur5e"}
        for _ in range(MAX_KEPT):
            assert (await web.post("/api/jobs", json=order)).status_code == 200
        refused = await web.post("/api/jobs", json=order)
        assert refused.status_code == 429 and "wait" in refused.json()["error"]
        left.append(service.jobs._place())

    served(act, tmp_path, "ur10e")
    assert not left[0].exists()


@pytest.mark.parametrize(
    "arm", ["../../etc/passwd", "/etc/passwd", "x.toml", "ur10e/../ur3e", "nowhere", ""]
)
def test_arms_by_path_are_refused(arm, tmp_path):
    """No file of the machine is read when a job names one as its arm."""

    async def act(web, session):
        answer = await web.post("/api/jobs", json={"kind": "fmu", "arm": arm})
        assert answer.status_code == 404 and "no arm" in answer.json()["error"]

    served(act, tmp_path, "ur10e")


def test_uploaded_arm_serves(tmp_path):
    """An uploaded arm file is the job's arm when the job names it; other files are refused."""
    from armtwin.model.formats.toml import write_toml

    async def act(web, session):
        arm = write_toml(armtwin.load("ur3e")).encode()
        upload = (await sent(web, arm, "mine.txt", "arm")).json()
        assert upload["name"] == "mine.toml"
        order = {"kind": "fmu", "arm": upload["id"]}
        job = await over(web, (await web.post("/api/jobs", json=order)).json())
        assert job["state"] == "done", job["error"]
        wrong = await sent(web, b"<html><body>x</body></html>", "arm.urdf", "arm")
        assert wrong.status_code == 422
        mixed = {"kind": "validate", "recording": upload["id"]}
        assert (await web.post("/api/jobs", json=mixed)).status_code == 422

    served(act, tmp_path, "ur10e")


BRANCHED = b"""<robot name="fork">
  <link name="root"/><link name="a"/><link name="b"/><link name="left"/><link name="right"/>
  <joint name="j1" type="revolute"><parent link="root"/><child link="a"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="j2" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0.3 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="l" type="fixed"><parent link="b"/><child link="left"/><origin xyz="0.2 0 0"/></joint>
  <joint name="r" type="fixed"><parent link="b"/><child link="right"/><origin xyz="0 .1 0"/></joint>
</robot>"""


def test_tip_of_an_uploaded_urdf_is_chosen(tmp_path):
    """The job runs when it names the tip of a branching URDF; else its error lists tips."""

    async def act(web, session):
        key = (await sent(web, BRANCHED, "fork.urdf", "arm")).json()["id"]
        for arm, state in ((f"{key}#tip=left", "done"), (key, "failed")):
            order = {"kind": "fmu", "arm": arm}
            job = await over(web, (await web.post("/api/jobs", json=order)).json())
            assert job["state"] == state, job["error"]
        assert "left" in job["error"] and "right" in job["error"]
        wrong = await web.post("/api/jobs", json={"kind": "fmu", "arm": f"{key}#file=/etc/passwd"})
        assert wrong.status_code == 422

    served(act, tmp_path, "ur10e")


def test_files_of_a_job_are_its_own(tmp_path):
    """Nothing but the listed results is served when a name tries to leave the folder."""

    async def act(web, session):
        job = await over(web, (await web.post("/api/jobs", json={"kind": "fmu"})).json())
        assert job["state"] == "done", job["error"]
        address = f"/api/jobs/{job['id']}/files/"
        for name in ("..%2f..%2fetc%2fpasswd", "%2fetc%2fpasswd", ".", "other.fmu"):
            assert (await web.get(address + name)).status_code == 404
        assert (await web.get("/api/jobs/nope")).status_code == 404
        assert (await web.delete("/api/uploads/nope")).status_code == 404

    served(act, tmp_path, "ur10e")


def test_own_recording_must_exist(tmp_path):
    """The job is refused when it names a recording that was never made."""

    async def act(web, session):
        answer = await web.post("/api/jobs", json={"kind": "validate", "recording": "own"})
        assert answer.status_code == 422 and "Record" in answer.json()["error"]

    served(act, tmp_path, "ur10e")


def test_own_recording_is_found(tmp_path):
    """The newest recording, or the one that is named, is copied for the job when one was made."""
    for name in ("old.parquet", "new.parquet"):
        (tmp_path / name).write_bytes(name.encode())

    async def act(web, session):
        made = session.parts["recorder"].finished
        for name in ("old.parquet", "new.parquet"):
            made[name] = FinishedRecording(name, tmp_path / name, 1)
        service = job_service(session)
        for key, name in (("own", "new.parquet"), ("own:old.parquet", "old.parquet")):
            place = await service._file(key)
            assert place.read_bytes() == name.encode() and place.parent != tmp_path
        with pytest.raises(InputError):
            await service._file("own:../new.parquet")

    served(act, tmp_path, "ur10e")


def test_teaching_belongs_to_the_holder(tmp_path):
    """Positions are changed and programs run only by the holder when somebody has control."""

    async def act(web, session):
        await web.post("/api/lease/take", json={"client": ME})
        assert (await web.post("/api/teach/positions", json={"client": ME})).status_code == 200
        assert (await web.post("/api/teach/positions", json={"client": OTHER})).status_code == 403
        assert (await web.post("/api/teach/run", json={"client": OTHER})).status_code == 403
        stale = {"client": ME, "revision": 0, "name": "x"}
        assert (await web.put("/api/teach/positions/0", json=stale)).status_code == 422
        assert (await web.put("/api/teach/positions/7", json={"client": ME})).status_code == 422

    served(act, tmp_path, "ur10e")


def test_program_of_another_arm_is_not_shown(tmp_path):
    """A program is refused and the one before stays when it was taught to another arm."""

    async def act(web, session):
        foreign = {
            "name": "theirs",
            "arm": "desktop5",
            "positions": [{"name": "p", "q": [0, 0, 0, 0, 0]}],
        }
        answer = await web.put("/api/teach/program", json={"client": ME, "program": foreign})
        assert answer.status_code == 422 and "taught to 'desktop5'" in answer.json()["error"]
        assert (await web.get("/api/teach")).json()["program"]["positions"] == []

    served(act, tmp_path, "ur10e")


def test_program_names_stay_in_the_folder(tmp_path):
    """Saved files lie in the programs' folder when a program is called like a path."""

    async def act(web, session):
        for name in ("../../escape", "/etc/cron", "a\\b"):
            await web.put("/api/teach/name", json={"client": ME, "name": name})
            await web.post("/api/programs", json={})
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert len(files) == 3
        assert {path.parent for path in files} == {tmp_path / "programs"}
        assert (await web.get("/api/programs/..%2f..%2fescape")).status_code == 404
        again = await web.post("/api/programs", json={})
        assert again.status_code == 409 and "overwriting" in again.json()["error"]

    served(act, tmp_path, "ur10e")


def test_stop_ends_a_program_for_good(tmp_path):
    """The arm stays where it is when anybody stops while a program runs."""

    async def act(web, session):
        await web.post("/api/lease/take", json={"client": ME})
        await web.post("/api/teach/positions", json={"client": ME, "dwell": 0.5})
        far = {"client": ME, "q": [0.5, -1.2, 1.2, -1.2, -1.2, 0.5], "speed": 1}
        await web.post("/api/move", json=far)
        await until(lambda: session.lease.heartbeat(ME) and not session.robot.state().moving)
        assert session.robot.state().q[0] == 0.5
        await web.post("/api/teach/positions", json={"client": ME})
        run = await web.post("/api/teach/run", json={"client": ME, "loop": True})
        assert run.json()["progress"]["mode"] == "running"
        await until(lambda: session.lease.heartbeat(ME) and session.robot.state().moving)
        await web.post("/api/stop")
        assert (await web.get("/api/teach")).json()["progress"]["mode"] == "idle"
        await until(lambda: not session.robot.state().moving)
        stood = session.robot.state().q
        await asyncio.sleep(2 * PERIOD)  # a runner that still led would look at the arm meanwhile
        assert not session.robot.state().moving
        np.testing.assert_array_equal(session.robot.state().q, stood)

    served(act, tmp_path, "ur10e")
