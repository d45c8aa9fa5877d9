"""The page for a person who opens a shared app without its token."""

from __future__ import annotations

import base64
import hashlib

from fastapi.responses import HTMLResponse

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; min-height: 100vh; display: grid; place-items: center; }
main { max-width: 30rem; padding: 2rem; }
h1 { font-size: 1.25rem; }
input, button { font: inherit; min-height: 44px; padding: 0 12px; border-radius: 8px; border: 1px solid #7d8794; }
form { display: flex; gap: 8px; flex-wrap: wrap; }
input { flex: 1; min-width: 0; }
input::placeholder { color: inherit; opacity: 0.8; }
button { background: #0b5cad; color: #fff; border-color: #0b5cad; }
"""  # noqa: E501
_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
PAGE = f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>armtwin: link needed</title><style>{STYLE}</style></head>
<body><main>
<h1>This arm is shared by a link</h1>
<p>Open the link that the app printed when it was started, or scan its QR code with this
device. The link holds a token, new at every start of the app: an old one does not work.</p>
<p>To stop the arm now, use the robot's own stop.</p>
<form method="get" action="/">
<input name="token" aria-label="Token" placeholder="or paste the token" autocomplete="off" required>
<button>Open</button></form>
</main></body></html>
"""


def token_page() -> HTMLResponse:
    """Return the page, with status 401."""
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-store"}
    return HTMLResponse(PAGE, 401, headers)
