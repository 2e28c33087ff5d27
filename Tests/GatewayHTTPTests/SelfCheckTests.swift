import GatewayModel
import PushProviders
import Synchronization
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The result of a self-check with an unusable provider", .timeLimit(.minutes(10)))
struct SelfCheckTests {
    private static let detail = "10.0.0.5:443: cannot connect: connection refused (errno: 111)"

    /// Fails at once, or never responds.
    private final class FailingProvider: PushProvider {
        private let source: any PushSource
        private let fault: PushProviderFault?

        init(_ source: any PushSource, _ fault: PushProviderFault?) {
            self.source = source
            self.fault = fault
        }

        func wake() {
            if let fault { source.providerChanged(.failed(fault, reason: SelfCheckTests.detail)) }
        }

        func check() async -> PushProviderVerdict { PushProviderVerdict(isUsable: false, text: "") }
        func shutdown(within limit: Duration) async {}
    }

    private func result(
        _ fault: PushProviderFault?,
        isForAdmin: Bool,
        endpointsBy setter: AppSettings.EndpointSetter?
    ) async throws -> SelfCheck.Result {
        var app = AppSettings(platform: .ios)
        app.endpointsBy = setter
        let clock = TestClock()
        let brand = Brand(id: BrandID(trusted: "acme"), name: "Acme", settings: BrandSettings(), createdAt: clock.now)
        let check = SelfCheck(
            lane: LaneKey(brand: brand.id, app: AppID(trusted: "ios"), pushType: .apns, environment: .production),
            app: app,
            brand: brand,
            clock: clock,
            isForAdmin: isForAdmin,
            timeout: fault == nil ? .milliseconds(1) : .seconds(600)
        )
        return try await check.run(token: "aabb") { _, _, _, source in FailingProvider(source, fault) }
    }

    @Test("a push in place of the silent one leaves with the token of the check")
    func shownPush() async throws {
        let clock = TestClock()
        let brand = Brand(id: BrandID(trusted: "acme"), name: "Acme", settings: BrandSettings(), createdAt: clock.now)
        var event = AgentEvent(
            id: EventID(trusted: "e"),
            type: .agentMessage,
            consumer: ConsumerID(trusted: "u-1")
        )
        event.text = "hello"
        var ids = MessageIDGenerator()
        let message = Message(
            PostedEvent(event, ids.next(at: clock.now)),
            brand: brand.id,
            conversation: ConversationID(trusted: "c-1"),
            sequence: 1,
            acceptedAt: clock.now,
            expiresAt: clock.now
        )
        let check = SelfCheck(
            lane: LaneKey(brand: brand.id, app: AppID(trusted: "ios"), pushType: .apns, environment: .production),
            app: AppSettings(platform: .ios),
            brand: brand,
            clock: clock,
            isForAdmin: true,
            push: PushJob(
                delivery: DeliveryID(0),
                registration: RegistrationID(0),
                token: "another",
                platform: .ios,
                message: message,
                badge: 1,
                expiresAt: clock.now
            )
        )
        let sent = Mutex<[PushJob]>([])
        _ = try await check.run(token: "aabb") { _, _, _, source in
            var jobs: [PushJob] = []
            source.nextPushes(capacity: 9, into: &jobs)
            let found = jobs
            sent.withLock { $0 += found }
            return FailingProvider(source, .unreachable)
        }
        let jobs = sent.withLock { $0 }
        #expect(jobs.map(\.token) == ["aabb"] && jobs.first?.message?.text == "hello" && jobs.first?.badge == 1)
    }

    @Test("the instance's administrator gets all details")
    func administrator() async throws {
        for setter in [nil, AppSettings.EndpointSetter.admin, .tenant] {
            for fault in [PushProviderFault.unreachable, .credential] {
                let result = try await result(fault, isForAdmin: true, endpointsBy: setter)
                #expect(result.outcome == "unreachable" && result.verdict.contains(Self.detail))
            }
            #expect(try await result(nil, isForAdmin: true, endpointsBy: setter).outcome == "timeout")
        }
    }

    @Test("a service account learns which side is at fault, and nothing of the transport")
    func serviceAccount() async throws {
        for setter in [nil, AppSettings.EndpointSetter.admin] {
            let unreachable = try await result(.unreachable, isForAdmin: false, endpointsBy: setter)
            #expect(unreachable.verdict == "The provider cannot be reached.")
            let refused = try await result(.credential, isForAdmin: false, endpointsBy: setter)
            #expect(refused.verdict == "The app's credential cannot be used, or the provider does not accept it.")
            #expect(try await result(nil, isForAdmin: false, endpointsBy: setter).outcome == "timeout")
        }
    }

    @Test(
        "a service account cannot distinguish refused, unanswered and forbidden connections to a tenant's endpoints"
    )
    func tenantsEndpoints() async throws {
        var reported: Set<String> = []
        for fault in [PushProviderFault.unreachable, .credential, nil] {
            let result = try await result(fault, isForAdmin: false, endpointsBy: .tenant)
            #expect(result.response == nil)
            reported.insert("\(result.outcome) \(result.verdict)")
        }
        #expect(reported.count == 1)
        #expect(reported.allSatisfy { !$0.contains("10.0.0.5") && !$0.contains("errno") && !$0.contains("refused") })
    }
}
