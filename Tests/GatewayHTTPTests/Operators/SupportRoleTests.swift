import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("What operators see", .timeLimit(.minutes(10)))
struct SupportRoleTests {
    /// Occurs in no id and no other text.
    private static let planted = "planted-q7!"

    private static let viewer: Set<String> = [
        "listDeliveries", "getDelivery", "tailDeliveries", "getStats", "listCampaigns", "getCampaign", "previewPush",
        "groupFailures", "listLanes", "search", "explainPush", "createDeliveryLink", "listDeliveryLinks",
        "revokeDeliveryLink", "listObjectives",
    ]
    private static let support = viewer.union([
        "getConsumer", "listDevices", "getDevice", "getUnread", "listMessages", "listProactive", "listConsents",
        "listInboxItems", "revealMessage", "listUnreachable",
    ])
    /// The operations that each role may call in its brand; others are 403.
    private static let allowed: [(role: String, operations: Set<String>)] = [
        ("viewer", viewer), ("support", support),
        ("operator", support.union(["retryDelivery", "replayDeliveries", "pauseLane", "resumeLane", "paceLane"])),
    ]

    /// Puts a text wherever a text can be, and returns the message.
    private static func plant(_ api: API) async throws -> String {
        let text = planted
        let more =
            #""text":"\#(text)","title":"\#(text)","data":{"k":["\#(text)"]},"agent":{"id":"a","nickname":"\#(text)"}"#
        let calls: [(HTTPRequest.Method, String, String)] = [
            (
                .post, "events",
                #"{"id":"p-1","type":"agent.message","consumer":"u-1","conversation":"c-9",\#(more)}"#
            ),
            (
                .post, "events",
                #"{"id":"p-2","type":"proactive.message","kind":"proactive","consumer":"u-1",\#(more)}"#
            ),
            (.patch, "consumers/u-1", #"{"email":"\#(text)@example.com","phone":"\#(text)"}"#),
            (
                .put, "consumers/u-1/inbox/i-9",
                #"{"type":"push","content":{"title":"\#(text)","te\u0078t":"\#(text)"}}"#
            ),
        ]
        var message = ""
        for (method, path, body) in calls {
            let reply = try await api.call(method, "/v1/brands/acme/" + path, body)
            try #require((200...202).contains(reply.status), "\(path): \(reply.text)")
            if message.isEmpty { message = reply["results"]?[0]?["messageId"]?.string ?? "" }
        }
        return message
    }

    @Test("viewers, support and operators call what their role allows, and see no text on any route")
    func everyRoute() async throws {
        let operations = try await Description.read().operations.filter { $0.isSecured && $0.isForAdmin }
        try await TestGateway.run(.live, limits: ServerLimits(rates: .none)) { api in
            let world = try await World.make(api)
            _ = try await Self.plant(api)
            let list = try await api.call(.get, world.listPath)
            #expect(list.text.contains(Self.planted), "the administrator sees it")
            for (role, allowed) in Self.allowed {
                try await api.makeOperator(role, role + "@acme")
                let page = try await api.signIn(role)
                for operation in operations {
                    // The stream has no end, and the other one shows a text.
                    guard !["tailDeliveries", "revealMessage"].contains(operation.id) else { continue }
                    let reply = try await world.call(operation, of: page)
                    #expect(!reply.text.contains(Self.planted), "\(role), \(operation): \(reply.text)")
                    let isAllowed = allowed.contains(operation.id)
                    #expect((reply.status != 403) == isAllowed, "\(role), \(operation): \(reply.status) \(reply.text)")
                    guard operation.method == "GET", isAllowed else { continue }
                    #expect(reply.status == 200 && (try? JSON(reply.text)) != nil, "\(operation): \(reply.text)")
                    let path = world.path(operation)
                    let get = try await api.call(.get, path, of: page)
                    let head = try await api.call(.head, path, of: page)
                    #expect(head.headers[.eTag] == nil, "\(operation)")
                    #expect(head.headers[.contentLength] == get.headers[.contentLength], "\(operation)")
                }
            }
        }
    }

    @Test("support reveals one message at a time, for a reason, sixty in an hour, and each is audited")
    func reveal() async throws {
        try await TestGateway.run(.live, limits: ServerLimits(rates: .none)) { api in
            let world = try await World.make(api)
            let message = try await Self.plant(api)
            try await api.makeBrand("third")
            try await api.makeOperator("both", "support@acme", "support@third")
            try await api.makeOperator("viewer", "viewer@acme")
            let (both, viewer) = (try await api.signIn("both"), try await api.signIn("viewer"))
            let path = "/v1/brands/acme/messages/\(message)/reveal"
            let reason = #"{"reason":"ticket 4711"}"#
            let reply = try await api.call(.post, path, of: both, reason)
            #expect(reply.status == 200 && reply["text"]?.string == Self.planted)
            #expect(reply["agent"]?["nickname"]?.string == Self.planted && reply["messageId"]?.string == message)
            try await api.call(.post, path, of: viewer, reason).expectProblem(403, "forbidden")
            let foreign = path.replacing("/acme/", with: "/third/")
            try await api.call(.post, foreign, of: both, reason).expectProblem(404, "not_found")
            for id in ["x", "019a5b2e-8f3c-7d21-9c4e-5a6b7c8d9e0f"] {
                let unknown = "/v1/brands/acme/messages/\(id)/reveal"
                try await api.call(.post, unknown, of: both, reason).expectProblem(404, "not_found")
            }
            for body in ["{}", #"{"reason":""}"#, #"{"reason":"a\nb"}"#, #"{"reason":"a","more":1}"#] {
                #expect(try await api.call(.post, path, of: both, body).status == 422, "\(body)")
            }
            let trail = try await api.call(.get, "/v1/brands/acme/audit?limit=1")
            let entry = trail["items"]?[0]
            #expect(entry?["action"]?.string == "message.revealed" && entry?["target"]?.string == message)
            #expect(entry?["reason"]?.string == "ticket 4711" && entry?["actor"]?["id"]?.string == "both")
            #expect(!trail.text.contains(Self.planted))

            api.clock.advance(seconds: 600)
            for _ in 2...60 { #expect(try await api.call(.post, path, of: both, reason).status == 200) }
            let late = try await api.call(.post, path, of: both, reason)
            late.expectProblem(429, "rate_limited")
            #expect(late.headers[.retryAfter] == "3000" && !late.text.contains(Self.planted))
            #expect(try await api.call(.post, path, reason).status == 200, "another caller")
            // The messages after it show nothing again.
            let list = try await api.call(.get, world.listPath, of: both)
            #expect(list.status == 200 && !list.text.contains(Self.planted))
            for _ in 0..<2 {
                api.clock.advance(seconds: 1500)
                #expect(try await api.call(.get, world.listPath, of: both).status == 200)
            }
            #expect(try await api.call(.post, path, of: both, reason).status == 200)
        }
    }

    @Test(
        "members are left out wherever they are, with their commas",
        arguments: [
            (#"{"text":"x"}"#, "{}"), (#"{"a":1,"text":"x"}"#, #"{"a":1}"#), (#"{"text":"x","b":2}"#, #"{"b":2}"#),
            (#"{"a":1,"text":"x","b":2}"#, #"{"a":1,"b":2}"#), (#"{"title":null,"text":"x"}"#, "{}"),
            (#"{"text":1,"title":2,"data":{"a":[1,{"b":"}\"]"}]},"c":3}"#, #"{"c":3}"#),
            (#"[{"phone":"1"},{"email":"2","a":["text","data"]}]"#, #"[{},{"a":["text","data"]}]"#),
            (
                #"{"agent":{"id":"a","nickname":"n"},"x":"\"text\":\"y\""}"#,
                #"{"agent":{"id":"a"},"x":"\"text\":\"y\""}"#
            ),
            (#"{"texts":1,"tex":2,"content":{"te\u0078t":"x"}}"#, #"{"texts":1,"tex":2}"#),
            ("", ""), ("\"", "\""), (#"{"text"#, #"{"text"#), (#"{"text":"#, "{"),
        ]
    )
    func members(text: String, kept: String) {
        #expect(String(decoding: TextRedaction.redacted(Array(text.utf8)[...]), as: UTF8.self) == kept)
    }

    @Test("streams of lines are written by whole lines; other types are rejected")
    func types() async throws {
        func response(_ type: String, _ pieces: [String]) -> Response {
            Response(
                status: .ok,
                headers: [.contentType: type, .contentLength: "9", .eTag: "\"x\""],
                body: ResponseBody(contentsOf: pieces.map { ByteBuffer(string: $0) })
            )
        }
        let pieces = ["id: 1\ndata: {\"te", "xt\":\"x\",\"a\":1}\n", "\n", "data: {\"data\":2", "}"]
        let redacted = try await TextRedaction.redacted(response("text/event-stream", pieces))
        #expect(redacted.headers[.eTag] == nil && redacted.headers[.contentLength] == nil)
        let text = String(decoding: try await redacted.collected(), as: UTF8.self)
        #expect(text == "id: 1\ndata: {\"a\":1}\n\ndata: {}")
        for type in [
            "application/x-ndjson", "text/csv", "text/html", "application/problem+json", "text/plain; charset=utf-8",
        ] {
            await #expect(throws: Problem.forbidden) {
                _ = try await TextRedaction.redacted(response(type, ["x"]))
            }
        }
        #expect(try await TextRedaction.redacted(Response(status: .noContent)).status == .noContent)
    }
}

extension World {
    /// The path of a consumer's messages.
    fileprivate var listPath: String { "/v1/brands/acme/messages?consumer=u-1" }

    /// Calls an operation as its example does, by an operator's cookie.
    fileprivate func call(_ operation: Description.Operation, of page: SignedIn) async throws -> Reply {
        let method = try #require(HTTPRequest.Method(operation.method))
        let sent = try operation.lines ?? body(operation)?.text
        var headers = page.headers
        for field in try self.headers(operation) { headers.append(field) }
        return try await api.call(
            method,
            path(operation),
            as: .none,
            sent,
            type: operation.lines == nil ? "application/json" : "application/x-ndjson",
            headers: headers
        )
    }
}
