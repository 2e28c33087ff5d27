"""A day in the life of a consumer with two devices, and of who gets her phone after her.

Arguments: the gateway's executable, the simulator's control URL and its authority, a new directory for the gateway's data, and
after how many milliseconds the gateway is killed (SIGKILL) in each step; "never" leaves it alone. The body of the iOS app is in
SWITCHBOARD_APP. Prints a line of JSON for each thing that was tried, {"name", "wanted", "found"}, and then "done".

What fails because the gateway died is done again after its next start, as an app or a back-end would; nothing else is.
"""

import asyncio
import ctypes
import http.client
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error

from joserfc import jwt
from joserfc.jwk import OctKey
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from gateway import call, check, hear, open_window, status

executable, control, authority, data, moment = sys.argv[1:6]
delay = None if moment == "never" else int(moment) / 1000
PHONE, TABLET = "5a" * 32, "7b" * 32
# What a caller sees when the gateway dies under it.
GONE = (ConnectionError, TimeoutError, http.client.HTTPException, urllib.error.URLError, ConnectionClosed,
        InvalidHandshake, InvalidMessage)


class Gateway:
    """A gateway process that comes back on the same port with the same data."""

    def __init__(self):
        self.listen = "127.0.0.1:0"
        self.start()
        with open(data + "/admin-token") as file:
            self.admin = file.read().strip()

    def start(self):
        self.process = subprocess.Popen(
            [executable, "serve", "--listen", self.listen, "--data-dir", data],
            env={"PATH": os.environ["PATH"], "SWITCHBOARD_PROVIDER_TRUST_ROOTS": authority,
                 "SWITCHBOARD_DELIVERY_RETRY_DELAYS_SECONDS": "1"},
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            # It ends with this script, however that ends (PR_SET_PDEATHSIG, prctl(2)).
            preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL),
        )
        for line in self.process.stdout:
            if line.startswith("listening on "):
                self.url = line.split()[2] + "/v1/brands/acme"
                self.listen = line.split()[2].removeprefix("http://")
                return
        raise SystemExit("the gateway did not start")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def call(self, method, path, body=None, token=None):
        return call(method, self.url + path, body, token or self.admin)

    def status(self, method, path, body=None, token=None):
        return status(method, self.url + path, body, token or self.admin)


gateway = Gateway()


async def do(action):
    """One step, in the middle of which the gateway dies; what was not answered is done again."""
    if delay is None:
        return await action()
    step = asyncio.create_task(action())
    # The moment of the crash; nothing is waited for.
    await asyncio.wait({step}, timeout=delay)
    await asyncio.to_thread(gateway.kill)
    try:
        answer = await step
        await asyncio.to_thread(gateway.start)
        return answer
    except GONE as error:
        if isinstance(error, urllib.error.HTTPError):
            raise
        await asyncio.to_thread(gateway.start)
        return await action()


async def ask(method, path, body=None, token=None):
    return await asyncio.to_thread(gateway.call, method, path, body, token)


async def logged_in(consumer, device):
    """A session by an assertion of the back-end's."""
    async def log_in():
        now = int(time.time())
        claims = {"iss": "sdk", "identifier": consumer, "iat": now, "exp": now + 60}
        token = jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(sdk_key))
        body = {"grant": "assertion", "token": token, "deviceId": device}
        return (await ask("POST", "/sessions", body))["sessionToken"]

    return await do(log_in)


async def registered(device, push_token, session):
    body = {"token": push_token, "pushType": "apns"}
    await do(lambda: ask("PUT", f"/apps/ios/devices/{device}", body, session))


async def logged_out(session, scope):
    """Ends a session. Whoever asks again, since the answer was lost, is told that there is none any more."""
    async def log_out():
        path = "/sessions/current?unregister=" + scope
        return await asyncio.to_thread(gateway.status, "DELETE", path, token=session)

    check(f"logged out, {scope}", True, await do(log_out) in [200, 401] if delay is not None else await log_out() == 200)
    check("her session is over", 401, gateway.status("GET", "/unread", token=session))


async def posted(name, consumer="ann", conversation="c-1", **more):
    """The message's id: the same, however often it is posted."""
    event = {"id": name, "type": "agent.message", "consumer": consumer, "conversation": conversation, "text": name} | more
    answer = await do(lambda: ask("POST", "/events", event))
    return answer["results"][0]["messageId"]


seen = []


async def pushes(seconds=0):
    """All pushes that were accepted so far; waits for another one, if so long."""
    after = seen[-1]["number"] if seen else 0
    seen.extend((await asyncio.to_thread(call, "GET", f"{control}/pushes?after={after}&waitSeconds={seconds}"))["pushes"])
    return [push for push in seen if push["result"] == "accepted"]


async def settled():
    """Waits until no delivery is to be made any more: 30 seconds at most."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        states = {item["state"] for item in (await ask("GET", "/deliveries?limit=500"))["items"]}
        if not states & {"pending", "held", "sending", "retrying"}:
            return await pushes()
        await pushes(seconds=1)
    raise SystemExit(f"deliveries do not end: {states}")


async def pushed(message):
    """Who was pushed a message, with which badge; a crash may send one twice, but not with another badge."""
    found = [push for push in await settled() if push["body"].get("messageId") == message]
    pairs = [(push["token"][:2], push["body"]["aps"].get("badge")) for push in found]
    return sorted(pairs if delay is None else set(pairs))


async def unread(session):
    return (await ask("GET", "/unread", token=session))["unread"]


async def last_badge(token):
    """What is on a device's icon: the badge of its last push."""
    badges = [push["body"]["aps"].get("badge") for push in await settled() if push["token"] == token]
    return [badge for badge in badges if badge is not None][-1]


