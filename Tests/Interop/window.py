"""Opens messaging windows of a running gateway with the client of another implementation (websockets).

Arguments: the gateway's URL and the brand. The admin token is in SWITCHBOARD_ADMIN_TOKEN. Prints a line of JSON for each
thing that was tried, {"name", "wanted", "found"}, and then "done".
"""

import asyncio
import functools
import json
import os
import sys

from websockets.exceptions import ConnectionClosed

import gateway
from gateway import check, hear

server, brand = sys.argv[1:3]
call = functools.partial(gateway.call, token=os.environ["SWITCHBOARD_ADMIN_TOKEN"])
base = f"{server}/v1/brands/{brand}"
open_window = functools.partial(gateway.open_window, base + "/window")


def login(consumer):
    return call("POST", f"{base}/consumers/{consumer}/sessions", {})["sessionToken"]


def post(consumer, conversation, number):
    event = {
        "id": f"py-{consumer}-{number}",
        "type": "agent.message",
        "consumer": consumer,
        "conversation": conversation,
        "text": "hello",
    }
    call("POST", base + "/events", event)


async def end(window):
    try:
        while True:
            await asyncio.wait_for(window.recv(), 30)
    except ConnectionClosed as closed:
        return [closed.rcvd.code, closed.rcvd.reason] if closed.rcvd else None


async def main():
    async with open_window(None) as window:
        check("no token", [4401, "token_missing"], await end(window))
    async with open_window("x") as window:
        check("a wrong token", [4403, "token_invalid: malformed"], await end(window))
    token = login("py-1")
    for number in range(30):
        post("py-1", "py-c", number)
    async with open_window(token, compression="deflate") as window:
        check("no extension is agreed on", [], [type(e).__name__ for e in window.protocol.extensions])
        check("ready", 30, (await hear(window))["conversations"][0]["lastSequence"])
        await window.send(json.dumps({"type": "resume", "conversations": [{"id": "py-c", "afterSequence": 4}]}))
        check("resumed", list(range(5, 31)), [(await hear(window))["sequence"] for _ in range(26)])
        # In fragments.
        await window.send(iter(['{"type":"ack","conv', 'ersation":"py-c","upTo', 'Sequence":30}']))
        await window.send(json.dumps({"type": "ack", "conversation": "py-x", "upToSequence": 1}))
        answer = await hear(window, "error")
        check("a foreign conversation", ["not_found", "ack"], [answer["code"], answer["ref"]])
        check("read", 0, call("GET", base + "/unread", token=token)["unread"])
        await asyncio.wait_for(await window.ping(b"hello"), 30)
        await window.send("hello")
        check("no JSON", [4400, "invalid_request: not JSON"], await end(window))
    async with open_window(token) as window:
        await hear(window)
        await window.send(b"{}")
        check("binary", [4400, "invalid_request: binary"], await end(window))
    async with open_window(token) as window:
        await hear(window)
        await window.send(" " * 65537)
        check("too big", [1009, "payload_too_large"], await end(window))
    async with open_window(token) as window, open_window(token) as other:
        for each in [window, other]:
            await hear(each)
            await each.send(json.dumps({"type": "resume", "conversations": []}))
        event = {"id": "py-typing", "type": "agent.typing", "consumer": "py-1", "conversation": "py-c"}
        call("POST", base + "/events", event)
        typing = {"type": "typing", "conversation": "py-c", "by": "agent"}
        check("the agent types", [typing, typing], [await hear(window), await hear(other)])
        await window.send(json.dumps({"type": "typing", "conversation": "py-c"}))
        check("the consumer types", "consumer", (await hear(other))["by"])
        for number in range(2):
            message = {"type": "send", "clientId": f"k-{number}", "conversation": "py-c", "text": "hi"}
            await window.send(json.dumps(message))
        heard = [await hear(window) for _ in range(2)] + [await hear(other) for _ in range(2)]
        check("no echo of its own", ["sent", "sent", "message", "message"], [frame["type"] for frame in heard])
    windows = [await open_window(login("py-2")) for _ in range(40)]
    for window in windows:
        await hear(window)
    call("DELETE", f"{base}/consumers/py-2/sessions")
    ends = await asyncio.gather(*[end(window) for window in windows])
    check("remote logout", [[4409, "logged_out"]] * 40, ends)
    print("done", flush=True)


asyncio.run(main())
