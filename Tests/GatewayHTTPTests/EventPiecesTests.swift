import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Bodies of many events", .timeLimit(.minutes(10)))
struct EventPiecesTests {
    private static let now = Timestamp(milliseconds: 1_767_323_045_678)
    private static let path = "/v1/brands/acme/events"

    private static func event(_ id: Int, _ form: PostedForm, _ more: PostedForm.Members = []) -> String {
        form.text(WrongEvent.with("id", "\"\(id)\"") + more)
    }

    private static let batches: [PostedForm] = [.array, .lines, .cloudEventBatch]

    @Test("they are parsed in pieces of at most 500, in order, wherever the invalid ones are", arguments: batches)
    func pieces(_ form: PostedForm) throws {
        let format = try #require(EventFormat(form.allHeaders([])))
        for count in [1, 499, 500, 501, 999, 1000, 1001, 1250] {
            let texts = (0..<count).map { $0 % 7 == 3 ? "5" : Self.event($0, form) }
            let batch = try WholeBody(Array(form.body(texts).utf8), format, now: Self.now)
            #expect(batch.pieces == stride(from: 0, to: count, by: 500).map { min(500, count - $0) })
            #expect(batch.events.map(\.id.rawValue) == (0..<count).filter { $0 % 7 != 3 }.map { "\($0)" })
            #expect(batch.refused.map(\.index) == (0..<count).filter { $0 % 7 == 3 })
        }
    }

