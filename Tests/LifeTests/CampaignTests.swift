import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// A campaign whose devices tap and report while the gateway is killed again and again.
@Suite("A campaign", .timeLimit(.minutes(10)))
struct CampaignTests {
    private static let brand = ["v1", "brands", "acme"]
    private static let consumers = 8
    private static let devices = 3
    private static let waves = 20
    private static let kills = 6

    /// A message as its consumer's devices received it.
    private struct Shown: Sendable {
        var consumer: String
        var id: String
        /// Whether it is tapped; otherwise one device dismisses it and another reports nothing.
        var isTapped: Bool
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Repeats a request until there is a response: the gateway may be down, and may have processed it before it was
    /// killed.
    private func answered(_ call: () async throws -> APIClient.Response) async throws -> JSONValue {
        while true {
            try Task.checkCancellation()
            if let response = try? await call(), (200...299).contains(response.status) { return response.body }
            await Task.yield()
        }
    }

    /// Posts a message to each consumer, in waves.
    private func post(_ admin: APIClient, to shown: AsyncStream<Shown>.Continuation) async throws {
        for wave in 0..<Self.waves {
            let events = (0..<Self.consumers).map { consumer -> JSONValue in
                [
                    "id": .string("e-\(wave)-\(consumer)"), "type": "proactive.message",
                    "consumer": .string("u-\(consumer)"), "text": "A table is free tonight",
                    "kind": wave % 2 == 0 ? "proactive" : "c2m", "campaign": "spring", "lookBackSeconds": 3600,
                ]
            }
            let response = try await answered {
                try await admin.exchange("POST", Self.brand + ["events"], body: .array(events))
            }
            let results = response["results"].items
            try #require(results.count == Self.consumers)
            for (consumer, result) in results.enumerated() {
                let id = try #require(result["messageId"].string, "\(result)")
                shown.yield(Shown(consumer: "u-\(consumer)", id: id, isTapped: wave % 4 != 3))
            }
        }
        shown.finish()
    }

    /// The receipts of a consumer's devices for a message, each sent twice.
    private func report(_ message: Shown, _ admin: APIClient) async throws {
        var receipts: [JSONValue] = []
        func add(_ device: Int, _ states: String...) {
            for state in states + states {
                receipts.append([
                    "messageId": .string(message.id), "deviceId": .string("\(message.consumer)-\(device)"),
                    "state": .string(state), "at": "2026-01-02T03:04:05Z",
                ])
            }
        }
        add(0, "displayed", "delivered")
        if message.isTapped { add(1, "delivered") }
        add(2, message.isTapped ? "delivered" : "dismissed")
        let acting = [("consumer", Optional(message.consumer))]
        _ = try await answered {
            try await admin.exchange(
                "POST",
                Self.brand + ["receipts"],
                query: acting,
                body: ["receipts": .array(receipts)]
            )
        }
        guard message.isTapped else { return }
        // The second tap is too late to count.
        for device in [0, 1, 0] {
            let tap = try await answered {
                try await admin.exchange(
                    "POST",
                    Self.brand + ["messages", message.id, "tap"],
                    query: acting,
                    body: ["deviceId": .string("\(message.consumer)-\(device)")]
                )
            }
            #expect(tap["message"]["messageId"].string == message.id)
        }
    }

    private func setUp(_ gateway: GatewayProcess, _ simulator: SimulatorProcess) async throws {
        _ = try await gateway.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        _ = try await gateway.admin.call("PUT", Self.brand + ["apps", "ios"], body: try simulator.iOSAppBody())
        _ = try await gateway.admin.call("GET", Self.brand + ["outbound", "crm"])
        for consumer in 0..<Self.consumers {
            for device in 0..<Self.devices {
                let number = consumer * Self.devices + device + 16
                _ = try await gateway.admin.call(
                    "PUT",
                    Self.brand + ["apps", "ios", "devices", "u-\(consumer)-\(device)"],
                    query: [("consumer", "u-\(consumer)")],
                    body: [
                        "token": .string(String(repeating: String(number, radix: 16), count: 32)), "pushType": "apns",
                    ]
                )
            }
        }
        // Slow enough that there is always a push in flight.
        let slow: JSONValue = ["match": ["provider": "apns"], "do": ["delayMs": 25]]
        _ = try await APIClient(server: simulator.control).call("PUT", ["rules"], body: .array([slow]))
    }

