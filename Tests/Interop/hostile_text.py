"""Fills every place of the API with text that is expensive to normalise, and measures the gateway's CPU time.

To Unicode normalisation (UAX #15) a letter with n combining marks costs n * n: whoever compares or hashes such a text as
Unicode, and not as bytes, spends minutes on a megabyte. The places are taken from the API description that the gateway
serves: every string, member name, path segment and query parameter; beside them headers, tokens, events of every form and
frames of the messaging window.

Arguments: the gateway's URL, its process id, the file of the admin token, and the most bytes of a body (the limit of most
routes is 1048576). Prints the ten slowest inputs and "N places, M too slow", which the test reads.

A place is too slow when twice the text costs more than three times the CPU time, and more than 1 ms for each KB of input.
Single requests of a debug build cost some milliseconds, whatever they hold: 5 ms are taken off.
"""

import base64
import http.client
import json
import os
import socket
import sys
import time
import urllib.parse
import urllib.request

import yaml

url, pid, token_file, most = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
authority = url.removeprefix("http://")
with open(token_file) as file:
    ADMIN = "Bearer " + file.read().strip()
# The CPU clock of another process (clock_getcpuclockid(3)).
CLOCK = (~pid << 3) | 2
BASE_MILLISECONDS = 5.0
HEAD_BYTES = 12_000
FRAME_BYTES = 60_000
TOKEN_BYTES = 6_000
results = []


