import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Token providers", .timeLimit(.minutes(15)))
struct TokenProviderTests {
    @Test("R15: 1,000 concurrent calls without a token ask the provider once")
    func manyCalls() async throws {
        let fixture = Fixture()
        let provider = try await fixture.loginCopilot()
        let client = fixture.client
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 { group.addTask { try await client.messages().count } }
            for try await count in group { #expect(count == 1) }
        }
        #expect(provider.asked.count == 1)
        #expect(fixture.gateway.routes.count == 1000)
    }

    @Test("R9 R14: an expired key is dropped, and one request for a new one serves all calls")
    func expired() async throws {
        let fixture = Fixture()
        let provider = try await fixture.loginCopilot()
        _ = try await fixture.client.messages()
        fixture.gateway.expireSessions()
        let client = fixture.client
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { _ = try await client.messages() } }
            try await group.waitForAll()
        }
        #expect(provider.asked.count == 2)
    }

    @Test("R55: a key that is rejected again after renewal ends the call, with one event")
    func expiredTwice() async throws {
        let fixture = Fixture()
        let provider = try await fixture.loginCopilot()
        let recorder = await Recorder(fixture.client)
        fixture.gateway.fail("GET messages", .problem(401, "token_expired"), times: 4)
        #expect(await failure { _ = try await fixture.client.messages() }?.code == .tokenExpired)
        #expect(fixture.gateway.routes.count == 2)
        #expect(provider.asked.count == 2)
        #expect(await recorder.all.filter { $0 == .tokenExpired }.count == 1)
    }

    @Test("R10 R11: connectivity errors of a provider are repeated, and reach the caller unchanged")
    func connectivity() async throws {
        let fixture = Fixture()
        let provider = CountingProvider(
            gateway: fixture.gateway,
            Array(repeating: .failure(.connectivity(debugMessage: "no network")), count: 6)
        )
        await fixture.client.setCopilotTokenProvider(provider)
        try await fixture.client.initialize(.copilot(userID: "u-1"))
        let error = await failure { _ = try await fixture.client.messages() }
        #expect(error == SwitchboardError(.connectivity, "no network"))
        #expect(provider.asked.count == 6)
        #expect(fixture.clock.sleeps.filter { $0 != .seconds(30) } == [1, 2, 4, 8, 16].map { .seconds($0) })
        #expect(fixture.gateway.routes.isEmpty)
        _ = try await fixture.client.messages()
    }

    @Test("R10 R11: general errors of a provider are not repeated")
    func general() async throws {
        let fixture = Fixture()
        let provider = CountingProvider(
            gateway: fixture.gateway,
            [.failure(.general(debugMessage: "locked")), .success("")]
        )
        await fixture.client.setCopilotTokenProvider(provider)
        try await fixture.client.initialize(.copilot(userID: "u-1"))
        let error = await failure { _ = try await fixture.client.messages() }
        #expect(error == SwitchboardError(.general, "locked"))
        #expect(await failure { _ = try await fixture.client.messages() }?.code == .general)
        #expect(provider.asked.count == 2)
    }

    @Test("R12: without a provider a call is unauthorized, and nothing is sent")
    func missing() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.copilot(userID: "u-1"))
        #expect(await failure { _ = try await fixture.client.unreadCount() }?.code == .unauthorized)
        #expect(await failure { try await fixture.client.registerPush(Fixture.push) }?.code == .unauthorized)
        #expect(fixture.gateway.routes.isEmpty)
        #expect(fixture.clock.sleeps.isEmpty)
    }

    @Test("R13: a provider is set before any session, and a replaced one affects the next request for a key only")
    func replaced() async throws {
        let fixture = Fixture()
        let first = try await fixture.loginCopilot()
        _ = try await fixture.client.messages()
        let second = CountingProvider(gateway: fixture.gateway)
        await fixture.client.setCopilotTokenProvider(second)
        _ = try await fixture.client.messages()
        #expect(second.asked.isEmpty)
        fixture.gateway.expireSessions()
        _ = try await fixture.client.messages()
        #expect(first.asked.count == 1)
        #expect(second.asked.count == 1)
    }

    @Test("R16: a second completion of a provider is ignored")
    func twice() async throws {
        let fixture = Fixture()
        let key = fixture.gateway.mint("u-1")
        await fixture.client.setCopilotTokenProvider(
            CopilotTokenCallback { _, completion in
                completion(.success(key))
                completion(.failure(.general(debugMessage: "second")))
                completion(.success("third"))
            }
        )
        try await fixture.client.initialize(.copilot(userID: "u-1"))
        #expect(try await fixture.client.messages().count == 1)
        #expect(try await fixture.client.messages().count == 1)
    }

    @Test("R16: a provider without a completion in time is a connectivity error; a later completion is ignored")
    func late() async throws {
        let fixture = Fixture { $0.retry.messages = .none }
        let held = Locked<CopilotTokenCallback.Completion?>(nil)
        await fixture.client.setCopilotTokenProvider(CopilotTokenCallback { _, done in held.withLock { $0 = done } })
        try await fixture.client.initialize(.copilot(userID: "u-1"))
        let client = fixture.client
        let call = Task { await failure { _ = try await client.messages() } }
        await fixture.clock.waitForSleepers(1)
        fixture.clock.advance(by: .seconds(30))
        #expect(await call.value?.code == .connectivity)
        let late = held.withLock { $0 }
        late?(.success(fixture.gateway.mint("u-1")))
        #expect(fixture.gateway.routes.isEmpty)
        let fresh = CountingProvider(gateway: fixture.gateway)
        await client.setCopilotTokenProvider(fresh)
        _ = try await client.messages()
        #expect(fresh.asked.count == 1)
    }

    @Test("R16: a provider that drops its completion fails at once")
    func dropped() async throws {
        let fixture = Fixture { $0.retry.messages = .none }
        await fixture.client.setCopilotTokenProvider(CopilotTokenCallback { _, _ in })
        try await fixture.client.initialize(.copilot(userID: "u-1"))
        #expect(await failure { _ = try await fixture.client.messages() }?.code == .connectivity)
    }

    @Test("R17 R38 R187: no secret of a brand is a parameter, and no token is in an error or in the log")
    func noSecrets() async throws {
        let fixture = Fixture()
        let token = FakeGateway.jwt("u-1")
        try await fixture.client.initialize(.parameters(.init(jwt: token)))
        fixture.gateway.fail("POST sessions", .problem(401, "token_invalid", reason: "bad_signature"))
        let error = try #require(await failure { _ = try await fixture.client.unreadCount() })
        #expect(!"\(error)".contains(token))
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/SwitchboardClient").resolvingSymlinksInPath()
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var count = 0
        while let url = files?.nextObject() as? URL {
            guard url.pathExtension == "swift" else { continue }
            count += 1
            let text = try String(contentsOf: url, encoding: .utf8)
            for line in text.split(separator: "\n") where line.contains("public ") && !line.contains("///") {
                #expect(line.range(of: "secret|password|privateKey|signingKey", options: .regularExpression) == nil)
            }
            #expect(!text.contains("HMAC"))
        }
        #expect(count > 30)
    }

    @Test("R36: the error of a signing service fails the call; success and failure exclude each other")
    func signerFails() async throws {
        let fixture = Fixture()
        let first = SwitchboardError(.general, "signing service down")
        let signer = Signer { _, success, failure in
            failure(first)
            success("signed:u-1")
        }
        await fixture.client.setPayloadSigner(signer)
        try await fixture.client.initialize(.signedPayload(sdkKeyName: "key"))
        #expect(await failure { _ = try await fixture.client.unreadCount() } == first)
        #expect(fixture.gateway.routes.isEmpty)
        await fixture.client.setPayloadSigner(nil)
        #expect(await failure { _ = try await fixture.client.unreadCount() }?.code == .unauthorized)
    }

    @Test("R36: a signing service that never responds is a connectivity error; a late result is ignored")
    func signerHangs() async throws {
        let fixture = Fixture { $0.retry.unread = .none }
        let held = Locked<[@Sendable (String) -> Void]>([])
        await fixture.client.setPayloadSigner(Signer { _, success, _ in held.withLock { $0.append(success) } })
        try await fixture.client.initialize(.signedPayload(sdkKeyName: "key"))
        let client = fixture.client
        let call = Task { await failure { _ = try await client.unreadCount() } }
        await fixture.clock.waitForSleepers(1)
        fixture.clock.advance(by: .seconds(30))
        #expect(await call.value?.code == .connectivity)
        // Too late: it serves nothing, and the next call asks again.
        for success in held.withLock({ $0 }) { success("signed:u-1") }
        let fresh = Signer { _, success, _ in
            success("signed:u-2")
            success("signed:u-3")
        }
        await client.setPayloadSigner(fresh)
        _ = try await client.unreadCount()
        #expect(await client.consumerID == "u-2")
        #expect(fixture.gateway.routes == ["POST exchange", "GET unread"])
    }

    @Test("R37: a logout clears the exchanged token, and the next user's calls exchange again")
    func signedLogout() async throws {
        let fixture = Fixture()
        let user = Locked("u-1")
        let signer = Signer { _, success, _ in success("signed:" + user.withLock { $0 }) }
        await fixture.client.setPayloadSigner(signer)
        try await fixture.client.initialize(.signedPayload(sdkKeyName: "key"))
        _ = try await fixture.client.unreadCount()
        try await fixture.client.logout()
        user.withLock { $0 = "u-2" }
        try await fixture.client.initialize(.signedPayload(sdkKeyName: "key"))
        _ = try await fixture.client.unreadCount()
        #expect(await fixture.client.consumerID == "u-2")
        #expect(signer.types.count == 2)
    }

    @Test("R14: a wall clock that jumps does not end a key, and a key that expired is not used")
    func clocks() async throws {
        let fixture = Fixture()
        fixture.gateway.setLifetime(60)
        try await fixture.client.initialize(.parameters(.init(jwt: FakeGateway.jwt("u-1"))))
        _ = try await fixture.client.messages()
        fixture.clock.jump(by: 100_000)
        _ = try await fixture.client.messages()
        fixture.clock.jump(by: -300_000)
        _ = try await fixture.client.messages()
        #expect(fixture.gateway.calls("POST sessions").count == 1)
        fixture.clock.advance(by: .seconds(60))
        _ = try await fixture.client.messages()
        #expect(fixture.gateway.calls("POST sessions").count == 2)
        #expect(fixture.gateway.calls("GET messages").count == 4)
    }

    @Test("a caller that is cancelled does not end the request for a key of the others")
    func cancelled() async throws {
        let fixture = Fixture()
        let held = Locked<CopilotTokenCallback.Completion?>(nil)
        await fixture.client.setCopilotTokenProvider(CopilotTokenCallback { _, done in held.withLock { $0 = done } })
        try await fixture.client.initialize(.copilot(userID: "u-1"))
        let client = fixture.client
        let first = Task { await failure { _ = try await client.messages() } }
        let second = Task { try await client.messages().count }
        await fixture.clock.waitForSleepers(1)
        first.cancel()
        #expect(await first.value?.code == .cancelled)
        while held.withLock({ $0 == nil }) { await Task.yield() }
        let done = held.withLock { $0 }
        done?(.success(fixture.gateway.mint("u-1")))
        #expect(try await second.value == 1)
    }

    @Test("the calls that wait for a token are bounded")
    func bounded() {
        var machine = TokenMachine(policy: .copilot)
        #expect(machine.need(0, at: .zero) == .ask(attempt: 1))
        for waiter in 1..<TokenMachine.maxWaiters { #expect(machine.need(waiter, at: .zero) == .wait) }
        guard case .fail(let numbers, let error) = machine.need(-1, at: .zero) else {
            Issue.record("the call was not refused")
            return
        }
        #expect(numbers == [-1])
        #expect(error.code == .tooManyCalls)
    }

    @Test("trap 1: each system has a policy of its own")
    func policies() {
        #expect(TokenPolicy.copilot.keeping == .stored)
        #expect(TokenPolicy.customerToken.keeping == .never)
        #expect(TokenPolicy.delegate(timeout: .seconds(1)).keeping == .inMemory)
        #expect(TokenPolicy.delegate(timeout: .seconds(1)).keepsLateTokens)
        #expect(!TokenPolicy.copilot.keepsLateTokens)
    }
}
