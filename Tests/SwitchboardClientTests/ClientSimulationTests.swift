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
}
