import GatewayModel
import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("CloudEvents", .timeLimit(.minutes(10)))
struct CloudEventTests {
    private static let now = Timestamp(milliseconds: 1_767_323_045_678)
    private static let members = #"{"consumer":"u","text":"x","data":{"type":"inner","n":[1,{"}":"]"}] } }"#

    private func pointers(_ text: String, _ headers: HTTPFields) throws -> [String] {
        let format = try #require(EventFormat(headers))
        let batch = try WholeBody(Array(text.utf8), format, now: Self.now)
        return batch.refused.first?.problem.errors.map(\.pointer) ?? []
    }

    private func binary(_ changes: [String: String?]) -> HTTPFields {
        var values: [String: String?] = [
            "ce-specversion": "1.0", "ce-id": "1", "ce-type": "agent.message", "ce-source": "/crm",
            "content-type": "application/json",
        ]
        values.merge(changes) { $1 }
        var headers: HTTPFields = [:]
        for (name, value) in values { if let name = HTTPField.Name(name), let value { headers[name] = value } }
        return headers
    }

    @Test(
        "the content type determines the format, in any case and with parameters",
        arguments: [
            ("application/json", "json"), ("Application/JSON; charset=utf-8", "json"),
            ("application/json;charset=\"UTF-8\"", "json"), ("application/x-ndjson", "lines"),
            ("application/cloudevents+json", "cloudEvent"),
            ("APPLICATION/CloudEvents+JSON ; charset=UTF-8; v=1", "cloudEvent"),
            ("application/cloudevents-batch+json", "cloudEventBatch"),
            ("Application/CloudEvents-Batch+Json;charset=utf-8", "cloudEventBatch"),
            ("application/cloudevents+json; charset=latin1", nil), ("application/cloudevents+avro", nil),
            ("application/cloudevents", nil), ("application/json; charset=utf-16", nil), ("text/plain", nil),
            ("application/vnd.agent+json", nil), ("", nil),
        ]
    )
    func contentTypes(_ type: String, _ form: String?) {
        let format = EventFormat([.contentType: type])
        #expect(format.map { "\($0)" } == form)
    }

