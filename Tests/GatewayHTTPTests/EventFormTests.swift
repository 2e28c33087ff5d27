import GatewayModel
import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("All formats of an event", .timeLimit(.minutes(10)))
struct EventFormTests {
    private static let path = "/v1/brands/acme/events"
    private static let good = WrongEvent.with("id", #""good""#)

    /// Checks that nothing of consumer u-1 is stored and that the next request succeeds.
    private static func expectNothingStored(_ api: API, _ form: PostedForm) async throws {
        let messages = try await api.call(.get, "/v1/brands/acme/messages?consumer=u-1")
        #expect(try messages.json()["items"]?.items.isEmpty == true, "\(messages.text)")
        let next = try await post(api, form, form.body([form.text(good)]), good)
        #expect(next["accepted"]?.int == 1, "\(next.text)")
    }

    private static func post(
        _ api: API,
        _ form: PostedForm,
        _ body: String,
        _ members: PostedForm.Members
    ) async throws -> Reply {
        try await api.call(.post, path, body, type: form.contentType, headers: form.headers(members))
    }

    /// Returns the problem of the first event, wherever the format contains it.
    private static func problem(_ reply: Reply, _ form: PostedForm) throws -> JSON {
        guard form.isBatch else { return try reply.json() }
        #expect(reply.status == 202)
        #expect(reply["rejected"]?.int == 1)
        return try #require(try reply.json()["results"]?[0]?["problem"])
    }

    @Test("each invalid member is named by its position, and nothing is stored", arguments: PostedForm.allCases)
    func wrongMembers(_ form: PostedForm) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            var count = 0
            for wrong in WrongEvent.all where wrong.isPossible(in: form) {
                let reply = try await Self.post(api, form, form.body([form.text(wrong.members)]), wrong.members)
                let problem = try Self.problem(reply, form)
                #expect(problem["status"]?.int == 422, "\(wrong.testDescription) \(reply.text)")
                #expect(problem["code"]?.string == "invalid_request")
                let pointers = problem["errors"]?.items.compactMap { $0["pointer"]?.string } ?? []
                #expect(pointers == [form.pointer(wrong.pointer)], "\(wrong.testDescription)")
                count += 1
            }
            #expect(count > 130)
            try await Self.expectNothingStored(api, form)
        }
    }

    @Test("all errors of an event are reported at once", arguments: PostedForm.allCases)
    func severalAtOnce(_ form: PostedForm) throws {
        let members: PostedForm.Members = [
            ("type", #""nope""#), ("agent", #"{"id":""}"#), ("link", #"{"web":"x"}"#), ("ttlSeconds", "-1"),
        ]
        let body = Array(form.body([form.text(members)]).utf8)
        let format = try #require(EventFormat(form.allHeaders(members)))
        let batch = try WholeBody(body, format, now: Timestamp(milliseconds: 0))
        let expected = ["/type", "/id", "/consumer", "/agent/id", "/link/web", "/ttlSeconds"].map(form.pointer)
        #expect(batch.refused.first?.problem.errors.map(\.pointer) == expected)
    }

    /// Texts that are not events, with the status for a single one; `spoils` means that the text around it is invalid
    /// too.
    private static let texts: [(name: String, make: @Sendable (String) -> String, status: Int, spoils: Bool)] = [
        ("truncated", { String($0.dropLast()) }, 400, true),
        ("a trailing comma", { $0.dropLast() + ",}" }, 400, true),
        ("two texts", { $0 + " " + $0 }, 400, true),
        ("a byte order mark", { "\u{FEFF}" + $0 }, 400, true),
        ("a raw NUL", { $0.replacing("\"x\"", with: "\"x\u{0}\"") }, 400, true),
        ("a NUL between members", { $0.replacing("{\"", with: "{\u{0}\"") }, 400, true),
        ("a raw line break in a text", { $0.replacing("\"x\"", with: "\"x\u{1}\"") }, 400, true),
        ("a lone high surrogate", { $0.replacing("\"x\"", with: #""\ud800""#) }, 400, true),
        ("a lone low surrogate", { $0.replacing("\"x\"", with: #""\udc00x""#) }, 400, true),
        ("a number with a leading zero", { $0.replacing("\"x\"", with: "\"x\",\"n\":01") }, 400, true),
        ("NaN", { $0.replacing("\"x\"", with: "\"x\",\"n\":NaN") }, 400, true),
        ("single quotes", { $0.replacing("\"x\"", with: "'x'") }, 400, true),
        ("a comment", { $0.replacing("\"x\"", with: "\"x\"/**/") }, 400, true),
        ("a text", { _ in "\"x\"" }, 400, false),
        ("null", { _ in "null" }, 400, false),
        ("a number", { _ in "5" }, 400, false),
        (
            "100,000 levels",
            {
                let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
                return $0.replacing("\"x\"", with: "\"x\",\"deep\":\(deep)")
            }, 400, false
        ),
        (
            "100,000 objects deep",
            {
                let deep = String(repeating: "{\"a\":", count: 100_000) + "1" + String(repeating: "}", count: 100_000)
                return $0.replacing("\"x\"", with: "\"x\",\"deep\":\(deep)")
            }, 400, false
        ),
        (
            "a million keys",
            {
                let keys = (0..<1_000_000).map { "\"k\($0)\":0" }.joined(separator: ",")
                return $0.replacing("\"x\"", with: "\"x\",\(keys)")
            }, 413, false
        ),
        (
            "60,000 keys, one twice",
            {
                let keys = (0..<60_000).map { "\"k\($0)\":0" }.joined(separator: ",")
                return $0.replacing("\"x\"", with: "\"x\",\(keys),\"k7\":1")
            }, 422, false
        ),
        ("a member twice", { $0.replacing("\"x\"", with: "\"x\",\"text\":\"x\"") }, 422, false),
        ("an escaped member twice", { $0.replacing("\"x\"", with: "\"x\",\"te\\u0078t\":\"x\"") }, 422, false),
        ("an unknown member twice", { $0.replacing("\"x\"", with: "\"x\",\"k\":1,\"k\":1") }, 422, false),
        ("an unknown number too large", { $0.replacing("\"x\"", with: "\"x\",\"k\":-1e999") }, 422, false),
    ]

    @Test("text that is not an event is rejected and not stored, the next is served", arguments: PostedForm.allCases)
    func wrongTexts(_ form: PostedForm) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let text = form.text(WrongEvent.message)
            for wrong in Self.texts {
                let reply = try await Self.post(api, form, form.body([wrong.make(text)]), WrongEvent.message)
                if !form.isBatch || (wrong.spoils && form.isOneText) {
                    reply.expectProblem(wrong.status, wrong.status == 413 ? "payload_too_large" : "invalid_request")
                } else {
                    let problem = try Self.problem(reply, form)
                    #expect(problem["status"]?.int == wrong.status, "\(wrong.name): \(reply.text.prefix(300))")
                }
            }
            try await Self.expectNothingStored(api, form)
        }
    }

    @Test("bytes that are not UTF-8 are rejected", arguments: PostedForm.allCases)
    func invalidUTF8(_ form: PostedForm) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let parts = form.body([form.text(WrongEvent.message)]).split(separator: "\"x\"").map { Array($0.utf8) }
            let sequences: [[UInt8]] = [
                [0xC0, 0x80], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
                [0xC3], [0x80],
            ]
            for sequence in sequences {
                let body = parts[0] + [0x22] + sequence + [0x22] + parts[1]
                let reply = try await api.call(
                    .post,
                    Self.path,
                    bytes: body,
                    type: form.contentType,
                    headers: form.headers(WrongEvent.message)
                )
                if form.isOneText {
                    reply.expectProblem(400, "invalid_request")
                } else {
                    #expect(try Self.problem(reply, form)["status"]?.int == 400)
                }
            }
            try await Self.expectNothingStored(api, form)
        }
    }

    @Test("the same event in another format is a duplicate with the same response", arguments: PostedForm.allCases)
    func duplicates(_ form: PostedForm) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let members = WrongEvent.message + [("source", #""/crm/a%20b""#), ("time", #""2026-01-02T03:04:05.67Z""#)]
            let first = try await Self.post(api, .single, PostedForm.single.text(members), members)
            let id = try #require(try first.json()["results"]?[0]?["messageId"]?.string)
            let again = try await Self.post(api, form, form.body([form.text(members)]), members)
            #expect(again["duplicates"]?.int == 1, "\(again.text)")
            let result = try #require(try again.json()["results"]?[0])
            #expect(result["messageId"]?.string == id)
            #expect(result["warnings"] != .array([.string("body_differs")]))
            // Another notation of the same instant is the same; another text is not, and both warnings come together.
            let moved = WrongEvent.with("time", #""2026-01-02T04:04:05.670+01:00""#, in: members)
            let same = try await Self.post(api, form, form.body([form.text(moved)]), moved)
            #expect(!same.text.contains("body_differs"))
            let late = WrongEvent.with("time", #""1999-01-02T04:04:05Z""#, in: members)
            let other = WrongEvent.with("text", #""y""#, in: late)
            let changed = try await Self.post(api, form, form.body([form.text(other)]), other)
            #expect(
                try changed.json()["results"]?[0]?["warnings"]
                    == .array([.string("clamped_time"), .string("body_differs")])
            )
        }
    }
}
