"""Opens two messaging windows on one connection of HTTP/2 (RFC 8441), beside requests, with the protocols of other implementations (h2 for
the connection, websockets for the windows).

Arguments: the gateway's URL and the brand. The admin token is in SWITCHBOARD_TOKEN. Prints a line for each step, which the test compares.
"""

import json
import os
import socket
import ssl
import sys
import urllib.parse

import h2.config
import h2.connection
import h2.errors
import h2.events
from websockets.frames import Opcode
from websockets.protocol import CLIENT, Protocol

import gateway

url, brand = sys.argv[1:3]
base = f"/v1/brands/{brand}"
admin = os.environ["SWITCHBOARD_TOKEN"]


class Stream:
    """A request, and what has arrived for it."""

    def __init__(self, connection, headers, is_last):
        self.connection = connection
        self.number = connection.h2.get_next_available_stream_id()
        self.status = None
        self.data = b""
        self.is_ended = False
        self.reset = None
        connection.streams[self.number] = self
        connection.h2.send_headers(self.number, headers, end_stream=is_last)
        connection.flush()

    def wait(self, holds):
        while not holds():
            self.connection.step()


class Connection:
    def __init__(self):
        parts = urllib.parse.urlsplit(url)
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=60)
        if parts.scheme == "https":
            context = ssl.create_default_context()
            context.set_alpn_protocols(["h2"])
            self.socket = context.wrap_socket(self.socket, server_hostname=parts.hostname)
        self.place = [(":scheme", parts.scheme), (":authority", parts.netloc)]
        self.streams = {}
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.h2.initiate_connection()
        self.flush()

    def flush(self):
        self.socket.sendall(self.h2.data_to_send())

    def step(self):
        received = self.socket.recv(65536)
        if not received:
            raise EOFError
        for event in self.h2.receive_data(received):
            stream = self.streams.get(getattr(event, "stream_id", None))
            if isinstance(event, h2.events.ResponseReceived):
                stream.status = dict(event.headers)[":status"]
            elif isinstance(event, h2.events.DataReceived):
                stream.data += event.data
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                stream.is_ended = True
            elif isinstance(event, h2.events.StreamReset):
                stream.reset = event.error_code
        self.flush()

    def get(self, path):
        headers = [(":method", "GET"), (":path", path)] + self.place
        stream = Stream(self, headers, True)
        stream.wait(lambda: stream.is_ended)
        return stream.status


class Window:
    def __init__(self, connection, token):
        headers = [(":method", "CONNECT"), (":protocol", "websocket"), (":path", base + "/window")] + connection.place
        headers += [("sec-websocket-version", "13"), ("authorization", "Bearer " + token)]
        self.stream = Stream(connection, headers, False)
        self.protocol = Protocol(CLIENT)
        self.frames = []
        self.stream.wait(lambda: self.stream.status is not None)

    def send(self):
        for part in self.protocol.data_to_send():
            # An empty part is the end of a connection.
            if part:
                self.stream.connection.h2.send_data(self.stream.number, part)
        self.stream.connection.flush()

    def say(self, **frame):
        self.protocol.send_text(json.dumps(frame).encode())
        self.send()

    def receive(self):
        """Passes on what has arrived; true if there is a message."""
        self.protocol.receive_data(self.stream.data)
        self.stream.data = b""
        self.frames += [frame for frame in self.protocol.events_received() if frame.opcode is Opcode.TEXT]
        return bool(self.frames)

    def hear(self):
        self.stream.wait(self.receive)
        return json.loads(self.frames.pop(0).data)


connection = Connection()
while not connection.h2.remote_settings.enable_connect_protocol:
    connection.step()
print("offered")
token = gateway.call("POST", f"{url}{base}/consumers/ws-1/sessions", {}, token=admin)["sessionToken"]
one, two = Window(connection, token), Window(connection, token)
print("opened", one.stream.status, two.stream.status, one.hear()["type"], two.hear()["type"])
for window in [one, two]:
    window.say(type="resume", conversations=[])
event = {"id": "ws-1", "type": "agent.message", "consumer": "ws-1", "conversation": "ws-c", "text": "hello"}
gateway.call("POST", f"{url}{base}/events", event, token=admin)
print("heard", one.hear()["text"], two.hear()["text"], connection.get("/livez"))
one.say(type="typing", conversation="ws-c")
print("typed", two.hear()["by"])
one.protocol.send_close(1000)
one.send()
one.stream.wait(lambda: one.stream.is_ended)
one.receive()
print("closed", one.protocol.close_rcvd.code)
connection.h2.reset_stream(two.stream.number, h2.errors.ErrorCodes.CANCEL)
connection.flush()
wrong = Window(connection, "x")
wrong.stream.wait(lambda: wrong.receive() or wrong.protocol.close_rcvd is not None)
print("refused", wrong.stream.status, wrong.protocol.close_rcvd.code)
print("served", connection.get("/livez"))
