#!/usr/bin/env python3
"""Takes a brand's webhook and appends each batch to a file, one JSON line a batch, each exactly once.

    SWITCHBOARD_WEBHOOK_SECRET=whsec_... webhook_receiver.py 127.0.0.1:9000 batches.jsonl

Signatures are those of Standard Webhooks. A batch that comes again (an answer got lost, the gateway restarted) has the
same webhook-id and the same items: it is acknowledged and not written a second time.
"""
import base64
import hashlib
import hmac
import http.server
import json
import os
import sys
import threading
import time

TOLERANCE_SECONDS = 300


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        batch = self.headers.get("webhook-id", "")
        if not self.is_signed(batch, body):
            return self.answer(401)
        with self.server.lock:
            if batch not in self.server.seen:
                line = {"id": batch, **json.loads(body)}
                self.server.file.write(json.dumps(line).encode() + b"\n")
                self.server.file.flush()
                os.fsync(self.server.file.fileno())
                self.server.seen.add(batch)
                print(f"taken up to {line['items'][-1]['position']}", flush=True)
        # Only now: what is acknowledged is on disk.
        self.answer(204)

    def is_signed(self, batch, body):
        timestamp = self.headers.get("webhook-timestamp", "")
        if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
            return False
        signed = f"{batch}.{timestamp}.".encode() + body
        expected = base64.b64encode(hmac.new(self.server.key, signed, hashlib.sha256).digest()).decode()
        # One signature for each secret: while a secret is changed there are two.
        given = self.headers.get("webhook-signature", "").split(" ")
        return any(hmac.compare_digest(one, "v1," + expected) for one in given)

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def main(listen, path):
    host, _, port = listen.rpartition(":")
    server = http.server.ThreadingHTTPServer((host, int(port)), Receiver)
    server.key = base64.b64decode(os.environ["SWITCHBOARD_WEBHOOK_SECRET"].removeprefix("whsec_"))
    server.lock = threading.Lock()
    server.file = open(path, "ab+")
    server.file.seek(0)
    # A line that a crash cut short was not acknowledged: the batch comes again.
    whole = server.file.read().rpartition(b"\n")[0]
    server.file.truncate(len(whole) + 1 if whole else 0)
    lines = [json.loads(line) for line in whole.splitlines()]
    server.seen = {line["id"] for line in lines}
    print(f"listening on {host}:{server.server_port}", flush=True)
    if lines:
        print(f"taken up to {lines[-1]['items'][-1]['position']}", flush=True)
    server.serve_forever()


main(*sys.argv[1:])
