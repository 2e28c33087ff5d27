import HTTP2Connections
import NIOCore
import PushSimulator
import Testing

@Suite(.timeLimit(.minutes(10))) struct RuleWireTests {
    @Test("a rule rejects every other push to some tokens")
    func rejection() async throws {
        try await WireClient.run { client async throws in
            client.simulator.setRules([
                .init(
                    match: .init(provider: .apns, tokenPrefix: "00", everyNth: 2),
                    action: RuleAction(status: 429, reason: "TooManyRequests", retryAfter: "3")
                )
            ])
            #expect(await client.push(token: "00aa").status == 200)
            let response = await client.push(token: "00aa")
            #expect(response.status == 429)
            #expect(response.header("retry-after") == "3")
            #expect(try response.json()["reason"] == .string("TooManyRequests"))
            #expect(await client.push(token: "ffaa").status == 200)
        }
    }

    @Test("a delayed response arrives, and others overtake it")
    func delay() async throws {
        try await WireClient.run { client async throws in
            #expect(await client.push().status == 200)
            client.simulator.setRules([
                .init(match: .init(tokenPrefix: "00"), action: RuleAction(delayMilliseconds: 300))
            ])
            let start = ContinuousClock.now
            async let slow = client.push(token: "00aa")
            let arrived = try await client.simulator.waitForPush { $0.token == "00aa" }
            #expect(arrived.result == .accepted)
            #expect(await client.push(token: "ffaa").status == 200)
            #expect(await slow.status == 200)
            #expect(ContinuousClock.now - start >= .milliseconds(300))
        }
    }

    @Test("a reset stream fails alone, with the rule's code", arguments: [7, 2] as [UInt32])
    func reset(code: UInt32) async throws {
        try await WireClient.run { client async throws in
            client.simulator.setRules([.init(match: .init(tokenPrefix: "00"), action: RuleAction(resetCode: code))])
            #expect(await client.push().status == 200)
            let reason = HTTP2RequestFailure.Reason.reset(HTTP2ErrorCode(rawValue: code))
            #expect(
                await client.push(token: "00aa").failure == (code == 7 ? .unprocessed(reason) : .unknown(reason))
            )
            #expect(await client.push().status == 200)
            #expect(client.simulator.statistics.connections[.apns]?.opened == 1)
            #expect(client.simulator.pushes.map(\.result) == [.accepted, .unanswered, .accepted])
        }
    }

    @Test("after a GOAWAY that excludes the request the client may send it again")
    func goAwayUnprocessed() async throws {
        try await WireClient.run { client async throws in
            #expect(await client.push().status == 200)
            client.simulator.setRules([
                .init(match: .init(tokenPrefix: "00"), action: RuleAction(goAway: .init(coversRequest: false)))
            ])
            #expect(await client.push(token: "00aa").failure == .unprocessed(.goAway(.noError)))
            var reason: String?
            for await state in client.states {
                if case .draining(.goAway(_, let text)) = state {
                    reason = text
                    break
                }
            }
            #expect(reason == "Shutdown")
            client.simulator.setRules([])
            #expect(await client.push(token: "00aa").status == 200)
            #expect(client.simulator.pushes.map(\.reason) == [nil, "goaway", nil])
            #expect(client.simulator.pushes.map(\.connection) == [1, 1, 2])
        }
    }

    @Test("after a GOAWAY that covers the request it gets its response, and the next uses a new connection")
    func goAwayProcessed() async throws {
        try await WireClient.run { client async throws in
            client.simulator.setRules([.init(match: .init(tokenPrefix: "00"), action: RuleAction(goAway: .init()))])
            #expect(await client.push(token: "00aa").status == 200)
            #expect(await client.push().status == 200)
            #expect(client.simulator.pushes.map(\.connection) == [1, 2])
        }
    }

    @Test("a reset connection leaves the result unknown")
    func drop() async throws {
        try await WireClient.run { client async throws in
            #expect(await client.push().status == 200)
            client.simulator.setRules([.init(match: .init(tokenPrefix: "00"), action: RuleAction(drops: true))])
            #expect(await client.push(token: "00aa").failure == .unknown(.connectionLost))
            #expect(client.simulator.pushes.last?.reason == "drop")
        }
    }

    @Test("silence lasts until the client's timeout; other pushes continue")
    func silent() async throws {
        try await WireClient.run { client async throws in
            #expect(await client.push().status == 200)
            client.simulator.setRules([.init(match: .init(tokenPrefix: "00"), action: RuleAction(isSilent: true))])
            #expect(await client.push(token: "00aa", timeout: .milliseconds(200)).failure == .unknown(.deadline))
            #expect(await client.push().status == 200)
            // A whole timeout without any response ends a connection.
            #expect(client.simulator.pushes.map(\.connection) == [1, 1, 2])
        }
    }

    @Test("silence on one stream does not end the connection while others get responses")
    func silentStream() async throws {
        try await WireClient.run { client async throws in
            #expect(await client.push().status == 200)
            client.simulator.setRules([.init(match: .init(tokenPrefix: "00"), action: RuleAction(isSilent: true))])
            async let silent = client.push(token: "00aa", timeout: .seconds(3))
            _ = try await client.simulator.waitForPush { $0.token == "00aa" }
            #expect(await client.push().status == 200)
            #expect(await silent.failure == .unknown(.deadline))
            #expect(await client.push().status == 200)
            #expect(client.simulator.pushes.map(\.connection) == [1, 1, 1, 1])
        }
    }

    @Test("a GOAWAY with the highest stream id allows responses to all open streams")
    func goAwayGraceful() async throws {
        try await WireClient.run { client async throws in
            #expect(await client.push().status == 200)
            client.simulator.setRules([
                .init(match: .init(tokenPrefix: "00"), action: RuleAction(delayMilliseconds: 200)),
                .init(match: .init(tokenPrefix: "01"), action: RuleAction(goAway: .init(lastStreamID: .max))),
            ])
            async let open = client.push(token: "00aa")
            _ = try await client.simulator.waitForPush { $0.token == "00aa" }
            #expect(await client.push(token: "01aa").status == 200)
            #expect(await open.status == 200)
            #expect(await client.push().status == 200)
            #expect(client.simulator.pushes.map(\.connection) == [1, 1, 1, 2])
        }
    }

    @Test("a GOAWAY never excludes processed streams")
    func goAwayTooLow() async throws {
        try await WireClient.run { client async throws in
            #expect(await client.push().status == 200)
            client.simulator.setRules([
                .init(match: .init(tokenPrefix: "00"), action: RuleAction(delayMilliseconds: 200)),
                .init(match: .init(tokenPrefix: "01"), action: RuleAction(goAway: .init(lastStreamID: 0))),
            ])
            async let open = client.push(token: "00aa")
            _ = try await client.simulator.waitForPush { $0.token == "00aa" }
            #expect(await client.push(token: "01aa").failure == .unprocessed(.goAway(.noError)))
            #expect(await open.status == 200)
        }
    }

    @Test("half a response leaves the result unknown, though the push was accepted")
    func truncate() async throws {
        try await WireClient.run { client async throws in
            #expect(await client.push().status == 200)
            client.simulator.setRules([.init(match: .init(tokenPrefix: "00"), action: RuleAction(truncates: true))])
            #expect(await client.push(token: "00aa").failure == .unknown(.connectionLost))
            #expect(client.simulator.pushes.last?.result == .accepted)
        }
    }

    @Test("a mute peer is dropped at the request's deadline, and the next push uses a new connection")
    func mute() async throws {
        try await WireClient.run { client async throws in
            #expect(await client.push().status == 200)
            client.simulator.setRules([.init(match: .init(tokenPrefix: "00"), action: RuleAction(mutes: true))])
            #expect(await client.push(token: "00aa", timeout: .milliseconds(200)).failure == .unknown(.deadline))
            #expect(await client.push().status == 200)
            #expect(client.simulator.pushes.map(\.connection) == [1, 1, 2])
        }
    }

    @Test("responses that arrive byte by byte are read, and time out when they take too long")
    func dribble() async throws {
        try await WireClient.run { client async throws in
            #expect(await client.push().status == 200)
            client.simulator.setRules([
                .init(match: .init(tokenPrefix: "00"), action: RuleAction(dribbleMilliseconds: 1)),
                .init(match: .init(tokenPrefix: "01"), action: RuleAction(dribbleMilliseconds: 5000)),
            ])
            #expect(await client.push(token: "00aa").status == 200)
            let response = await client.push(token: "01aa", timeout: .milliseconds(200))
            #expect(response.failure == .unknown(.deadline))
            #expect(await client.push().status == 200)
            #expect(client.simulator.pushes.map(\.connection) == [1, 1, 1, 2])
        }
    }

    @Test("late window updates delay bodies, and no push is lost")
    func lateWindows() async throws {
        let configuration = SimulatorConfiguration.with { configuration in
            configuration.streamWindow = 1000
            configuration.windowUpdateDelayMilliseconds = 20
        }
        try await WireClient.run(configuration) { client async throws in
            let body = #"{"aps":{"alert":""# + String(repeating: "x", count: 3000) + #""}}"#
            let statuses = await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<50 { group.addTask { await client.push(body: body).status } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 50))
            #expect(client.simulator.pushes.map(\.body.count) == Array(repeating: body.utf8.count, count: 50))
        }
    }

    @Test("a connection reset in the middle of a body leaves the result unknown, and the next one works")
    func resetMidBody() async throws {
        let configuration = SimulatorConfiguration.with { configuration in
            configuration.resetAfterBodyBytes = 5000
            configuration.streamWindow = 3000
            configuration.windowUpdateDelayMilliseconds = 20
        }
        try await WireClient.run(configuration) { client async throws in
            let body = #"{"aps":{"alert":""# + String(repeating: "x", count: 3500) + #""}}"#
            #expect(await client.push(body: body).status == 200)
            #expect(await client.push(body: body).failure == .unknown(.connectionLost))
            #expect(await client.push(body: body).status == 200)
            #expect(client.simulator.pushes.map(\.connection) == [1, 2])
        }
    }

    @Test("a rule's stream limit applies from the next stream on")
    func maxStreams() async throws {
        try await WireClient.run { client async throws in
            #expect(await client.push().status == 200)
            client.simulator.setRules([.init(match: .init(tokenPrefix: "00"), action: RuleAction(maxStreams: 10))])
            #expect(await client.push(token: "00aa").status == 200)
            // The client uses nine tenths of the limit.
            let before = client.simulator.statistics.connections[.apns]?.mostConcurrentStreams
            #expect(before == 1)
            client.simulator.setRules([.init(action: RuleAction(delayMilliseconds: 20))])
            try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<20 { group.addTask { await client.push().status } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(client.simulator.statistics.connections[.apns]?.mostConcurrentStreams == 9)
        }
    }

    @Test("a front end's web page replaces the JSON")
    func html() async throws {
        try await WireClient.run { client async throws in
            client.simulator.setRules([.init(action: RuleAction(html: "Bad gateway"))])
            let response = await client.push()
            #expect(response.status == 502)
            #expect(response.header("content-type")?.hasPrefix("text/html") == true)
        }
    }
}
