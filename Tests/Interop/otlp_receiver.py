"""Receives traces over OTLP/HTTP as JSON, with the messages of another implementation (opentelemetry-proto).

Prints "listening on PORT", and then a line "span " with JSON for each span. What the messages do not allow gets 400 and a line
"wrong ".
"""

import base64
import http.server
import json

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

IDS = ["traceId", "spanId", "parentSpanId"]


def parsed(body):
    """The message of a body: ids are hexadecimal in OTLP, base64 in the JSON of other protocol buffers."""
    document = json.loads(body)
    for resource in document["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for name in IDS:
                    if name in span:
                        span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
    return json_format.ParseDict(document, ExportTraceServiceRequest())


def values(attributes):
    return {item.key: getattr(item.value, item.value.WhichOneof("value")) for item in attributes}


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        status = 200
        try:
            if self.path != "/v1/traces" or self.headers["content-type"] != "application/json":
                raise ValueError("another path or type")
            for resource in parsed(body).resource_spans:
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        self.show(resource, span)
        except Exception as error:
            status = 400
            print("wrong", repr(error), flush=True)
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def show(self, resource, span):
        print("span " + json.dumps({
            "trace": span.trace_id.hex(),
            "span": span.span_id.hex(),
            "parent": span.parent_span_id.hex(),
            "name": span.name,
            "kind": Span.SpanKind.Name(span.kind),
            "status": Status.StatusCode.Name(span.status.code),
            "start": str(span.start_time_unix_nano),
            "end": str(span.end_time_unix_nano),
            "attributes": values(span.attributes),
            "service": values(resource.resource.attributes)["service.name"],
            "key": self.headers["x-collector-key"],
        }), flush=True)

    def log_message(self, *arguments):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
print("listening on", server.server_address[1], flush=True)
server.serve_forever()
