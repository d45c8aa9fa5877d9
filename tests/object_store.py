"""A small object store on this machine: as much of Amazon's S3 interface as ``pyarrow`` uses."""

import contextlib
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
TIME = "2026-05-04T08:00:00.000Z"
HTTP_TIME = "Mon, 04 May 2026 08:00:00 GMT"


class _Handler(BaseHTTPRequestHandler):
    """Answers requests for objects; keys are ``bucket/name``. Signatures are not checked."""

    protocol_version = "HTTP/1.1"
    objects: dict[str, bytes]
    buckets: set[str]
    uploads: dict[str, dict[int, bytes]]

    def log_message(self, *_):
        """Print nothing."""

    def _asked(self):
        parts = urlsplit(self.path)
        return unquote(parts.path).strip("/"), parse_qs(parts.query, keep_blank_values=True)

    def _answer(self, status=200, body=b"", **headers):
        self.send_response(status)
        headers = {"Content_Length": str(len(body)), "Last_Modified": HTTP_TIME} | headers
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _missing(self, code):
        self._answer(
            404, f"{HEAD}<Error><Code>{code}</Code><Message>none</Message></Error>".encode()
        )

    def _body(self):
        """Return what was sent, also in AWS's chunks with signatures."""
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            raw = b""
            while size := int(self.rfile.readline(), 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        return _without_chunks(raw) if "X-Amz-Decoded-Content-Length" in self.headers else raw

    def do_HEAD(self):
        """Say whether an object or a bucket is there, and how large it is."""
        key, _ = self._asked()
        if key in self.objects:
            self._answer(Content_Length=str(len(self.objects[key])), ETag='"0"')
        else:
            self._answer(200 if key in self.buckets else 404)

    def do_GET(self):
        """Return an object, a range of it, or the names of a bucket."""
        key, query = self._asked()
        if "list-type" in query:
            return self._listed(key, query)
        if key not in self.objects:
            return self._missing("NoSuchKey")
        data, wanted = self.objects[key], self.headers.get("Range", "")
        if not wanted:
            return self._answer(body=data, ETag='"0"')
        first, last = re.match(r"bytes=(\d+)-(\d*)", wanted).groups()
        end = min(int(last) if last else len(data) - 1, len(data) - 1)
        place = f"bytes {first}-{end}/{len(data)}"
        self._answer(206, data[int(first) : end + 1], Content_Range=place, ETag='"0"')

    def _listed(self, bucket, query):
        if bucket not in self.buckets:
            return self._missing("NoSuchBucket")
        prefix, stop = query.get("prefix", [""])[0], query.get("delimiter", [""])[0]
        names = [key.partition("/")[2] for key in sorted(self.objects)
                 if key.startswith(f"{bucket}/{prefix}")]  # fmt: skip
        rest = {name: name[len(prefix) :] for name in names}
        folders = {
            prefix + end.split(stop)[0] + stop for end in rest.values() if stop and stop in end
        }
        files = [name for name, end in rest.items() if not (stop and stop in end)]
        text = "".join(
            f"<Contents><Key>{escape(name)}</Key><LastModified>{TIME}</LastModified>"
            f"<Size>{len(self.objects[f'{bucket}/{name}'])}</Size></Contents>"
            for name in files
        )
        text += "".join(
            f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>"
            for name in sorted(folders)
        )
        count = f"<KeyCount>{len(files) + len(folders)}</KeyCount><IsTruncated>false</IsTruncated>"
        kind = "ListBucketResult"
        self._answer(body=f"{HEAD}<{kind}>{count}{text}</{kind}>".encode())

    def do_PUT(self):
        """Keep an object, or a part of one."""
        key, query = self._asked()
        body = self._body()
        if key.partition("/")[0] not in self.buckets:
            return self._missing("NoSuchBucket")
        if "uploadId" in query:
            self.uploads[key][int(query["partNumber"][0])] = body
        else:
            self.objects[key] = body
        self._answer(ETag='"0"')

    def do_POST(self):
        """Begin an upload in parts, or end it."""
        key, query = self._asked()
        self._body()
        bucket, _, name = key.partition("/")
        if bucket not in self.buckets:
            return self._missing("NoSuchBucket")
        place = f"<Bucket>{bucket}</Bucket><Key>{escape(name)}</Key>"
        kind = "InitiateMultipartUploadResult"
        if "uploads" in query:
            self.uploads[key] = {}
            place += "<UploadId>1</UploadId>"
        else:
            kind = "CompleteMultipartUploadResult"
            self.objects[key] = b"".join(part for _, part in sorted(self.uploads.pop(key).items()))
        self._answer(body=f"{HEAD}<{kind}>{place}</{kind}>".encode())

    def do_DELETE(self):
        """Forget an object."""
        self.objects.pop(self._asked()[0], None)
        self._answer(204)


def _without_chunks(raw):
    """Return the content of AWS's own chunks, each with its size and perhaps a signature."""
    found = b""
    while size := int(re.match(rb"[0-9a-fA-F]+", raw).group(), 16):
        start = raw.index(b"\r\n") + 2
        found, raw = found + raw[start : start + size], raw[start + size + 2 :]
    return found


@contextlib.contextmanager
def object_store(*buckets):
    """Yield the address of a store with some buckets, and its objects by ``bucket/name``."""
    state = {"objects": {}, "buckets": set(buckets), "uploads": {}}
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), state))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", state["objects"]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