def marks(size):
    """A letter and combining marks of two classes, which normalisation must sort: at most so many bytes."""
    return "a" + "\u0301\u0316" * ((size - 1) // 4)


def cpu():
    return time.clock_gettime(CLOCK) * 1000


def measured(send):
    before = cpu()
    status = send()
    return cpu() - before, status


def place(name, size, send):
    """Measures one place with half of its limit and with its limit; noise is told apart by trying again."""
    spent = None
    for _ in range(4):
        half, _ = measured(lambda: send(marks(size // 2)))
        whole, status = measured(lambda: send(marks(size)))
        if spent is None or whole < spent[1]:
            spent = (half, whole, status)
        net = max(spent[1] - BASE_MILLISECONDS, 0)
        slow = spent[1] > 3 * spent[0] and net > size / 1024 or net > 4 * size / 1024
        if not slow:
            break
    results.append({"name": name, "bytes": size, "ms": spent[1], "half": spent[0], "status": spent[2], "slow": slow})


def request(method, path, body=None, headers=None):
    """Sends one request on a connection of its own, byte for byte; gives the status."""
    lines = [f"{method} {path} HTTP/1.1".encode(), b"Host: localhost", b"Connection: close"]
    fields = {"Authorization": ADMIN, **(headers or {})}
    if body is not None:
        fields.setdefault("Content-Type", "application/json")
        fields["Content-Length"] = str(len(body))
    lines += [f"{name}: {value}".encode() for name, value in fields.items() if value is not None]
    host, port = authority.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=120) as connection:
        try:
            connection.sendall(b"\r\n".join(lines) + b"\r\n\r\n" + (body or b""))
        except (BrokenPipeError, ConnectionResetError):
            pass
        answer = http.client.HTTPResponse(connection)
        try:
            answer.begin()
            # A stream of events has no end.
            if answer.getheader("Content-Type") != "text/event-stream":
                answer.read()
        except (http.client.HTTPException, ConnectionResetError):
            return 0
        return answer.status


def text(value):
    return json.dumps(value, ensure_ascii=False).encode()


# MARK: The description

with urllib.request.urlopen(url + "/openapi.yaml", timeout=60) as answer:
    root = yaml.safe_load(answer.read())


def resolved(value):
    while isinstance(value, dict) and "$ref" in value:
        found = root
        for name in value["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        value = found
    return value if isinstance(value, dict) else {}


def choices(schema):
    schema = resolved(schema)
    found = [schema]
    for name in ("oneOf", "anyOf", "allOf"):
        for other in schema.get(name, []):
            found += choices(other)
    return found


def places(schema, example, path=(), depth=0):
    """Pointers of all members that a body may have, with the values around them."""
    if depth > 6:
        return
    for choice in choices(schema):
        for name, inner in (choice.get("properties") or {}).items():
            here = path + (name,)
            yield here
            yield from places(inner, None, here, depth + 1)
        if isinstance(choice.get("additionalProperties"), dict):
            yield from places(choice["additionalProperties"], None, path + ("x",), depth + 1)
        if "items" in choice:
            yield path + (0,)
            yield from places(choice["items"], None, path + (0,), depth + 1)


def put(value, path, hostile):
    """The value with another one at a path."""
    if not path:
        return hostile
    name, rest = path[0], path[1:]
    if name == 0:
        inner = value[0] if isinstance(value, list) and value else None
        return [put(inner, rest, hostile)]
    copied = dict(value) if isinstance(value, dict) else {}
    copied[name] = put(copied.get(name), rest, hostile)
    return copied


NAMES = {"brand": "acme", "app": "ios", "consumer": "u-1", "deviceId": "d-1", "conversation": "c-9",
         "messageId": "00000000-0000-7000-8000-000000000000", "delivery": "1", "credential": "x", "subscription": "reader",
         "campaign": "spring"}


def filled(path, other=None):
    for name, value in {**NAMES, **(other or {})}.items():
        path = path.replace("{" + name + "}", value)
    return path


def operations():
    for path, item in root["paths"].items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            parameters = [resolved(p) for p in item.get("parameters", []) + operation.get("parameters", [])]
            yield method.upper(), path, operation, parameters


def describe():
    for method, path, operation, parameters in operations():
        name = f"{method} {path}"
        security = operation.get("security", [{"admin": []}])
        query = "?consumer=u-1" if any("session" in s for s in security) else ""
        content = (operation.get("requestBody") or {}).get("content", {}).get("application/json")
        if content:
            example = content.get("example")
            if example is None:
                example = next((e["value"] for e in (content.get("examples") or {}).values()), {})
            target = filled(path) + query
            for here in dict.fromkeys(places(content.get("schema", {}), example)):
                place(f"{name} /{'/'.join(map(str, here))}", most,
                      lambda t, here=here: request(method, target, text(put(example, here, t[:-20]))))
            inner = dict(example) if isinstance(example, dict) else {}
            place(f"{name} a member's name", most, lambda t: request(method, target, text({**inner, t[:-40]: 1})))
            place(f"{name} a member's name within data", most,
                  lambda t: request(method, target, text({**inner, "data": {t[:-60]: 1}})))
        for parameter in parameters:
            if parameter.get("in") == "query":
                place(f"{name} ?{parameter['name']}", HEAD_BYTES,
                      lambda t: request(method, filled(path) + "?" + parameter["name"] + "="
                                        + urllib.parse.quote(t[:len(t) // 3])))
            elif parameter.get("in") == "path":
                place(f"{name} {{{parameter['name']}}}", HEAD_BYTES,
                      lambda t: request(method, filled(path, {parameter["name"]: urllib.parse.quote(t[:len(t) // 3])})))


# MARK: Heads, tokens, events, windows

def heads():
    for name in ["Accept", "Authorization", "Connection", "Content-Type", "Content-Encoding", "Cookie", "Expect", "Forwarded",
                 "Host", "Idempotency-Key", "If-Match", "If-None-Match", "Last-Event-ID", "Origin", "Sec-WebSocket-Key",
                 "Sec-WebSocket-Protocol", "Sec-WebSocket-Version", "TE", "Transfer-Encoding", "traceparent", "tracestate",
                 "Upgrade", "User-Agent", "X-Forwarded-For", "X-Request-Id", "X-SDK-Key-Name", "ce-id", "ce-type", "ce-source",
                 "ce-time", "ce-specversion", "x-of-nobody"]:
        for prefix in ["", "Basic ", "Bearer ", "application/json;charset=", "0, ", "W/\""]:
            place(f"header {name}: {prefix}", HEAD_BYTES,
                  lambda t: request("POST", "/v1/brands/acme/events", b"{}", {name: prefix + t}))
        place(f"header {name} of a window", HEAD_BYTES, lambda t: request(
            "GET", "/v1/brands/acme/window?deviceId=d-1", None,
            {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
             "Sec-WebSocket-Version": "13", "Authorization": None, name: t}))
    for path in ["/" + "x", "/v1/brands/acme/", "/chat/"]:
        place(f"path {path}", HEAD_BYTES,
              lambda t: request("GET", path + urllib.parse.quote(t[:len(t) // 3])))
        place(f"path {path}, not encoded", HEAD_BYTES, lambda t: request("GET", path + t))
    place("a parameter's name", HEAD_BYTES,
          lambda t: request("GET", "/v1/brands/acme/deliveries?" + urllib.parse.quote(t[:len(t) // 3]) + "=1"))


def encoded(value):
    return base64.urlsafe_b64encode(text(value)).rstrip(b"=").decode()


def tokens():
    header, claims = {"alg": "RS256", "typ": "JWT"}, {"iss": "https://login.example", "sub": "u-1", "iat": 1, "exp": 2}

    def grant(header, claims):
        body = {"grant": "assertion", "token": f"{encoded(header)}.{encoded(claims)}.AAAA"}
        return request("POST", "/v1/brands/acme/sessions", text(body))

    for name in ["alg", "typ", "kid", "cty", "crit", "jku"]:
        place(f"token header {name}", TOKEN_BYTES, lambda t: grant({**header, name: t[:len(t) // 2]}, claims))
    for name in ["iss", "sub", "aud", "azp", "identifier", "name", "email", "switchboard_session"]:
        place(f"token claim {name}", TOKEN_BYTES, lambda t: grant(header, {**claims, name: t[:len(t) // 2]}))
    place("token claim's name", TOKEN_BYTES, lambda t: grant(header, {**claims, t[:len(t) // 2]: 1}))
    place("token header's name", TOKEN_BYTES, lambda t: grant({**header, t[:len(t) // 2]: 1}, claims))
    for name in ["alg", "enc", "kid", "zip"]:
        jwe = {"alg": "RSA-OAEP-256", "enc": "A256GCM"}
        place(f"encrypted token header {name}", TOKEN_BYTES, lambda t: request(
            "POST", "/v1/brands/acme/sessions",
            text({"grant": "assertion", "token": encoded({**jwe, name: t[:len(t) // 2]}) + ".AA.AA.AA.AA"})))


EVENT = {"id": "evt-1", "type": "agent.message", "consumer": "u-1", "conversation": "c-9", "text": "x"}
CLOUD = {"id": "evt-1", "type": "agent.message", "source": "/s", "specversion": "1.0"}


def events():
    def post(body, kind):
        return request("POST", "/v1/brands/acme/events", body, {"Content-Type": kind})

    members = ["id", "type", "consumer", "conversation", "dialog", "source", "text", "title", "priority", "collapseKey",
               "category", "sound", "time", "kind", "campaign", "upToMessageId", "agent", "link", "data", "unknown"]
    for name in members:
        for kind in ["agent.message", "proactive.message", "messages.read"]:
            place(f"event {kind} {name}", most,
                  lambda t: post(text({**EVENT, "type": kind, name: t[:-100]}), "application/json"))
        place(f"event in a list: {name}", most, lambda t: post(text([{**EVENT, name: t[:-100]}] * 1), "application/json"))
        place(f"event in lines: {name}", most, lambda t: post(text({**EVENT, name: t[:-100]}), "application/x-ndjson"))
        place(f"CloudEvent {name}", most,
              lambda t: post(text({**CLOUD, "data": {**EVENT, name: t[:-100]}}), "application/cloudevents+json"))
    for name in ["id", "type", "source", "specversion", "time", "datacontenttype", "data_base64", "subject"]:
        place(f"CloudEvent attribute {name}", most,
              lambda t: post(text({**CLOUD, name: t[:-200], "data": EVENT}), "application/cloudevents+json"))
    for inner in ["agent", "link", "data"]:
        for name in ["id", "nickname", "ios", "android", "web", "x"]:
            place(f"event {inner}/{name}", most,
                  lambda t: post(text({**EVENT, inner: {name: t[:-100]}}), "application/json"))
        place(f"event {inner}, a member's name", most,
              lambda t: post(text({**EVENT, inner: {t[:-100]: 1}}), "application/json"))
    place("event, a member's name", most, lambda t: post(text({**EVENT, t[:-100]: 1}), "application/json"))
    place("event link's scheme", most,
          lambda t: post(text({**EVENT, "link": {"ios": "app:" + t[:-100]}}), "application/json"))


def frame(payload):
    """A masked text frame (RFC 6455 section 5.2)."""
    if len(payload) < 126:
        head = bytes([0x81, 0x80 | len(payload)])
    elif len(payload) < 65_536:
        head = bytes([0x81, 0x80 | 126]) + len(payload).to_bytes(2, "big")
    else:
        head = bytes([0x81, 0x80 | 127]) + len(payload).to_bytes(8, "big")
    return head + bytes(4) + payload


def windows():
    call = urllib.request.Request(url + "/v1/brands/acme/consumers/u-1/sessions", data=b"{}", method="POST")
    call.add_header("Authorization", ADMIN)
    call.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(call, timeout=60) as answer:
        session = json.loads(answer.read())["sessionToken"]
    host, port = authority.rsplit(":", 1)

    def say(value):
        head = (f"GET /v1/brands/acme/window HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer {session}"
                "\r\n\r\n").encode()
        with socket.create_connection((host, int(port)), timeout=120) as connection:
            # A frame that is answered comes behind it, so that its time is counted: a close.
            connection.sendall(head + frame(text(value)) + bytes([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8]))
            while connection.recv(65_536):
                pass
        return 0

    frames = {
        "resume": ["conversations/0/id", "conversations/0/afterSequence", "conversations"],
        "ack": ["conversation", "upToSequence"], "send": ["clientId", "conversation", "text", "data", "data/x"],
        "typing": ["conversation"], "reauthenticate": ["sessionToken"], "unknown": ["x"],
    }
    for kind, members in frames.items():
        for name in members + ["type"]:
            path = [0 if part == "0" else part for part in name.split("/")]
            place(f"frame {kind} {name}", FRAME_BYTES, lambda t: say(put({"type": kind}, path, t[:-100])))
        place(f"frame {kind}, a member's name", FRAME_BYTES, lambda t: say({"type": kind, t[:-100]: 1}))
    place("frame send, a member's name in data", FRAME_BYTES,
          lambda t: say({"type": "send", "clientId": "c", "conversation": "c-9", "text": "x", "data": {t[:-200]: 1}}))


request("POST", "/v1/brands", text({"id": "acme", "name": "Acme", "settings": {"anonymousConsumers": True, "wire": {
    "copilot": True, "ccai": True}}}))
# What is done for the first time costs more.
for _ in range(3):
    request("POST", "/v1/brands/acme/events", text({**EVENT, "id": os.urandom(8).hex()}))
    request("GET", "/v1/brands/acme/deliveries")
for part in [describe, heads, tokens, events, windows]:
    part()
slowest = sorted(results, key=lambda r: -r["ms"] / max(r["bytes"], 1024))[:10]
for result in slowest:
    print(f"{result['ms']:8.2f} ms {result['bytes'] // 1024:5} KB {result['ms'] / result['bytes'] * 1024:7.3f} ms/KB "
          f"(half {result['half']:.2f} ms) {result['status']} {result['name']}")
for result in results:
    if result["slow"]:
        print(f"too slow: {result['name']}: {result['half']:.1f} ms, then {result['ms']:.1f} ms of {result['bytes']} bytes")
print(f"{len(results)} places, {sum(r['slow'] for r in results)} too slow")
