import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Client under random schedules", .timeLimit(.minutes(10)))
struct ClientSimulationTests {
    /// A provider that notes how many requests for a key run at once.
    private final class WatchedProvider: CopilotTokenProvider {
        private let gateway: FakeGateway
        private let counts = Locked((running: 0, most: 0))

        init(gateway: FakeGateway) { self.gateway = gateway }
        var most: Int { counts.withLock { $0.most } }

        func generateUserAuthKey(for userID: String) async throws -> String {
            counts.withLock {
                $0.running += 1
                $0.most = max($0.most, $0.running)
            }
            defer { counts.withLock { $0.running -= 1 } }
            for _ in 0..<3 { await Task.yield() }
            return gateway.mint(userID)
        }
    }

    private static let faults: [(String, FakeGateway.Fault)] = [
        ("PUT device", .drop), ("GET unread", .problem(503, "overloaded", retryAfter: 1)),
        ("GET messages", .problem(401, "token_expired")), ("POST read", .garbage(200)),
        ("DELETE session", .dropResponse), ("POST receipts", .problem(422, "invalid_request")),
        ("POST tap", .problem(410, "gone")), ("GET unread", .problem(401, "token_invalid", reason: "revoked")),
        ("PUT device", .problem(409, "conflict")), ("GET device", .problem(404, "not_found")),
    ]

    @Test("R15 R68 R79: concurrent calls of many users in any order: one user at a time, nothing of the others")
    func schedules() async throws {
        for seed in 0..<80 {
            var generator = SeededGenerator(UInt64(seed))
            let storage = FaultyStorage()
            let fixture = Fixture(storage: storage, clock: TestClock { $0 < .seconds(30) }) {
                $0.retry.logout = RetryPolicy(delays: [.seconds(1)])
                $0.retry.messages = $0.retry.logout
            }
            let client = fixture.client
            let gateway = fixture.gateway
            let provider = WatchedProvider(gateway: gateway)
            await client.setCopilotTokenProvider(provider)
            var number = 0
            for round in 0..<8 {
                if Int.random(in: 0...2, using: &generator) == 0 { number += 1 }
                let user = "user\(number)."
                _ = await failure { try await client.initialize(.copilot(userID: user)) }
                for _ in 0..<Int.random(in: 0...2, using: &generator) {
                    if let (route, fault) = Self.faults.randomElement(using: &generator) { gateway.fail(route, fault) }
                }
                if Int.random(in: 0...5, using: &generator) == 0 { gateway.expireSessions() }
                let steps = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
                    Int.random(in: 0...9, using: &generator)
                }
                await withTaskGroup(of: SwitchboardError?.self) { group in
                    for (index, step) in steps.enumerated() {
                        group.addTask {
                            await failure {
                                switch step {
                                case 0: try await client.registerPush(.fcm("push-\(round)-\(index)"))
                                case 1: _ = try await client.unreadCount()
                                case 2: _ = try await client.messages()
                                case 3: try await client.markRead(conversationID: "chat-of-" + user, upToSequence: 1)
                                case 4: try await client.setPushNotificationTapped("message-of-" + user)
                                case 5: _ = try await client.isRegistered()
                                case 6: try await client.logout(.agent)
                                case 7: _ = try await client.getPkceParams(accountID: "account-of-" + user)
                                default:
                                    let push = PushPayload(data: [
                                        "brandId": "acme", "messageId": "message-\(index)-of-" + user, "badge": "3",
                                        "conversationId": "chat-of-" + user, "sequence": "\(index)", "text": "x",
                                    ])
                                    await client.handlePush(push, showNotification: true)
                                }
                            }
                        }
                    }
                    for await error in group {
                        // The codes that the schedule explains; nothing is general.
                        #expect(![.general, .disabled, .tooManyCalls, .unauthorized].contains(error?.code))
                    }
                }
                await client.finishPendingWork()
                // The store and the session are of one user.
                let users = Set(storage.text.matches(of: /user\d+\./).map { String($0.output) })
                #expect(users.isSubset(of: [user]), "seed \(seed): \(users) in the round of \(user)")
            }
            // One of the session, and perhaps one of a session that ended meanwhile, whose result is ignored.
            #expect(provider.most <= 2)
            gateway.heal()
            _ = await failure { try await client.logout(isForced: true) }
            #expect(!storage.text.contains("user"), "seed \(seed)")
            // After the logout no request has a token of anybody.
            gateway.clearCalls()
            try await client.initialize(.copilot(userID: "last"))
            try await client.registerPush(.fcm("last"))
            _ = try await client.unreadCount()
            await client.finishPendingWork()
            #expect(gateway.routes == ["PUT device", "GET unread"], "seed \(seed)")
            for call in gateway.calls { #expect(call.request.headers["Authorization"]?.hasSuffix("of-last") == true) }
        }
    }

    /// The history of the device in a crash schedule.
    private struct History {
        /// The counts that a push or the gateway named.
        var named: Set<Int> = [0]
        /// How often each push was shown, over all lives of the process.
        var shown: [String: Int] = [:]
        var user = 1

