"""What the scripts beside it share: calls to a gateway and to the simulator, windows, and lines for what was tried."""

import asyncio
import json
import urllib.error
import urllib.request

from websockets.asyncio.client import connect


def check(name, wanted, found):
    """Prints a line of JSON, which the test compares."""
    print(json.dumps({"name": name, "wanted": wanted, "found": found}), flush=True)


def call(method, url, body=None, token=None):
    """Calls, and gives the parsed answer; another status than 2xx is an urllib.error.HTTPError."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method)
    request.add_header("Content-Type", "application/json")
    if token:
        request.add_header("Authorization", "Bearer " + token)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
        return json.loads(text) if text else None


def status(method, url, body=None, token=None):
    """Calls, and gives the status, whatever it is."""
    try:
        call(method, url, body, token)
        return 200
    except urllib.error.HTTPError as error:
        return error.code


def open_window(url, token, **more):
    """A window at a gateway's address; without a token none is shown."""
    headers = {"Authorization": "Bearer " + token} if token else {}
    return connect(url.replace("http", "ws", 1), additional_headers=headers, open_timeout=30, **more)


async def hear(window, kind=None):
    """The next frame, or the next of a type."""
    while True:
        frame = json.loads(await asyncio.wait_for(window.recv(), 30))
        if kind is None or frame["type"] == kind:
            return frame
