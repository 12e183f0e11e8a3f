#!/usr/bin/env python3
"""A web server for tests that misbehaves on request: the first part of a path selects how.

Usage: http_server.py ROOT LOG [CERTIFICATE KEY]

Serves ROOT on a free port of the loopback device and prints the port. Each request is a line of LOG,
written before the answer: METHOD PATH RANGE IF-RANGE IF-NONE-MATCH, "-" where missing. Ends with its
standard input.

    /ok/FILE        correct: ETag, Range, If-Range, If-None-Match
    /cut/FILE       the connection ends after half of the response
    /cutonce/FILE   the same, but requests with Range get a complete answer
    /notag/FILE     half of it and no ETag or Last-Modified the first time; then complete
    /elsewhere/FILE a request with Range gets another range
    /garble/FILE    one byte is wrong, except in index.json
    /short/FILE     Content-Length is too large
    /nolength/FILE  no Content-Length
    /slow/FILE      a byte at intervals
    /busyonce/FILE  503 the first time
    /500/           always 500; likewise /403/ and /304/
    /binary/        no HTTP at all
    /to/URL         redirects to URL
    /loop/FILE      redirects to itself
"""
import hashlib
import http.server
import os
import ssl
import sys
import threading
import time

root, log_path = sys.argv[1:3]
seen = set()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def note(self):
        names = ("Range", "If-Range", "If-None-Match")
        words = [self.command, self.path] + [self.headers.get(n, "-").replace(" ", "") for n in names]
        with open(log_path, "a", encoding="utf-8") as log:
            log.write(" ".join(words) + "\n")

    def plain(self, code, headers=()):
        self.send_response(code)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):
        self.note()
        first_time = self.path not in seen
        seen.add(self.path)
        mode, _, name = self.path.lstrip("/").partition("/")
        if mode in ("500", "403", "304"):
            return self.plain(int(mode))
        if mode == "binary":
            self.close_connection = True
            return self.wfile.write(b"-ERR unknown command\r\n")
        if mode == "busyonce" and first_time:
            return self.plain(503)
        if mode == "to":
            return self.plain(302, [("Location", name)])
        if mode == "loop":
            return self.plain(302, [("Location", self.path)])
        path = os.path.join(root, name)
        if ".." in name or not os.path.isfile(path):
            return self.plain(404)
        with open(path, "rb") as file:
            return self.serve(mode, file.read(), first_time)

    def serve(self, mode, data, first_time):
        tag = '"%s"' % hashlib.sha256(data).hexdigest()[:16]
        if mode == "garble" and data and not self.path.endswith("index.json"):
            middle = len(data) // 2
            data = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1:]
        if mode != "notag" and self.headers.get("If-None-Match") == tag:
            return self.plain(304, [("ETag", tag)])
        start, code = 0, 200
        asked = self.headers.get("Range", "")
        if asked.startswith("bytes=") and self.headers.get("If-Range", tag) == tag:
            start, code = int(asked[6:].rstrip("-")), 206
            if start >= len(data):
                return self.plain(416)
        if code == 206 and mode == "elsewhere":
            start -= 1
        body = data[start:]
        self.send_response(code)
        if mode != "notag":
            self.send_header("ETag", tag)
        if code == 206:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (start, len(data) - 1, len(data)))
        if mode == "nolength":
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(len(body) + (100 if mode == "short" else 0)))
        self.end_headers()
        return self.send_body(mode, body, code, first_time)

    def send_body(self, mode, body, code, first_time):
        half = (mode == "cut" or (mode == "cutonce" and code == 200) or
                (mode in ("notag", "elsewhere") and first_time))
        if half:
            body = body[:max(1, len(body) // 2)]
        if half or mode in ("short", "nolength"):
            self.close_connection = True
        if mode != "slow":
            self.wfile.write(body)
            return
        for i in range(len(body)):
            self.wfile.write(body[i:i + 1])
            self.wfile.flush()
            time.sleep(0.2)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # clients that go away are what the tests are about


server = Server(("127.0.0.1", 0), Handler)
if len(sys.argv) > 3:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(sys.argv[3], sys.argv[4])
    server.socket = tls.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
