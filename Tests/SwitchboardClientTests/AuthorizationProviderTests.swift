import Foundation
import Logging
import Testing

@testable import SwitchboardClient

@Suite("Authorization provider", .timeLimit(.minutes(15)))
struct AuthorizationProviderTests {
    /// A provider with tokens of the test.
    final class Provider: AuthorizationProvider {
        private let tokens: Locked<[String?]>
        private let calls = Locked(0)

        init(_ tokens: [String?]) { self.tokens = Locked(tokens) }
        var count: Int { calls.withLock { $0 } }
        func getAuthorizationToken() -> String? {
            calls.withLock { $0 += 1 }
            return tokens.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
    }

    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func inbox(_ source: AuthorizationProviderSource) throws -> InboxAuthorization {
        try InboxAuthorization(
            BloomreachConfiguration(authorizationToken: "key", advancedAuthEnabled: true, provider: source),
            profile: .ios,
            logger: logger
        )
    }

    @Test("R147: the API key is required, and customer tokens are off by default")
    func defaults() async throws {
        #expect(!BloomreachConfiguration(authorizationToken: "key").advancedAuthEnabled)
        let plain = try InboxAuthorization(.init(authorizationToken: "key"), profile: .ios, logger: logger)
        #expect(try await plain.header(clock: TestClock()) == "Token key")
        let fixture = Fixture { $0.bloomreach = BloomreachConfiguration(authorizationToken: "") }
        let error = await failure { try await fixture.client.initialize(.none) }
        #expect(error?.code == .parameterMissing)
        #expect(error?.reason == "bloomreach.authorizationToken")
    }

    @Test("R148 R149 R154 trap 1: each request asks; nothing is kept; the scheme is prefixed once")
    func eachRequest() async throws {
        let provider = Provider(["a", "Bearer b", "bearer c"])
        let inbox = try inbox(.instance { provider })
        #expect(try await inbox.header(clock: TestClock()) == "Bearer a")
        #expect(try await inbox.header(clock: TestClock()) == "Bearer b")
        #expect(try await inbox.header(clock: TestClock()) == "Bearer c")
        #expect(provider.count == 3)
    }

    @Test("R150 trap 22: no token fails the request, and the API key does not stand in", arguments: [nil, ""])
    func noToken(token: String?) async throws {
        let inbox = try inbox(.instance { Provider([token]) })
        #expect(await failure { _ = try await inbox.header(clock: TestClock()) }?.code == .unauthorized)
        let without = try self.inbox(.unregistered)
        #expect(await failure { _ = try await without.header(clock: TestClock()) }?.code == .unauthorized)
    }

    @Test("R148: a provider that blocks for ever is a connectivity error after the timeout")
    func hangs() async throws {
        struct Never: AuthorizationProvider {
            func getAuthorizationToken() async throws -> String? {
                try await Task.sleep(for: .seconds(3600))
                return nil
            }
        }
        let clock = TestClock()
        let inbox = try inbox(.instance { Never() })
        let call = Task { await failure { _ = try await inbox.header(clock: clock) } }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        #expect(await call.value?.code == .connectivity)
    }

    private struct NoObject {}

    /// An object of another kind.
    private final class Other: NSObject {}

    @Test(
        "R151 R152 R201: the messages of both platforms, word for word",
        arguments: [
            (
                PlatformProfile.android, AuthorizationProviderSource.unregistered,
                "Advanced auth has been enabled but provider has not been found"
            ),
            (.android, .named("com.a.P") { nil }, "Registered com.a.P class has not been found"),
            (
                .android, .named("com.a.P") { Other() },
                "Registered com.a.P class has to implement com.exponea.sdk.services.AuthorizationProvider"
            ),
            (.ios, .unregistered, "Advanced authorization flag has been enabled without provider"),
            (
                .ios, .named("ExponeaAuthProvider") { NoObject() },
                "Class ExponeaAuthProvider does not conform to NSObject"
            ),
            (
                .ios, .named("ExponeaAuthProvider") { Other() },
                "Class ExponeaAuthProvider does not conform to AuthorizationProviderType"
            ),
        ]
    )
    func messages(profile: PlatformProfile, source: AuthorizationProviderSource, message: String) async throws {
        #expect(InboxAuthorization.message(source.find(), profile: profile) == message)
        let fixture = Fixture(profile: profile) {
            $0.bloomreach = BloomreachConfiguration(
                authorizationToken: "key",
                advancedAuthEnabled: true,
                provider: source
            )
        }
        let error = await failure { try await fixture.client.initialize(.none) }
        if profile == .ios {
            #expect(error == nil)
        } else {
            #expect(error?.code == .providerMissing)
            #expect(error?.message == message)
            // The app's own error: nothing is disabled.
            #expect(await failure { _ = try await fixture.client.unreadCount() }?.code == .notInitialized)
        }
    }

    @Test("R202: in the Android profile initialisation reports by its result whether it worked")
    func result() async throws {
        let fixture = Fixture(profile: .android) {
            $0.bloomreach = BloomreachConfiguration(
                authorizationToken: "key",
                advancedAuthEnabled: true,
                provider: .instance { Provider(["a"]) }
            )
        }
        let result = try await fixture.client.initialize(.none)
        #expect(result == Initialization(wasActive: false, wasUpgraded: false))
    }

    @Test("R153 R155 R201: the provider is found again after anonymize, and the push token moves")
    func anonymize() async throws {
        let finds = Locked(0)
        let fixture = Fixture {
            $0.bloomreach = BloomreachConfiguration(
                authorizationToken: "key",
                advancedAuthEnabled: true,
                provider: .instance {
                    finds.withLock { $0 += 1 }
                    return Provider(["a"])
                }
            )
        }
        try await fixture.client.initialize(.anonymous)
        try await fixture.client.registerPush(Fixture.push)
        try await fixture.client.anonymize()
        #expect(finds.withLock { $0 } == 2)
        #expect(fixture.gateway.devices.values.map(\.consumer) == ["anonymous-2"])
        #expect(await fixture.client.consumerID == "anonymous-2")
    }

    @Test("R166: no customer token is on disk")
    func notStored() async throws {
        let provider = Provider(["customer-token"])
        let fixture = Fixture {
            $0.bloomreach = BloomreachConfiguration(
                authorizationToken: "key",
                advancedAuthEnabled: true,
                provider: .instance { provider }
            )
        }
        try await fixture.client.initialize(.anonymous)
        let inbox = try #require(await fixture.client.inboxAuthorization)
        _ = try await inbox.header(clock: fixture.clock)
        _ = try await fixture.client.unreadCount()
        #expect(!fixture.storage.text.contains("customer-token"))
    }
}
