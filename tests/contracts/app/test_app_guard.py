"""The app keeps out who has no business there."""

import contextlib

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

import armtwin as at
from armtwin.app.control.session import Session
from armtwin.app.server.app_settings import AppSettings
from armtwin.app.server.guard import Guard, cookie_name
from armtwin.app.server.server import create
from armtwin.robots.simulated_arm import SimulatedArm

TOKEN = "a-token-for-tests"
COOKIE = cookie_name("127.0.0.1:8080")
ADDRESS = "http://127.0.0.1:8080"
STREAM = "ws://127.0.0.1:8080/api/stream"


@contextlib.contextmanager
def client(**settings):
    """Give a client of an app with these settings."""
    app = create(Session(SimulatedArm(at.load("ur5e"))), AppSettings(**settings))
    with TestClient(app, base_url=ADDRESS, follow_redirects=False) as found:
        yield found


@pytest.fixture(scope="module")
def shared():
    """A client of a shared app."""
    with client(host="0.0.0.0", token=TOKEN) as found:
        yield found


@pytest.fixture(scope="module")
def local():
    """A client of an app for this machine only."""
    with client() as found:
        yield found


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer"},
        {"Cookie": f"{COOKIE}=wrong"},
        {"Cookie": "=;;;" + "x" * 2000},
        {"Authorization": "Bearer schlüssel".encode()},
    ],
)
@pytest.mark.parametrize("path", ["/api/state", "/api/arms", "/static/app.html", "/"])
def test_no_token_no_answer(shared, path, headers):
    """Nothing but the refusal is answered when the token is missing or wrong."""
    answer = shared.get(path, headers=headers)
    assert answer.status_code == 401
    assert set(answer.json()) == {"error", "expected", "hint"}
    assert TOKEN not in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


@pytest.mark.parametrize(
    "headers", [{"Authorization": f"Bearer {TOKEN}"}, {"Cookie": f"{COOKIE}={TOKEN}"}]
)
def test_token_opens(shared, headers):
    """The answer is there when the token is shown as header or cookie."""
    assert shared.get("/api/arms", headers=headers).status_code == 200
    with shared.websocket_connect(STREAM, headers=headers) as socket:
        assert socket.receive_json()["type"] == "hello"


def test_link_leaves_a_cookie_and_no_token_behind(shared):
    """The browser keeps the token as a cookie and its address loses it when the link is opened."""
    answer = shared.get(f"/api/arms?token={TOKEN}&a=b")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/api/arms?a=b"
    cookie = answer.headers["set-cookie"]
    assert f"{COOKIE}={TOKEN}" in cookie and "HttpOnly" in cookie and "SameSite=lax" in cookie
    shared.cookies.clear()