    @Test("counts each message and each tap once, whenever the gateway is killed")
    func killed() async throws {
        let simulator = try await SimulatorProcess.start(in: directory)
        var gateway = try await GatewayProcess.start(in: directory, trustRoots: simulator.authority)
        let listen = "127.0.0.1:\(gateway.port)"
        let admin = gateway.admin
        try await setUp(gateway, simulator)

        let messages = Self.consumers * Self.waves
        let (posted, poster) = AsyncStream.makeStream(of: Shown.self, bufferingPolicy: .bufferingOldest(messages))
        let (reports, reporter) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingOldest(messages))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { poster.finish() }
                try await post(admin, to: poster)
            }
            group.addTask {
                defer { reporter.finish() }
                var count = 0
                for await message in posted {
                    try await report(message, admin)
                    count += 1
                    reporter.yield(count)
                }
            }
            var next = reports.makeAsyncIterator()
            for kill in 1...Self.kills {
                // In the middle of the load: the next receipts are being sent.
                while let count = await next.next(), count < messages * kill / (Self.kills + 1) {}
                gateway.process.signal(SIGKILL)
                #expect(try await gateway.process.ended() == .init(status: SIGKILL, isSignal: true))
                gateway = try await GatewayProcess.start(in: directory, listen: listen, trustRoots: simulator.authority)
            }
            var last: Int?
            while let count = await next.next() { last = count }
            // There was still work left at the kill.
            #expect(last == messages)
            try await group.waitForAll()
        }
        try await check(gateway, simulator)
        #expect(try await gateway.process.stop() == .init(status: 0, isSignal: false))
    }

    private func check(_ gateway: GatewayProcess, _ simulator: SimulatorProcess) async throws {
        let admin = gateway.admin
        let messages = Int64(Self.consumers * Self.waves)
        let (tapped, deliveries) = (messages * 3 / 4, messages * 3)
        let untapped = messages - tapped
        // Each device got each message, at least once.
        func pairs(_ pushes: [JSONValue]) -> Set<String> {
            Set(
                pushes.filter { $0["result"].string == "accepted" }.map {
                    "\($0["token"].plain) \($0["body"]["messageId"].plain)"
                }
            )
        }
        let pushes = try await simulator.pushes("to all devices") { pairs($0).count >= Int(deliveries) }
        #expect(pairs(pushes).count == Int(deliveries))

        var campaign = JSONValue.null
        let deadline = ContinuousClock.now + .seconds(540)
        repeat {
            campaign = try await admin.call("GET", Self.brand + ["campaigns", "spring"]).body
        } while campaign["unfinished"].integer != 0 && ContinuousClock.now < deadline
        #expect(campaign["messages"].integer == messages && campaign["tappedMessages"].integer == tapped)
        #expect(campaign["deliveries"].integer == deliveries && campaign["unfinished"].integer == 0)
        let states: JSONValue = [
            "tapped": .integer(tapped), "delivered": .integer(2 * tapped + 2 * untapped),
            "accepted": .integer(untapped),
        ]
        #expect(campaign["byState"] == states, "\(campaign["byState"].text)")
        let receipts: JSONValue = [
            "delivered": .integer(3 * tapped + 2 * untapped), "displayed": .integer(messages),
            "dismissed": .integer(untapped),
        ]
        #expect(campaign["receipts"] == receipts, "\(campaign["receipts"].text)")
        #expect(campaign["tapRate"] == .number(0.25) && campaign["taps"]["tapped"].integer == tapped)
        #expect(try await admin.call("GET", Self.brand + ["campaigns"]).body["items"].items == [campaign])
        let verb = try await gateway.verb(["stats", "acme", "--campaign", "spring", "--json"])
        #expect(verb.exit.status == 0 && verb.output == [campaign.text], "\(verb.errors)")

        // The back-end receives each tap once, and messages without a tap are pending.
        let feed = try await admin.call(
            "GET",
            Self.brand + ["outbound", "crm"],
            query: [("types", "message.tapped"), ("limit", "500")]
        )
        let reported = feed.body["items"].items.map { $0["data"]["messageId"].plain }
        #expect(reported.count == Int(tapped) && Set(reported).count == reported.count)
        for consumer in 0..<Self.consumers {
            let pending = try await admin.call(
                "GET",
                Self.brand + ["proactive"],
                query: [("consumer", "u-\(consumer)")]
            ).body["items"].items
            #expect(pending.count == Self.waves / 4)
            #expect(!pending.contains { reported.contains($0["messageId"].plain) })
        }
    }
}
