import Foundation
import GatewayClient
import ProcessHarness
import PushSimulator
import Testing

/// A helpdesk's webhooks between real processes.
@Suite("A Chatwoot that signs", .timeLimit(.minutes(10)))
struct HelpdeskTests {
    private static let secret = "kx8wYq3vT1mZ5nB7"
    private static let token = "hT4bQ9wLr2Vn8XyK"

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func write(_ bytes: [UInt8], _ name: String) throws -> String {
        let path = directory.path(name)
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    /// Sends a webhook, and returns the status and the body.
    private func send(
        _ body: [UInt8],
        _ id: String,
        to gateway: GatewayProcess,
        flaw: SimulatedChatwoot.Flaw? = nil
    ) async throws -> [String] {
        let chatwoot = SimulatedChatwoot(secret: Self.secret)
        var arguments = ["curl", "-sS", "-w", "\n%{http_code}\n", "--data-binary", "@" + (try write(body, "body"))]
        for header in chatwoot.headers(of: body, delivery: id, at: .now(), flaw: flaw) {
            arguments += ["-H", "\(header.name): \(header.value)"]
        }
        let curl = try ChildProcess("/usr/bin/env", arguments + [gateway.url + "/v1/hooks/acme/chatwoot"])
        try #require(try await curl.ended().status == 0, "\(curl.errors)")
        return curl.output.reversed()
    }

    /// Has the consumer write in a conversation of Chatwoot.
    private func write(_ text: String, in conversation: String, _ fixture: GatewayFixture) async throws {
        _ = try await fixture.gateway.admin.call(
            "POST",
            fixture.path("conversations", conversation, "messages"),
            query: [("consumer", "u-1")],
            body: ["clientId": .string(text), "text": .string(text)]
        )
    }

    /// Returns what the simulated Chatwoot took, conversation and text of each message, when this one has come.
    private func taken(_ message: String, _ fixture: GatewayFixture) async throws -> [String] {
        let chatwoot = APIClient(server: fixture.simulator.control)
        var messages: [String] = []
        try await fixture.wait(for: "\(message) in Chatwoot") {
            messages = try await chatwoot.call("GET", ["chatwoot", "messages"]).body["messages"].items
                .map { "\($0["conversation"].plain) \($0["content"].plain)" }
            return messages.contains(message)
        }
        return messages
    }

    @Test("what a consumer writes goes back to Chatwoot, over an outage of it and a restart of the gateway")
    func replies() async throws {
        let fixture = try await GatewayFixture.start(in: directory)
        let control = fixture.simulator.control
        let account: GatewayClient.JSONValue = [
            "accountId": 1, "token": .string(Self.token), "conversations": [10, 11],
        ]
        _ = try await APIClient(server: control).call("PUT", ["chatwoot", "accounts"], body: .array([account]))
        let put = [
            "hook", "put", "acme", "chatwoot", "--kind", "chatwoot", "--secret-file",
            try write(Array(Self.secret.utf8), "secret"), "--reply-url", control + "/chatwoot", "--reply-account", "1",
            "--reply-token-file", try write(Array((Self.token + "\n").utf8), "token"),
        ]
        let made = try await fixture.gateway.verb(put)
        try #require(made.exit.status == 0, "\(made)")
        for flaw in SimulatedChatwoot.Flaw.allCases {
            let message = SimulatedChatwoot.message("hello", to: "u-1", in: 10)
            #expect(try await send(message, "d-0", to: fixture.gateway, flaw: flaw).first == "401", "\(flaw)")
        }
        for number: Int64 in [10, 11, 12] {
            let message = SimulatedChatwoot.message("hello", to: "u-1", in: number)
            #expect(try await send(message, "d-\(number)", to: fixture.gateway).first == "202")
        }
        // Chatwoot does not have the conversation 12 any more.
        try await write("nowhere", in: "chatwoot:12", fixture)
        try await write("Where is it?", in: "chatwoot:10", fixture)
        #expect(try await taken("10 Where is it?", fixture) == ["10 Where is it?"])
        try await fixture.rules([["match": ["provider": "chatwoot", "tokenPrefix": "11"], "do": ["status": 503]]])
        try await write("Hurry", in: "chatwoot:11", fixture)
        try await write("up", in: "chatwoot:10", fixture)
        try await fixture.wait(for: "a failed attempt") {
            let shown = try await fixture.gateway.verb(["hook", "reply", "acme", "chatwoot"])
            let state = try GatewayClient.JSONValue(parsing: Data(shown.output.joined().utf8))
            return state["state"].string == "failing"
        }
        #expect(try await fixture.metrics(#"switchboard_reply_posts_total{result="skipped"} 1"#).count == 1)
        #expect(try await fixture.gateway.process.stop().status == 0)

        try await fixture.rules([])
        let again = try await fixture.restarted()
        // The response to "Hurry" was an error, after Chatwoot had stored it.
        let all = try await taken("10 up", again)
        #expect(all.filter { $0 != "11 Hurry" } == ["10 Where is it?", "10 up"] && all.last == "10 up", "\(all)")
        #expect(try await again.gateway.process.stop().status == 0)
        let logged = (fixture.gateway.process.errors + again.gateway.process.errors).joined()
        for secret in [Self.secret, Self.token, "Hurry", "nowhere"] { #expect(!logged.contains(secret)) }
        _ = try await fixture.simulator.process.stop()
    }

    @Test("one hook, a recorded webhook in, a push out; after a restart the same webhook is a duplicate")
    func wholeWay() async throws {
        let fixture = try await GatewayFixture.start(in: directory)
        let secret = try write(Array((Self.secret + "\n").utf8), "secret")
        let put = ["hook", "put", "acme", "chatwoot", "--kind", "chatwoot", "--secret-file", secret]
        let made = try await fixture.gateway.verb(put)
        #expect(made.exit.status == 0, "\(made)")
        #expect(made.output == ["hook acme/chatwoot created; its path is /v1/hooks/acme/chatwoot"])

        let message = SimulatedChatwoot.message("Your order has shipped", to: "u-1", in: 10)
        let accepted = try await send(message, "delivery-1", to: fixture.gateway)
        #expect(accepted.first == "202" && accepted.joined().contains(#""accepted":1"#), "\(accepted)")
        let push = try #require(try await fixture.simulator.pushes(1).first)
        #expect(push["body"]["aps"]["alert"] == ["title": "Dana", "body": "Your order has shipped"])
        #expect(push["body"]["aps"]["badge"].integer == 1)
        let note = SimulatedChatwoot.message("call her back", to: "u-1", in: 10, isPrivate: true)
        let ignored = try await send(note, "delivery-2", to: fixture.gateway)
        #expect(ignored.first == "202" && ignored.joined().contains("private_note"), "\(ignored)")

        let body = try write(message, "webhook.json")
        let tried = try await fixture.gateway.verb(
            ["hook", "try", "acme", "chatwoot", "--body", body, "--header", "X-Chatwoot-Delivery: delivery-9"]
        )
        let translation = try GatewayClient.JSONValue(parsing: Data(tried.output.joined().utf8))
        #expect(tried.exit.status == 0 && translation["signature"].string == "missing", "\(tried)")
        #expect(translation["event"]["id"].string == "delivery-9" && translation["event"]["consumer"].string == "u-1")
        let shown = try await fixture.gateway.verb(["hook", "show", "acme", "chatwoot"])
        #expect(shown.exit.status == 0 && !shown.output.joined().contains(Self.secret))
        #expect(try await fixture.gateway.process.stop().status == 0)

        let again = try await fixture.restarted()
        let duplicate = try await send(message, "delivery-1", to: again.gateway)
        #expect(duplicate.first == "202" && duplicate.joined().contains(#""duplicates":1"#), "\(duplicate)")
        #expect(try await again.unread() == 1)
        let deleted = try await again.gateway.verb(["hook", "delete", "acme", "chatwoot"])
        #expect(deleted.exit.status == 0, "\(deleted)")
        #expect(try await send(message, "delivery-3", to: again.gateway).first == "401")
        #expect(try await again.gateway.process.stop().status == 0)
        let logged = (fixture.gateway.process.errors + again.gateway.process.errors).joined()
        #expect(!logged.contains(Self.secret) && !logged.contains("order has shipped"))
        _ = try await fixture.simulator.process.stop()
    }
}
