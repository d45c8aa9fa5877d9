"""What a client makes belongs to it: others may look, not change, over the API."""

from dataclasses import replace

from served_app import served
from waiting import until

import armtwin
from armtwin.app.control.ownership import Owner, eviction_candidate, requester
from armtwin.app.jobs.job_service import job_service
from armtwin.app.jobs.queue import MAX_KEPT
from armtwin.model.formats.toml import write_toml

MINE = {"X-Armtwin-Client": "client-one", "X-Armtwin-Name": "Anna%C3%A9"}
THEIRS = {"X-Armtwin-Client": "client-two", "X-Armtwin-Name": "Ben"}
FMU = {"kind": "fmu", "arm": "ur10e"}


def without_processes(session):
    """Let jobs wait: no process is started for them."""
    job_service(session).jobs._launch = lambda job: None


def refused(answer, *words):
    """Return whether an answer is 403 with every word in its reason."""
    return answer.status_code == 403 and all(word in answer.json()["error"] for word in words)


def test_job_is_cancelled_by_its_owner_only(tmp_path):
    """Others see a job and are refused with the owner's name when they cancel or remove it."""

    async def act(web, session):
        without_processes(session)
        job = (await web.post("/api/jobs", json=FMU, headers=MINE)).json()
        assert job["yours"] and job["owner"] == "Annaé" and job["parameters"]["arm"] == "ur10e"
        path = f"/api/jobs/{job['id']}"
        seen = (await web.get(path, headers=THEIRS)).json()
        assert seen["state"] == "waiting" and not seen["yours"] and seen["owner"] == "Annaé"
        assert refused(await web.post(f"{path}/cancel", headers=THEIRS), "Annaé", "this job")
        assert refused(await web.post(f"{path}/cancel"), "Annaé")
        assert refused(await web.delete(path, headers=THEIRS), "Annaé")
        assert (await web.get("/api/jobs", headers=THEIRS)).json()[0]["state"] == "waiting"
        assert (await web.post(f"{path}/cancel", headers=MINE)).json()["state"] == "cancelled"
        assert (await web.delete(path, headers=MINE)).status_code == 200

    served(act, tmp_path)


def test_secret_is_not_shown(tmp_path):
    """No answer holds a client's secret when its job, file and recording are read."""

    async def act(web, session):
        without_processes(session)
        job = await web.post("/api/jobs", json=FMU, headers=MINE)
        await web.post("/api/live/recording/start", headers=MINE)
        texts = [job.text, (await web.get("/api/jobs")).text, (await web.get("/api/live")).text]
        digest = requester(MINE["X-Armtwin-Client"]).id
        assert not any("client-one" in text or digest in text for text in texts)

    served(act, tmp_path)


def test_jobs_without_owner_are_everybodys(tmp_path):
    """Everybody may cancel a job when it was started without a client's header."""

    async def act(web, session):
        without_processes(session)
        job = (await web.post("/api/jobs", json=FMU)).json()
        assert job["yours"] and job["owner"] == ""
        answer = await web.post(f"/api/jobs/{job['id']}/cancel", headers=THEIRS)
        assert answer.json()["state"] == "cancelled"

    served(act, tmp_path)


def test_own_jobs_make_room_first(tmp_path):
    """Another client's finished job stays when somebody starts more jobs than are kept."""

    async def act(web, session):
        without_processes(session)
        first = (await web.post("/api/jobs", json=FMU, headers=MINE)).json()
        await web.post(f"/api/jobs/{first['id']}/cancel", headers=MINE)
        for _ in range(MAX_KEPT + 3):
            job = (await web.post("/api/jobs", json=FMU, headers=THEIRS)).json()
            await web.post(f"/api/jobs/{job['id']}/cancel", headers=THEIRS)
        known = [job["id"] for job in (await web.get("/api/jobs")).json()]
        assert first["id"] in known and len(known) == MAX_KEPT

    served(act, tmp_path)


def test_first_to_leave_is_the_oldest_of_ones_own():
    """The oldest thing leaves when a client has none itself, else its own oldest."""
    anna, ben = Owner("a", "Anna"), Owner("b", "Ben")
    things = [("old", anna), ("newer", ben), ("newest", ben)]
    assert eviction_candidate(things, lambda thing: thing[1], ben)[0] == "newer"
    assert eviction_candidate(things, lambda thing: thing[1], Owner("c", "Cem"))[0] == "old"
    assert eviction_candidate([], lambda thing: thing[1], ben) is None


