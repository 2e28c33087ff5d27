import Foundation
import GatewayClient
import ProcessHarness
import PushSimulator
import Testing

/// A helpdesk's webhooks between real processes.
@Suite("A Chatwoot that signs", .timeLimit(.minutes(10)))
struct HelpdeskTests {
    private static let secret = "kx8wYq3vT1mZ5nB7"

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func write(_ bytes: [UInt8], _ name: String) throws -> String {
        let path = directory.path(name)
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    /// Sends a webhook, and returns the status and the body.
    private func send(_ body: [UInt8], _ id: String, to gateway: GatewayProcess) async throws -> [String] {
        let chatwoot = SimulatedChatwoot(secret: Self.secret)
        var arguments = ["curl", "-sS", "-w", "\n%{http_code}\n", "--data-binary", "@" + (try write(body, "body"))]
        for header in chatwoot.headers(of: body, delivery: id, at: .now()) {
            arguments += ["-H", "\(header.name): \(header.value)"]
        }
        let curl = try ChildProcess("/usr/bin/env", arguments + [gateway.url + "/v1/hooks/acme/chatwoot"])
        try #require(try await curl.ended().status == 0, "\(curl.errors)")
        return curl.output.reversed()
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