@pytest.mark.parametrize("path", ["//evil.example/x", "/\\evil.example", "///evil.example"])
def test_link_does_not_lead_elsewhere(shared, path):
    """The browser stays at the app when a link with the token tries to send it elsewhere."""
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": f"token={TOKEN}".encode(),
        "headers": [(b"host", b"127.0.0.1:8080")],
    }
    answer = Guard(None, AppSettings(token=TOKEN))._refusal(scope)
    assert answer.headers["location"] == "/evil.example" + ("/x" if "x" in path[-1] else "")


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8080",
        "192.168.1.5:8080",
        "",
        "127.0.0.1.evil.example",
        "[::1",
        "127.0.0.1:x",
    ],
)
def test_foreign_host_is_refused(local, host):
    """A name that is not this machine's is refused when a rebound address leads here."""
    assert local.get("/api/arms", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1:1", "[::1]:8080", "127.5.5.5"])
def test_own_host_is_let_in(local, host):
    """This machine's own names are let in when they are asked for."""
    assert local.get("/api/arms", headers={"Host": host}).status_code == 200


ORIGINS = ["http://evil.example", "http://127.0.0.1:9999", "https://127.0.0.1.evil.example", "null"]


@pytest.mark.parametrize("origin", ORIGINS)
def test_foreign_pages_cannot_act(local, origin):
    """A page of another origin is refused when it posts or opens the stream."""
    headers = {"Origin": origin}
    assert local.post("/api/stop", headers=headers).status_code == 403
    with (
        pytest.raises(WebSocketDisconnect),
        local.websocket_connect(STREAM, headers=headers),
    ):
        pass


def test_foreign_form_without_origin_is_refused(local):
    """A browser's cross-site request is refused when it names no origin."""
    headers = {"Sec-Fetch-Site": "cross-site"}
    assert local.post("/api/stop", headers=headers).status_code == 403


def test_own_page_can_act(local):
    """The app's own page is let in when it posts or opens the stream."""
    headers = {"Origin": ADDRESS, "Sec-Fetch-Site": "same-origin"}
    assert local.post("/api/stop", headers=headers).status_code == 200
    with local.websocket_connect(STREAM, headers=headers) as socket:
        assert socket.receive_json()["type"] == "hello"


def test_stream_needs_the_token(shared):
    """The stream is refused when the token is missing or wrong, and open with the right one."""
    for query in ("", "?token=wrong"):
        with pytest.raises(WebSocketDisconnect), shared.websocket_connect(STREAM + query):
            pass
    with shared.websocket_connect(f"{STREAM}?token={TOKEN}") as socket:
        assert socket.receive_json()["type"] == "hello"


@pytest.mark.parametrize("path", ["/api/fk", "/api/stop", "/api/nothing"])
def test_oversized_bodies_are_refused(local, path):
    """A body beyond the limit is refused when it says its length and when it does not."""
    big = b"[" + b"1," * 600_000 + b"1]"
    assert local.post(path, content=big).status_code == 413
    if path == "/api/fk":
        pieces = (big[k : k + 50_000] for k in range(0, len(big), 50_000))
        assert local.post(path, content=pieces).status_code == 413


def test_bad_length_is_refused(local):
    """A length that is no number is refused when it is read."""
    answer = local.post("/api/stop", headers={"Content-Length": "-5"})
    assert answer.status_code == 413


def test_assets_stay_in_their_folder(local):
    """A path out of the folder finds nothing when assets are asked for."""
    for path in ("/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2fserver.py"):
        assert local.get(path).status_code == 404
    assert local.get("/static/.built").status_code == 404


def test_answers_carry_protecting_headers(local):
    """Answers forbid sniffing and foreign frames when they are sent."""
    headers = local.get("/api/arms").headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "SAMEORIGIN"


@pytest.mark.parametrize("path", ["/", "/teach", "/nothing", "/api/arms", "/api/nothing"])
def test_every_answer_has_a_content_policy(local, path):
    """No inline script and no foreign frame is allowed when a page or an answer is sent."""
    policy = local.get(path).headers["content-security-policy"]
    assert policy.startswith("default-src 'none'") and "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy and "'unsafe-eval'" not in policy


def test_unknown_addresses(local):
    """JSON below /api and /static, the app's page elsewhere, both 404, when nothing is there."""
    for path in ("/api/nothing", "/static/nothing.js", "/api", "/api/arms/none/of/these"):
        answer = local.get(path)
        assert answer.status_code == 404
        assert set(answer.json()) == {"error", "expected", "hint"}
    page = local.get("/nothing/here")
    assert page.status_code == 404
    assert 'lang="en"' in page.text and "<script" in page.text


@pytest.mark.parametrize("path", ["/", "/api/arms", "/nothing"])
def test_head_is_answered_as_get(local, path):
    """Status and headers are those of GET when only the head is asked for."""
    whole, head = local.get(path), local.head(path)
    assert (head.status_code, head.headers["content-type"]) == (
        whole.status_code,
        whole.headers["content-type"],
    )


def test_page_is_compressed(local):
    """The script is sent compressed when the browser takes that, and is the same otherwise."""
    page = local.get("/").text
    script = page.split('src="')[1].split('"')[0]
    packed = local.get(script, headers={"Accept-Encoding": "gzip"})
    plain = local.get(script, headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == plain.content
    assert int(packed.headers["content-length"]) < len(plain.content) / 2


def test_a_browser_without_token_gets_a_page(shared):
    """A person is told to open the link, and no token is shown, when a browser has none."""
    answer = shared.get("/teach", headers={"Accept": "text/html,*/*"})
    assert answer.status_code == 401
    assert answer.text.count("<h1") == 1 and TOKEN not in answer.text
    assert '<html lang="en">' in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert shared.get("/api/state", headers={"Accept": "text/html"}).json()["error"]
