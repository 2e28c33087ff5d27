import Testing

@testable import PushSimulator

@Suite("The simulated Chatwoot's API")
struct ChatwootTests {
    private static let now = SimulatorTime(seconds: 1_800_000_000)
    private static let path = "/chatwoot/api/v1/accounts/1/conversations/10/messages"
    private static let body = #"{"content":"Hello","message_type":"incoming","private":false,"echo_id":"7"}"#

    private static func chatwoot() -> SimulatedChatwootAPI {
        let chatwoot = SimulatedChatwootAPI()
        chatwoot.register([
            ChatwootAccount(id: 1, token: "one", conversations: [10]),
            ChatwootAccount(id: 2, token: "two", conversations: [20]),
        ])
        return chatwoot
    }

    private static func ask(
        _ chatwoot: SimulatedChatwootAPI = chatwoot(),
        path: String = path,
        token: String? = "one",
        type: String = "application/json",
        body: String = body
    ) -> PushVerdict {
        var headers = [(name: "content-type", value: type)]
        if let token { headers.append((name: "api_access_token", value: token)) }
        let request = SimulatorRequest(method: "POST", path: path, headers: headers, body: Array(body.utf8))
        return chatwoot.verdict(on: request, at: now)
    }

    @Test("takes a message of a contact, and returns it as Chatwoot does")
    func takes() throws {
        let chatwoot = Self.chatwoot()
        let verdict = Self.ask(chatwoot)
        #expect(verdict.isAccepted && verdict.reply.status == 200 && verdict.token == "10")
        let json = try JSONValue(parsing: verdict.reply.body)
        #expect(json["message_type"] == .integer(0) && json["echo_id"] == .string("7"))
        #expect(json["conversation_id"] == .integer(10) && json["created_at"] == .integer(1_800_000_000))
        #expect(chatwoot.messages.map(\.content) == ["Hello"])
    }

    @Test(
        "answers errors as Chatwoot does",
        arguments: [
            (path, nil, 401), (path, "three", 401), (path, "two", 401),
            (path.replacing("accounts/1", with: "accounts/3"), "one", 404),
            (path.replacing("/10/", with: "/11/"), "one", 404), (path + "/1", "one", 404),
            (path.replacing("/10/", with: "/+10/"), "one", 404), (path.replacing("api/v1", with: "api/v2"), "one", 404),
        ] as [(String, String?, Int)]
    )
    func refused(path: String, token: String?, status: Int) throws {
        let chatwoot = Self.chatwoot()
        let verdict = Self.ask(chatwoot, path: path, token: token)
        #expect(verdict.reply.status == status && !verdict.isAccepted && chatwoot.messages.isEmpty)
        #expect(try JSONValue(parsing: verdict.reply.body)["error"]?.stringValue == verdict.reason)
    }

    @Test("takes nothing that would be shown as an agent's, or that has another shape")
    func shapes() {
        for (old, new, status) in [
            (#""incoming""#, #""outgoing""#, 422), ("false", "true", 422), (#","echo_id":"7""#, "", 422),
            (#""7""#, "7", 422), (#""Hello""#, "\"\"", 422), (#""Hello""#, "null", 422), ("{", #"{"x":1,"#, 422),
            ("}", "", 400), (#"{"content""#, #"[{"content""#, 400),
        ] {
            let verdict = Self.ask(body: Self.body.replacing(old, with: new))
            #expect(verdict.reply.status == status, "\(new)")
        }
        #expect(Self.ask(type: "text/plain").reply.status == 400)
        let long = Self.body.replacing("Hello", with: String(repeating: "a", count: 150_001))
        #expect(Self.ask(body: long).reply.status == 422)
    }

    @Test("accounts are registered all or none")
    func accounts() throws {
        let good = #"{"accountId":1,"token":"t","conversations":[1,2]}"#
        #expect(try ChatwootAccount.parse(Array("[\(good)]".utf8)).map(\.conversations) == [[1, 2]])
        for wrong in ["{}", "[1]", #"[{"accountId":1,"token":"t"}]"#, "[\(good.replacing("2]", with: "\"2\"]"))]"] {
            #expect(throws: RuleError.self) { try ChatwootAccount.parse(Array(wrong.utf8)) }
        }
        #expect(throws: RuleError.self) {
            try ChatwootAccount.parse(Array("[\(good.replacing("token", with: "tokn"))]".utf8))
        }
    }
}
