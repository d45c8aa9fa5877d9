"""The shared app: a link with a token lets people in, and nothing else does."""

import re
import urllib.error
import urllib.request

import pytest
from browsers import chromium
from e2e.app_running import needs_browser, open_page, running_app, wait_for
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect


@pytest.fixture(scope="module")
def app():
    """A shared app."""
    with running_app("ur5e", "--share") as found:
        yield found


def test_link_qr_code_and_exposure_are_printed(app):
    """The link holds a token, a picture follows, and what is exposed is reported when it starts."""
    assert re.search(r"\?token=[\w-]{32}$", app.link)
    exposure = "everyone in this network who has the link can move this arm"
    wait_for(lambda: exposure in "".join(app.printed), "what is exposed")
    wait_for(lambda: "".join(app.printed).count("█") > 200, "the picture of the link")


@pytest.mark.parametrize(
    "path", ["/", "/teach", "/api/state", "/static/assets/app.js", "/recordings"]
)
def test_nothing_without_token(app, path):
    """Pages, files and API are refused when no token is shown."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(app.address + path, timeout=180)
    refused.value.close()
    assert refused.value.code == 401


@pytest.mark.parametrize("path", ["/api/stream", "/api/other"])
@pytest.mark.parametrize("origin", [None, "http://evil.example"])
def test_sockets_are_refused(app, path, origin):
    """The stream and any other socket are refused without token and to other sites' pages."""
    token = app.link.split("token=")[1]
    headers = {} if origin is None else {"Authorization": f"Bearer {token}"}
    address = app.address.replace("http", "ws") + path
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(address, origin=origin, additional_headers=headers, proxy=None),
    ):
        pass
    assert refused.value.response.status_code == 403


@needs_browser
def test_link_opens_the_page(app):
    """The arm is drawn, and the token is gone from the address, when the link is opened."""
    with chromium() as browser, open_page(browser, app.link) as page:
        page.locator("[data-testid=canvas][data-drawn]").wait_for()
        assert "token" not in page.url
        page.goto(app.address + "/teach")
        page.get_by_test_id("stop").wait_for()
        page.get_by_test_id("share").click()
        page.get_by_test_id("qr").wait_for()
        assert page.get_by_label("Link", exact=True).input_value() == app.link


@needs_browser
def test_a_person_without_the_token_gets_a_reason(app):
    """A page says where the link is, and opens the app with a pasted token, when none is shown."""
    with chromium() as browser, open_page(browser, app.address) as page:
        page.get_by_role("heading", name="shared by a link").wait_for()
        page.get_by_label("Token").fill(app.link.split("token=")[1])
        page.get_by_role("button", name="Open").click()
        page.get_by_test_id("stop").wait_for()