        /// Takes what a screen showed; returns whether its badges are counts that were named.
        mutating func take(_ screen: Screen) -> Bool {
            var isNamed = true
            for call in screen.calls {
                let words = call.split(separator: " ")
                if call.hasPrefix("show ") { shown[call, default: 0] += 1 }
                if call.hasPrefix("badge "), !named.contains(Int(words[1]) ?? -1) { isNamed = false }
            }
            return isNamed
        }
    }

    @Test(
        "R18 R79 R93 R200: 10,000 random schedules of answers, pushes, logouts and crashes keep the invariants",
        arguments: 0..<20
    )
    func crashes(part: Int) async throws {
        for seed in part * 500..<(part + 1) * 500 {
            var generator = SeededGenerator(UInt64(seed))
            let gateway = FakeGateway()
            let clock = TestClock { $0 < .seconds(30) }
            var storage = FaultyStorage()
            var screen = Screen()
            var history = History()
            var client = await Self.start(gateway, storage, clock, screen)
            _ = await failure { try await client.initialize(.copilot(userID: "user1.")) }
            for _ in 0..<Int.random(in: 3...7, using: &generator) {
                let step = Int.random(in: 0...9, using: &generator)
                let number = Int.random(in: 0...2, using: &generator)
                let crashesAfter = Int.random(in: 0...3, using: &generator) == 0 ? number * 4 : nil
                if step == 6 { history.user += 1 }
                let user = "user\(history.user)."
                if step == 7, let (route, fault) = Self.faults.randomElement(using: &generator) {
                    gateway.fail(route, fault)
                }
                if step == 8 { gateway.expireSessions() }
                history.named.insert(number)
                gateway.setUnread(number, for: user)
                gateway.clearCalls()
                let running = client
                let task = Task {
                    await failure { try await Self.perform(step, number, user, running) }
                }
                if let crashesAfter {
                    for _ in 0..<crashesAfter { await Task.yield() }
                    // The process ends here: what it has not stored and shown until now never happened.
                    let isNamed = history.take(screen)
                    #expect(isNamed, "seed \(seed)")
                    storage = FaultyStorage(storage.record)
                    screen = Screen()
                    client = await Self.start(gateway, storage, clock, screen)
                    task.cancel()
                }
                let error = await task.value
                await running.finishPendingWork()
                if crashesAfter == nil { #expect(![.general, .disabled].contains(error?.code), "seed \(seed)") }
                // No request has the token of another user, except the end of the session before, and receipts that were
                // on their way when their session ended.
                for call in gateway.calls {
                    guard let header = call.request.headers["Authorization"] else { continue }
                    let ended =
                        switch call.route {
                        case "DELETE session": [history.user - 1]
                        case "POST receipts": Array(0..<history.user)
                        default: [Int]()
                        }
                    let isOfEnded = ended.contains { header.hasSuffix("-of-user\($0).") }
                    #expect(header.hasSuffix("-of-" + user) || isOfEnded, "seed \(seed): \(call.route)")
                }
                if crashesAfter != nil {
                    let result = await failure { try await client.initialize(.copilot(userID: user)) }
                    #expect(result == nil, "seed \(seed)")
                }
                // The store is of one user.
                let users = Set(storage.text.matches(of: /user\d+\./).map { String($0.output) })
                #expect(users.isSubset(of: [user]), "seed \(seed): \(users) of \(user)")
                // The count is one that was named, never a sum.
                if let count = await client.lastUnreadCount { #expect(history.named.contains(count), "seed \(seed)") }
            }
            let isNamed = history.take(screen)
            #expect(isNamed, "seed \(seed)")
            // One handling for one push, however often it comes and the process ends.
            #expect(history.shown.values.allSatisfy { $0 == 1 }, "seed \(seed): \(history.shown)")
            gateway.heal()
            try await client.logout(isForced: true)
            #expect(!storage.text.contains("user"), "seed \(seed)")
            #expect(await client.lastUnreadCount == nil)
        }
    }

    private static func start(
        _ gateway: FakeGateway,
        _ storage: FaultyStorage,
        _ clock: TestClock,
        _ screen: Screen
    ) async -> SwitchboardClient {
        let client = Fixture(gateway: gateway, storage: storage, clock: clock).client
        await client.setCopilotTokenProvider(CountingProvider(gateway: gateway))
        await client.setPresenter(screen)
        return client
    }

    /// Performs a step of a crash schedule.
    private static func perform(_ step: Int, _ number: Int, _ user: String, _ client: SwitchboardClient) async throws {
        switch step {
        case 0, 6: try await client.initialize(.copilot(userID: user))
        case 1: try await client.registerPush(.fcm("push-\(number)"))
        case 2: _ = try await client.unreadCount()
        case 3, 4:
            // Without a session nothing remembers a push over the end of the process.
            guard let device = await client.deviceID else { return }
            let push = PushPayload(data: [
                "brandId": "acme", "messageId": "m\(number)-\(device)", "badge": "\(number)", "text": "x",
            ])
            await client.handlePush(push, showNotification: true)
        case 5: try await client.logout(number == 0 ? .agent : .all, isForced: number == 2)
        default: try await client.markRead(conversationID: "chat", upToSequence: number)
        }
    }
}