def test_upload_is_deleted_by_its_sender_only(tmp_path):
    """Others may use a file and not delete it when somebody has sent it."""

    async def act(web, session):
        query = {"name": "run.csv", "kind": "recording"}
        sent = await web.post("/api/uploads", params=query, content=b"time,q1\n0,1\n", headers=MINE)
        path = f"/api/uploads/{sent.json()['id']}"
        assert refused(await web.delete(path, headers=THEIRS), "Annaé", "this file")
        assert (await web.delete(path, headers=MINE)).status_code == 200
        assert (await web.delete(path, headers=MINE)).status_code == 404

    served(act, tmp_path)


def test_recording_is_ended_by_its_owner_only(tmp_path):
    """Others see and download a recording, and are refused when they end it."""

    async def act(web, session):
        started = (await web.post("/api/live/recording/start", headers=MINE)).json()
        assert started["recording_yours"] and started["recording_owner"] == "Annaé"
        theirs = (await web.get("/api/live", headers=THEIRS)).json()
        assert not theirs["recording_yours"] and theirs["recording_owner"] == "Annaé"
        assert refused(await web.post("/api/live/recording/stop", headers=THEIRS), "Annaé")
        await until(lambda: session.parts["recorder"].rows > 2)
        made = (await web.post("/api/live/recording/stop", headers=MINE)).json()
        seen = (await web.get("/api/live", headers=THEIRS)).json()
        assert seen["files"] == [{**made, "owner": "Annaé", "yours": False}]
        assert seen["recording_yours"] and seen["recording_owner"] == ""
        file = await web.get(f"/api/live/recordings/{made['name']}", headers=THEIRS)
        assert file.content.startswith(b"PAR1")

    served(act, tmp_path)


def test_saved_program_is_replaced_by_its_owner_only(tmp_path):
    """Others may load a saved program, not replace or delete it, until its owner deletes it."""

    async def act(web, session):
        saved = (await web.post("/api/programs", json={}, headers=MINE)).json()
        assert saved["yours"] and saved["owner"] == "Annaé"
        again = await web.post("/api/programs", json={"overwrite": True}, headers=THEIRS)
        assert refused(again, "Annaé", "another name")
        listed = (await web.get("/api/programs", headers=THEIRS)).json()
        assert [(one["owner"], one["yours"]) for one in listed] == [("Annaé", False)]
        path = f"/api/programs/{saved['file']}"
        assert refused(await web.delete(path, params={"client": "client-two"}, headers=THEIRS))
        body = {"client": "client-two"}
        assert (await web.post(f"{path}/load", json=body, headers=THEIRS)).status_code == 200
        kept = await web.post("/api/programs", json={"overwrite": True}, headers=MINE)
        assert kept.status_code == 200
        gone = await web.delete(path, params={"client": "client-one"}, headers=MINE)
        assert gone.status_code == 200
        assert (await web.post("/api/programs", json={}, headers=THEIRS)).json()["owner"] == "Ben"

    served(act, tmp_path)


def test_bad_secret_is_refused(tmp_path):
    """A request is answered 422 when its client's header is no valid secret."""

    async def act(web, session):
        for secret in ("short", "no spaces here", "x" * 65):
            answer = await web.get("/api/jobs", headers={"X-Armtwin-Client": secret})
            assert answer.status_code == 422, secret

    served(act, tmp_path)


def test_arm_is_used_from_its_file(tmp_path):
    """The app shows an identified arm when its file's text is sent, and refuses what is none."""

    async def act(web, session):
        arm = armtwin.load("ur5e-energy")
        drive = replace(arm.joints[0].drive, torque_constant=0.123)
        changed = replace(arm.joints[0], drive=drive)
        text = write_toml(arm.with_(joints=(changed, *arm.joints[1:])))
        body = {"client": "client-one", "toml": text}
        answer = await web.post("/api/live/arm", json=body, headers=MINE)
        assert answer.status_code == 200, answer.text
        assert session.robot.arm.joints[0].drive.torque_constant == 0.123
        for bad in ({"toml": "joints = 3"}, {}, {"name": "ur5", "toml": text}):
            answer = await web.post("/api/live/arm", json={"client": "client-one", **bad})
            assert answer.status_code == 422, bad
        nobody = await web.post("/api/live/arm", json={"client": "client-one", "name": "ur99"})
        assert nobody.status_code == 404
        await web.post("/api/live/arm", json={"client": "client-one", "name": "ur5"})
        assert session.robot.arm.name == "ur5"
        await web.post("/api/lease/take", json={"client": "client-two", "name": "Ben"})
        held = await web.post("/api/live/arm", json={"client": "client-one", "name": "ur5e"})
        assert refused(held, "Ben")

    served(act, tmp_path)
