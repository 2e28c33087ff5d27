#!/usr/bin/env python3
"""Copies a brand's outbound feed into a file, one JSON item a line, each exactly once, over any restart.

    SWITCHBOARD_CREDENTIAL=sa_...:secret feed_reader.py http://127.0.0.1:8080 acme crm items.jsonl

The credential is a service account with the scope events:read. The file says how far this reader has read: that is why
nothing comes twice although an acknowledgement may get lost. The acknowledgement only tells the gateway what it need not
keep any more.
"""
import base64
import json
import os
import sys
import time
import urllib.error
import urllib.request


def open_whole(path):
    """Opens the file behind its last whole line: a line that a crash cut short was not read."""
    file = open(path, "ab+")
    file.seek(0)
    whole = file.read().rpartition(b"\n")[0]
    file.truncate(len(whole) + 1 if whole else 0)
    lines = whole.splitlines()
    return file, json.loads(lines[-1])["position"] if lines else None


def main(server, brand, subscription, path):
    feed = f"{server}/v1/brands/{brand}/outbound/{subscription}"
    credential = base64.b64encode(os.environ["SWITCHBOARD_CREDENTIAL"].encode()).decode()
    headers = {"Authorization": "Basic " + credential, "Content-Type": "application/json"}

    def call(url, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, headers)
        with urllib.request.urlopen(request, timeout=90) as answer:
            return json.load(answer)

    file, position = open_whole(path)
    print(f"read up to {position or 0}", flush=True)
    while True:
        # A file without a line begins at the subscription's mark, a new subscription at what is kept.
        after = "" if position is None else f"&after={position}"
        try:
            page = call(f"{feed}?from=start&waitSeconds=30&limit=200{after}")
        except urllib.error.HTTPError as error:
            # 4xx will not pass by itself: the credential, the brand, or a position that the gateway never gave.
            if error.code < 500 and error.code != 429:
                sys.exit(f"{error.code}: {error.read().decode(errors='replace')}")
            time.sleep(1)
            continue
        except OSError:
            time.sleep(0.2)
            continue
        if page.get("gap"):
            print("items were removed before they were read", file=sys.stderr, flush=True)
        for item in page["items"]:
            file.write(json.dumps(item).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
        if page["items"]:
            position = page["items"][-1]["position"]
            print(f"read up to {position}", flush=True)
            try:
                call(feed + "/ack", {"upTo": position})
            except OSError:
                pass  # The next one covers it.


main(*sys.argv[1:])
