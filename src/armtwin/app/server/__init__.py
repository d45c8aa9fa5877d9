"""The control process's server.

Modules:
    server: builds and runs the app; stops the robot first when it ends.
    app_settings: address, token and size limits; the link and its QR code.
    site: OpenAPI description and front end.
    token_page: page for a person without the token.
    plain_text: text without control characters and folders.
    guard: host, origin, token and size of requests.
    gate: request rates of one address.
    token_bucket: token buckets.
    forwarding: reverse proxy to the work process.
    responses: errors as JSON.

Packages:
    connections: accepted cheaply, bounded in number and bytes.
"""