    @Test("results are in the order of the request, over all pieces", arguments: batches)
    func order(_ form: PostedForm) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let texts = (0..<1203).map { number in
                number % 400 == 7 ? "[]" : Self.event(number % 500 == 1 ? 0 : number, form)
            }
            let reply = try await api.call(.post, Self.path, form.body(texts), type: form.contentType)
            let results = try #require(try reply.json()["results"]).items
            #expect(results.count == 1203)
            for (number, result) in results.enumerated() {
                let expected = number % 400 == 7 ? nil : number % 500 == 1 ? "0" : "\(number)"
                #expect(result["id"]?.string == expected)
                let status = number % 400 == 7 ? "rejected" : number % 500 == 1 ? "duplicate" : "accepted"
                #expect(result["status"]?.string == status)
            }
            #expect([reply["accepted"]?.int, reply["duplicates"]?.int, reply["rejected"]?.int] == [1197, 3, 3])
        }
    }

    @Test(
        "an array that is not valid JSON at its end stores nothing",
        arguments: [PostedForm.array, .cloudEventBatch],
        [
            ",]", ",{]", ",{\"a\":}]", "", "}", "] x", ",\"\u{1}\"]", ",\"\\ud800\"]", " 5]", "]]", ",tru]", ",[1,]]",
            ",{\"a\":01}]",
            ",\"open]", ",\\\"]",
        ]
    )
    func brokenAtEnd(_ form: PostedForm, _ ending: String) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let texts = (0..<700).map { Self.event($0, form) }
            let body = "[" + texts.joined(separator: ",") + ending
            let reply = try await api.call(.post, Self.path, body, type: form.contentType)
            reply.expectProblem(400, "invalid_request")
            let messages = try await api.call(.get, "/v1/brands/acme/messages?consumer=u-1")
            #expect(try messages.json()["items"]?.items.isEmpty == true)
        }
    }

    @Test("one event too many is 413 before anything is stored", arguments: batches)
    func tooMany(_ form: PostedForm) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let texts = (0...10_000).map { Self.event($0, form) }
            let reply = try await api.call(.post, Self.path, form.body(texts), type: form.contentType)
            reply.expectProblem(413, "payload_too_large")
            let messages = try await api.call(.get, "/v1/brands/acme/messages?consumer=u-1")
            #expect(try messages.json()["items"]?.items.isEmpty == true)
        }
    }

    @Test("lines may end with CR LF, be blank, or be far too long")
    func lines() throws {
        let long = Self.event(3, .lines).replacing("\"x\"", with: "\"" + String(repeating: "a", count: 1 << 20) + "\"")
        let parts = [
            "", Self.event(1, .lines), " \t ", "\t" + Self.event(2, .lines) + " ", long, Self.event(4, .lines), "",
        ]
        for ending in ["\n", "\r\n", "\n\n", "\r\n\r\n"] {
            let batch = try WholeBody(Array(parts.joined(separator: ending).utf8), .lines, now: Self.now)
            #expect(batch.events.map(\.id.rawValue) == ["1", "2", "4"])
            #expect(batch.refused.map(\.index) == [2])
            #expect(batch.refused.map(\.problem.code) == [.payloadTooLarge])
        }
        for empty in ["\n", "\r\n \n", " "] {
            let problem = #expect(throws: Problem.self) {
                _ = try WholeBody(Array(empty.utf8), .lines, now: Self.now)
            }
            #expect(problem?.status == 400)
        }
    }

    @Test("elements end at the right place, whatever their strings contain and wherever blocks of 64 bytes end")
    func elements() throws {
        let texts = ["", #"\\"#, #"\""#, #"\\\""#, "]", "}", ",", "[{", #"\\\\"#, #"\"]},{\""#, "é", #"\u005d"#]
        for padding in 0..<130 {
            for (place, text) in texts.enumerated() {
                let filler = String(repeating: "a", count: padding)
                let first = Self.event(1, .array, [("title", "\"\(filler)\(text)\"")])
                let second = Self.event(2, .array, [("data", #"{"\#(text)":[{},[]]}"#)])
                let body = "[\(first) ,\n\(second)]"
                let batch = try WholeBody(Array(body.utf8), .json, now: Self.now)
                let ids = batch.events.map(\.id.rawValue)
                #expect(ids == ["1", "2"], "\(padding) \(place)")
            }
        }
    }

    @Test("the same random events are equal in every format")
    func differential() throws {
        var random = SplitMix(seed: 5)
        for number in 0..<400 {
            let members = Self.randomEvent(number, &random)
            var seen: [String] = []
            for form in PostedForm.allCases {
                let format = try #require(EventFormat(form.allHeaders(members)))
                let body = form.body([form.text(members.shuffled(using: &random))])
                let batch = try WholeBody(Array(body.utf8), format, now: Self.now)
                seen.append("\(try #require(batch.events.first, "\(batch.refused) \(body)"))")
            }
            #expect(Set(seen).count == 1, "\(seen)")
        }
    }

    private static func randomEvent(_ number: Int, _ random: inout SplitMix) -> PostedForm.Members {
        let texts = ["x", "é€😀", #"a\"b\\c"#, #"\u00e9\n"#, "a,b]}", "%41 b", String(repeating: "long ", count: 30)]
        func text() -> String { "\"" + (texts.randomElement(using: &random) ?? "") + "\"" }
        // Without control characters.
        func line() -> String {
            "\"" + (texts.filter { !$0.contains("\\n") && $0.utf8.count < 64 }.randomElement(using: &random) ?? "")
                + "\""
        }
        let base = [WrongEvent.message, WrongEvent.proactive, WrongEvent.read, WrongEvent.typing, WrongEvent.resolved]
        var members = base[number % base.count].filter { $0.name != "id" }
        members.append(("id", line()))
        members.append(
            (
                "source",
                ["\"/crm\"", "\"https://a.example/b?c=%20#d\"", "\"urn:x:y\""].randomElement(using: &random) ?? ""
            )
        )
        let others: PostedForm.Members = [
            ("time", "\"2026-01-0\(1 + random.next() % 9)T03:04:05.\(random.next() % 1000)Z\""), ("dialog", line()),
            ("sourceSequence", "\(random.next() % 1_000_000)"), ("agent", #"{"id":\#(line()),"nickname":\#(line())}"#),
            ("title", text()), ("data", #"{"a":[1,{"b":\#(text())}],"c":null}"#), ("priority", "\"normal\""),
            ("link", #"{"ios":"https://x/y","web":"app:z"}"#), ("ttlSeconds", "\(random.next() % 2_419_200)"),
            ("collapseKey", line()), ("category", line()), ("sound", line()), ("silent", "true"), ("extra", text()),
        ]
        return members + others.filter { _ in random.next() % 2 == 0 }
    }
}