    @Test(
        "ce-specversion with another type means binary mode, whose body must be JSON",
        arguments: [
            ("application/json", true), ("application/json; charset=UTF-8", true), ("text/json", true),
            ("application/vnd.agent+json", true), (nil, true), ("application/x-ndjson", false), ("text/plain", false),
            ("application/json; charset=latin1", false), ("application/cloudevents+avro", false),
        ]
    )
    func binaryTypes(_ type: String?, _ isTaken: Bool) {
        let format = EventFormat(binary(["content-type": type]))
        var isBinary = false
        if case .binaryCloudEvent? = format { isBinary = true }
        #expect(isBinary == isTaken)
        if !isTaken { #expect(format == nil) }
    }

    @Test("the attributes may be anywhere around data, and members of data do not count as attributes")
    func envelope() throws {
        let attributes = [
            #""specversion":"1.0""#, #""id":"e-1""#, #""type":"agent.message""#, #""source":"/crm?a=%20#b""#,
            #""time":"2026-01-02T03:04:05.678Z""#, #""datacontenttype":"application/json; charset=utf-8""#,
            #""dataschema":"https://x/y""#, #""subject":"s""#, #""traceparent":"00-1""#, #""data_base64":null"#,
        ]
        let data = #""data":{"id":7,"type":[],"source":{},"time":0,"specversion":"9",\#(Self.members.dropFirst())"#
        for place in 0...attributes.count {
            var parts = attributes
            parts.insert(data, at: place)
            let text = "{" + parts.joined(separator: " , ") + "}"
            let batch = try WholeBody(Array(text.utf8), .cloudEvent, now: Self.now)
            let event = try #require(batch.events.first, "\(batch.refused)")
            #expect(event.id.rawValue == "e-1")
            #expect(event.source == "/crm?a=%20#b")
            #expect(event.type == .agentMessage)
            #expect(event.time == Self.now)
            #expect(event.consumer.rawValue == "u")
            #expect(event.data?.text == #"{"type":"inner","n":[1,{"}":"]"}] }"#)
        }
    }

    @Test(
        "errors of an envelope are named",
        arguments: [
            (#"{}"#, ["/specversion", "/data", "/type", "/id", "/source"]),
            (#"{"specversion":"1.0","id":"1","type":"agent.message","source":"/s"}"#, ["/data"]),
            (#"{"specversion":"1.0","id":"1","type":"agent.message","source":"/s","data":null}"#, ["/data"]),
            (#"{"specversion":"1.0","id":"1","type":"agent.message","source":"/s","data":"x"}"#, ["/data"]),
            (#"{"specversion":"1.0","id":"1","type":"agent.message","source":"/s","data":[]}"#, ["/data"]),
            (
                #"{"specversion":"1.0","id":"1","type":"agent.message","source":"/s","data_base64":"e30="}"#,
                ["/data_base64"]
            ),
            (#"{"id":"1","type":"agent.message","source":"/s","data":DATA}"#, ["/specversion"]),
            (#"{"specversion":1.0,"id":"1","type":"agent.message","source":"/s","data":DATA}"#, ["/specversion"]),
            (#"{"specversion":"0.3","id":"1","type":"agent.message","source":"/s","data":DATA}"#, ["/specversion"]),
            (#"{"specversion":null,"id":"1","type":"agent.message","source":"/s","data":DATA}"#, ["/specversion"]),
            (#"{"specversion":"1.0","id":"1","type":"agent.message","data":DATA}"#, ["/source"]),
            (#"{"specversion":"1.0","id":"1","type":"agent.message","source":"","data":DATA}"#, ["/source"]),
            (#"{"specversion":"1.0","id":"1","type":"agent.message","source":"a b","data":DATA}"#, ["/source"]),
            (#"{"specversion":"1.0","id":"1","type":"agent.message","source":"é","data":DATA}"#, ["/source"]),
            (#"{"specversion":"1.0","id":"1","type":"agent.message","source":"a%2","data":DATA}"#, ["/source"]),
            (
                #"{"specversion":"1.0","id":"1","type":"agent.message","source":"/","datacontenttype":"text/xml","data":DATA}"#,
                ["/datacontenttype"]
            ),
            (
                #"{"specversion":"1.0","id":"1","type":"agent.message","source":"/","datacontenttype":7,"data":DATA}"#,
                ["/datacontenttype"]
            ),
            (#"{"specversion":"1.0","id":"1","id":"1","type":"agent.message","source":"/","data":DATA}"#, ["/id"]),
            (#"{"specversion":"1.0","id":"1","type":"agent.message","source":"/","data":DATA,"data":DATA}"#, ["/data"]),
            (#"{"specversion":"1.0","id":"1","type":"agent.message","source":"/","x":1,"x":1,"data":DATA}"#, ["/x"]),
            (
                #"{"specversion":"1.0","id":"1","type":"agent.message","source":"/","data":{"text":"x","text":"y"}}"#,
                ["/data/text"]
            ),
            (
                #"{"specversion":"1.0","id":"1","type":"agent.message","source":"/","data":{"agent":{"id":"x","id":"y"}}}"#,
                ["/data/agent/id"]
            ),
            (#"{"specversion":"1.0","sequence":1e999,"data":{"consumer":"u"}}"#, ["/sequence"]),
            (#"{"specversion":"1.0","data":{"ttlSeconds":1e999},"sequence":1}"#, ["/data/ttlSeconds"]),
            (#"{"specversion":"1.0","data":{"a":{"b":1e999}},"id":"1"}"#, []),
        ]
    )
    func wrongEnvelopes(_ text: String, _ pointers: [String]) throws {
        let text = text.replacing("DATA", with: Self.members)
        let batch = try WholeBody(Array("[\(text)]".utf8), .cloudEventBatch, now: Self.now)
        #expect(batch.refused.first?.problem.errors.map(\.pointer) == pointers)
    }

    @Test("a batch must be an array, a single event must not")
    func shapes() {
        for (text, format) in [("{}", EventFormat.cloudEventBatch), ("[]", .cloudEvent), ("5", .cloudEventBatch)] {
            let problem = #expect(throws: Problem.self) { _ = try WholeBody(Array(text.utf8), format, now: Self.now) }
            #expect(problem?.status == 400)
        }
    }

    @Test(
        "headers are unquoted and percent-decoded, once",
        arguments: [
            ("plain", "plain"), ("Euro%20%E2%82%AC%20%F0%9F%98%80", "Euro € 😀"), ("%e2%82%ac", "€"), ("%61", "a"),
            ("a%2520b", "a%20b"), (#""a b""#, "a b"), (#""a\"b\\c""#, #"a"b\c"#), (#""a%20b""#, "a b"), ("a b", "a b"),
            ("%22", "\""),
        ]
    )
    func headerValues(_ value: String, _ id: String) throws {
        let format = try #require(EventFormat(binary(["ce-id": value])))
        let batch = try WholeBody(Array(Self.members.utf8), format, now: Self.now)
        #expect(batch.events.first?.id.rawValue == id)
    }

    @Test(
        "headers that are missing or badly encoded are named",
        arguments: [
            (["ce-id": nil], ["/ce-id"]), (["ce-type": nil], ["/ce-type"]), (["ce-source": nil], ["/ce-source"]),
            (["ce-specversion": "0.3"], ["/ce-specversion"]), (["ce-specversion": ""], ["/ce-specversion"]),
            (["ce-id": ""], ["/ce-id"]), (["ce-source": ""], ["/ce-source"]), (["ce-type": "x"], ["/ce-type"]),
            (["ce-time": "now"], ["/ce-time"]), (["ce-id": "%"], ["/ce-id"]), (["ce-id": "%4"], ["/ce-id"]),
            (["ce-id": "%zz"], ["/ce-id"]), (["ce-id": "%C0%A0"], ["/ce-id"]), (["ce-id": "%FF"], ["/ce-id"]),
            (["ce-id": "%ED%A0%80"], ["/ce-id"]), (["ce-id": "%00"], ["/ce-id"]), (["ce-id": "%0A"], ["/ce-id"]),
            (["ce-id": "é"], ["/ce-id"]), (["ce-id": #""open"#], ["/ce-id"]), (["ce-id": #""a"b"#], ["/ce-id"]),
            (["ce-id": String(repeating: "a", count: 257)], ["/ce-id"]),
            (["ce-source": "a%20b"], ["/ce-source"]), (["ce-datacontenttype": "text/xml"], ["/ce-datacontenttype"]),
            (["ce-id": "%", "ce-type": "%", "ce-source": nil], ["/ce-id", "/ce-type", "/ce-source"]),
        ] as [([String: String?], [String])]
    )
    func wrongHeaders(_ changes: [String: String?], _ expected: [String]) throws {
        #expect(try pointers(Self.members, binary(changes)) == expected)
    }

    @Test(
        "a repeated header is rejected",
        arguments: ["ce-id", "ce-type", "ce-source", "ce-time", "ce-specversion"]
    )
    func doubled(_ name: String) throws {
        var headers = binary(["ce-time": "2026-01-02T03:04:05Z"])
        let field = try #require(HTTPField.Name(name))
        headers.append(HTTPField(name: field, value: headers[field] ?? ""))
        #expect(try pointers(Self.members, headers) == ["/" + name])
    }

    @Test("extension headers, and headers with a structured event, are ignored")
    func ignoredHeaders() throws {
        #expect(
            try pointers(Self.members, binary(["ce-sequence": "%", "ce-subject": "é", "ce-dataschema": "x"])) == []
        )
        let text = #"{"specversion":"1.0","id":"1","type":"agent.message","source":"/","data":\#(Self.members)}"#
        #expect(try pointers(text, binary(["content-type": "application/cloudevents+json", "ce-id": "%"])) == [])
    }
}
