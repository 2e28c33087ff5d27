import HTTP2Connections
import PushSimulator
import Testing

@Suite(.timeLimit(.minutes(10))) struct FCMWireTests {
    @Test("an assertion gets an access token, and with it a message is accepted")
    func accepted() async throws {
        try await WireClient.run(port: \.fcm) { client async throws in
            let token = try await client.accessToken()
            #expect(token.hasPrefix("ya29."))
            let response = await client.message(#"{"message":{"token":"T","data":{"a":"b"}}}"#, accessToken: token)
            #expect(response.status == 200)
            #expect(try response.json()["name"]?.stringValue?.hasPrefix("projects/simulated-project/messages/") == true)
            let push = try await client.simulator.waitForPush()
            #expect(push.provider == .fcm)
            #expect(push.token == "T")
            // The request for the access token is counted, but is not a push.
            #expect(client.simulator.pushes.count == 1)
            #expect(client.simulator.statistics.count(.accepted) == 1)
            #expect(client.simulator.statistics.count(.accepted, of: .oauth) == 1)
        }
    }

    @Test("an unknown field is rejected by name")
    func unknownField() async throws {
        try await WireClient.run(port: \.fcm) { client async throws in
            let token = try await client.accessToken()
            let body = #"{"message":{"token":"T","android":{"colour":"red"}}}"#
            let response = await client.message(body, accessToken: token)
            #expect(response.status == 400)
            let detail = try response.json()["error"]?["details"]?[0]?["fieldViolations"]?[0]
            #expect(detail?["field"] == .string("message.android"))
            #expect(detail?["description"]?.stringValue?.contains("colour") == true)
        }
    }

    @Test("an unknown access token is rejected")
    func unknownToken() async throws {
        try await WireClient.run(port: \.fcm) { client async throws in
            let response = await client.message(#"{"message":{"token":"T"}}"#, accessToken: "ya29.mine")
            #expect(response.status == 401)
        }
    }

    @Test("the token endpoint obeys rules that name it")
    func tokenRule() async throws {
        try await WireClient.run(port: \.fcm) { client async throws in
            client.simulator.setRules([.init(match: .init(provider: .oauth), action: RuleAction(status: 503))])
            #expect(try await client.accessToken().isEmpty)
            client.simulator.setRules([.init(match: .init(provider: .fcm), action: RuleAction(reason: "UNREGISTERED"))])
            let token = try await client.accessToken()
            let response = await client.message(#"{"message":{"token":"T"}}"#, accessToken: token)
            #expect(response.status == 404)
            #expect(client.simulator.statistics.count(.refused, of: .oauth) == 1)
        }
    }

    @Test("a connection to FCM has its streams from the start")
    func streams() async throws {
        try await WireClient.run(.with { $0.streams = 55 }, port: \.fcm) { client async throws in
            _ = try await client.accessToken()
            for await state in client.states {
                guard case .ready(let facts) = state else { continue }
                #expect(facts.maxConcurrentStreams == 55)
                break
            }
        }
    }
}