async def shown_in_window(session, name, number):
    """A window opens, a message comes by it and is acknowledged. A new window goes on where the last one was cut off."""
    async with open_window(gateway.url + "/window?deviceId=phone", session) as window:
        await hear(window, "ready")
        await window.send(json.dumps({"type": "resume", "conversations": [{"id": "c-1", "afterSequence": number - 1}]}))
        event = {"id": name, "type": "agent.message", "consumer": "ann", "conversation": "c-1", "text": name}
        await ask("POST", "/events", event)
        frame = await hear(window, "message")
        await window.send(json.dumps({"type": "ack", "conversation": "c-1", "upToSequence": frame["sequence"]}))
        while (read := await hear(window, "read"))["upToSequence"] < number:
            pass
        return [frame["text"], frame["sequence"], read["unread"]]


async def main():
    global sdk_key
    server = gateway.url.removesuffix("/brands/acme")
    call("POST", server + "/brands", {"id": "acme", "name": "Acme"}, gateway.admin)
    gateway.call("PUT", "/apps/ios", json.loads(os.environ["SWITCHBOARD_APP"]))
    sdk_key = gateway.call("POST", "/credentials", {"kind": "sdkKey", "name": "sdk"})["secret"]

    phone = await logged_in("ann", "phone")
    tablet = await logged_in("ann", "tablet")
    await registered("phone", PHONE, phone)
    await registered("tablet", TABLET, tablet)
    devices = (await ask("GET", "/consumers/ann/devices"))["items"]
    check("both devices are hers", ["phone", "tablet"], sorted(device["deviceId"] for device in devices))

    shown = await do(lambda: shown_in_window(phone, "in the window", 1))
    check("a message comes by the window and is read there", ["in the window", 1, 0], shown)
    check("nothing is unread", 0, await unread(phone))
    if delay is None:
        check("what came by the window was not pushed", [], [p for p in await settled() if "messageId" in p["body"]])

    away = await posted("window closed")
    check("closed, it is pushed to both", [("5a", 1), ("7b", 1)], await pushed(away))
    check("one is unread", 1, await unread(tablet))

    tap = {"deviceId": "phone"}
    first = await do(lambda: ask("POST", f"/messages/{away}/tap", tap, phone))
    again = await ask("POST", f"/messages/{away}/tap", tap, phone)
    check("the tap names it", ["agent", "c-1", 2], [first["kind"], first["conversation"], first["sequence"]])
    check("and is recorded once", first, again)
    tapped = [d["deviceId"] for d in (await ask("GET", f"/deliveries?message={away}"))["items"] if d["tappedAt"]]
    check("at the phone's delivery", ["phone"], tapped)
    check("which reads nothing", 1, await unread(phone))

    read = await do(lambda: ask("POST", "/conversations/c-1/read", {"upToSequence": 2}, tablet))
    check("read on the tablet", 0, read["unread"])
    check("the phone's badge falls", 0, await last_badge(PHONE))
    badge_only = [push for push in await settled() if push["token"] == PHONE][-1]
    check("by a push of the badge alone", {"badge": 0}, badge_only["body"]["aps"])

    await logged_out(phone, "agent")
    agent = await posted("agent logout")
    check("agents' messages go to the tablet only", [("7b", 1)], await pushed(agent))
    offer = await posted("an offer", type="proactive.message", kind="proactive")
    # R195: the phone is not told how many of agents' messages are unread.
    check("proactive ones to both, and count nothing", [("5a", None), ("7b", 1)], await pushed(offer))

    phone = await logged_in("ann", "phone")
    await registered("phone", PHONE, phone)
    check("back again, one is unread", 1, await unread(phone))
    offers = (await ask("GET", "/proactive", token=phone))["items"]
    check("and the offer waits", [offer], [item["messageId"] for item in offers])
    await logged_out(phone, "all")
    await do(lambda: ask("DELETE", "/consumers/ann/sessions?unregister=all"))
    check("the tablet's session is over too", 401, gateway.status("GET", "/unread", token=tablet))
    late = await posted("logged out")
    last_offer = await posted("a last offer", type="proactive.message", kind="proactive")
    check("logged out, nothing is pushed", [[], []], [await pushed(late), await pushed(last_offer)])

    before = len(await pushes())
    other = await logged_in("ben", "phone")
    await registered("phone", PHONE, other)
    check("who gets the phone sees nothing unread", 0, await unread(other))
    messages = "/messages?conversation=c-1"
    check("nor her messages", 404, gateway.status("GET", messages, token=other))
    check("nor what she was offered", [], (await ask("GET", "/proactive", token=other))["items"])
    taps = [gateway.status("POST", f"/messages/{message}/tap", tap, other) for message in [away, offer, late]]
    check("nor what she could tap", [404, 404, 404], taps)
    async with open_window(gateway.url + "/window?deviceId=phone", other) as window:
        check("nor anything in a window", [0, []], [(r := await hear(window, "ready"))["unread"], r["conversations"]])
        await window.send(json.dumps({"type": "resume", "conversations": [{"id": "c-1", "afterSequence": 0}]}))
        check("not even when asked for", "not_found", (await hear(window, "error"))["code"])
    hello = await posted("hello ben", consumer="ben", conversation="c-2")
    check("his own are pushed to him", [("5a", 1)], await pushed(hello))
    after = {push["body"].get("messageId") for push in (await settled())[before:]}
    check("and nothing else was, meanwhile", [hello], sorted(after))
    gateway.kill()
    print("done", flush=True)


asyncio.run(main())
