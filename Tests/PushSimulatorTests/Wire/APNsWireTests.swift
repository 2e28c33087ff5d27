import GatewayModel
import HTTP2Connections
import PushSimulator
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct APNsWireTests {
    @Test("a push over HTTP/2 is accepted, stored and counted")
    func accepted() async throws {
        try await WireClient.run { client async throws in
            let response = await client.push(token: "ABCD")
            #expect(response.status == 200)
            #expect(response.header("apns-id")?.count == 36)
            let push = try await client.simulator.waitForPush()
            #expect(push.number == 1)
            #expect(push.result == .accepted)
            #expect(push.status == 200)
            #expect(push.token == "abcd")
            #expect(push.connection == 1)
            #expect(push.header("apns-push-type") == "alert")
            #expect(push.json?["aps"]?["alert"] == .string("Hello"))
            let statistics = client.simulator.statistics
            #expect(statistics.count(.accepted) == 1)
            #expect(statistics.connections[.apns]?.open == 1)
            #expect(statistics.connections[.apns]?.mostConcurrentStreams == 1)
        }
    }

    @Test("a push signed with another key is rejected, stored and counted")
    func badSignature() async throws {
        try await WireClient.run { client async throws in
            let other = APNsFixture(
                keyID: client.simulator.credentials.keyID,
                teamID: client.simulator.credentials.teamID
            )
            let token = try other.authorization(issuedAt: SimulatorTime.now().seconds)
            let response = await client.push(authorization: token)
            #expect(response.status == 403)
            #expect(try response.json()["reason"] == .string("InvalidProviderToken"))
            #expect(client.simulator.pushes.map(\.reason) == ["InvalidProviderToken"])
            #expect(client.simulator.statistics.count(.refused) == 1)
        }
    }

    @Test("a connection has one stream until a push is accepted; a rejected one does not change that")
    func oneStreamFirst() async throws {
        try await WireClient.run(.with { $0.streams = 77 }) { client async throws in
            let refused = await client.push(body: "{}")
            #expect(refused.status == 400)
            for await state in client.states {
                guard case .ready(let facts) = state else { continue }
                #expect(facts.maxConcurrentStreams == 1)
                break
            }
            #expect(await client.push().status == 200)
            // The client then sends as many as the raised limit allows.
            client.simulator.setRules([.init(action: RuleAction(delayMilliseconds: 50))])
            try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<100 { group.addTask { await client.push().status } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(client.simulator.statistics.connections[.apns]?.mostConcurrentStreams ?? 0 <= 77)
            #expect(client.simulator.statistics.connections[.apns]?.mostConcurrentStreams ?? 0 > 1)
        }
    }

    @Test("in quiet mode pushes are validated and counted but not stored")
    func quiet() async throws {
        try await WireClient.run(.with { $0.isQuiet = true }) { client async throws in
            #expect(await client.push().status == 200)
            #expect(await client.push(body: "{}").status == 400)
            #expect(client.simulator.pushes.isEmpty)
            #expect(client.simulator.statistics.count(.accepted) == 1)
            #expect(client.simulator.statistics.count(.refused) == 1)
        }
    }

    @Test("a provider token that expired on the connection is rejected")
    func clock() async throws {
        let start = SimulatorTime.now()
        let clock = TestClock(now: Timestamp(milliseconds: start.milliseconds))
        let read: @Sendable () -> SimulatorTime = { SimulatorTime(milliseconds: clock.now.milliseconds) }
        try await WireClient.run(.with { $0.clock = read }) { client async throws in
            let token = try client.simulator.providerToken(issuedAt: start)
            #expect(await client.push(authorization: token).status == 200)
            clock.advance(seconds: 3602)
            #expect(try await client.push(authorization: token).json()["reason"] == .string("ExpiredProviderToken"))
        }
    }

    @Test("the number of stored pushes is limited, and numbers continue after the list was cleared")
    func bounded() async throws {
        try await WireClient.run(.with { $0.keptPushes = 3 }) { client async throws in
            for _ in 0..<5 { _ = await client.push() }
            #expect(client.simulator.pushes.map(\.number) == [3, 4, 5])
            #expect(client.simulator.log.pushes(after: 4).map(\.number) == [5])
            client.simulator.log.clear()
            #expect(client.simulator.pushes.isEmpty)
            _ = await client.push()
            #expect(client.simulator.pushes.map(\.number) == [6])
        }
    }

    @Test("waiting for a push ends with a timeout")
    func waitingEnds() async throws {
        try await WireClient.run { client async throws in
            _ = await client.push()
            await #expect(throws: SimulatorError.notEnoughPushes(expected: 2, received: 1)) {
                try await client.simulator.waitForPush(within: .milliseconds(20)) { $0.token == "00" }
            }
        }
    }
}
