"""Holds a messaging window of a running gateway open while events come, and shows what becomes of their pushes.

Arguments: the gateway's URL, the simulator's control URL, the brand. The admin token is in SWITCHBOARD_ADMIN_TOKEN. The
consumer `u-1` has one device. Prints a line of JSON for each thing that was tried, {"name", "wanted", "found"}; then
"holding", when a message was shown in the window and not acknowledged, and ends when the connection does.
"""

import asyncio
import json
import os
import sys

from websockets.exceptions import ConnectionClosed

import gateway
from gateway import check, hear, open_window

server, control, brand = sys.argv[1:4]
admin = os.environ["SWITCHBOARD_ADMIN_TOKEN"]


def call(method, path, body=None):
    return gateway.call(method, f"{server}/v1/brands/{brand}{path}", body, admin)


def post(name):
    event = {"id": name, "type": "agent.message", "consumer": "u-1", "conversation": "c-9", "text": name}
    call("POST", "/events", event)


def newest():
    item = call("GET", "/deliveries?limit=1")["items"][0]
    return [item["state"], item.get("suppressedBy")]


def pushes(after, seconds):
    """Waits for a push."""
    return gateway.call("GET", f"{control}/pushes?after={after}&waitSeconds={seconds}")["pushes"]


async def opened(token):
    window = await open_window(f"{server}/v1/brands/{brand}/window?deviceId=phone", token)
    await hear(window, "ready")
    return window


async def main():
    token = call("POST", "/consumers/u-1/sessions", {"deviceId": "phone"})["sessionToken"]
    window = await opened(token)
    post("shown")
    frame = await hear(window, "message")
    check("a message comes by the window", ["shown", 1, "agent"], [frame["text"], frame["sequence"], frame["from"]])
    check("its push is held", ["held", None], newest())
    await window.send(json.dumps({"type": "ack", "conversation": "c-9", "upToSequence": 1}))
    await hear(window, "read")
    check("acknowledged, it is not pushed", ["suppressed", "window_open"], newest())
    unread = call("GET", "/unread?consumer=u-1")["unread"]
    check("nothing is unread", 0, unread)

    await window.send(json.dumps({"type": "send", "clientId": "m-1", "conversation": "c-9", "text": "thank you"}))
    frame = await hear(window, "sent")
    check("the consumer's answer is stored", ["m-1", 2], [frame["clientId"], frame["sequence"]])
    check("and nothing was pushed so far", 0, len(pushes(0, 0)))

    post("cut off")
    await hear(window, "message")
    window.transport.abort()
    # In a thread, so that the loop can close the socket meanwhile.
    found = await asyncio.to_thread(pushes, 0, 30)
    check("a connection that is cut ends in a push", 1, len(found))

    window = await opened(token)
    post("crash")
    await hear(window, "message")
    check("held again", ["held", None], newest())
    print("holding", flush=True)
    try:
        while True:
            await asyncio.wait_for(window.recv(), 60)
    except ConnectionClosed:
        pass


asyncio.run(main())
