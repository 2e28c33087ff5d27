import Foundation
import GatewayModel
import GatewayStorage
import GuardedHTTP
import Logging
import Metrics
import Outbound
import ProcessHarness
import SQLiteStorage
import Synchronization
import Telemetry
import TestSupport
import Testing

/// The brands with their webhooks and keys, as a test sets them.
final class TestWebhookDirectory: WebhookDirectory {
    struct Entry {
        var brand: Brand
        var keys: [[UInt8]]
    }

    let entries = Mutex<[BrandID: Entry]>([:])

    var brands: [Brand] { entries.withLock { $0.values.map(\.brand) } }
    func brand(_ id: BrandID) -> Brand? { entries.withLock { $0[id]?.brand } }
    func webhookKeys(brand: BrandID) -> [[UInt8]] { entries.withLock { $0[brand]?.keys ?? [] } }
    var replyingHooks: [OutboundReceiver] { [] }
    func reply(brand _: BrandID, hook _: HookID) -> HookSettings.Reply? { nil }
}

/// A resolver that always returns the same addresses, and counts its lookups.
final class TestResolver: HostResolver {
    private let found: [InternetAddress]
    let asked = Mutex<[String]>([])

    init(_ addresses: [String]) { found = addresses.compactMap { InternetAddress($0) } }

    func addresses(of host: String, for _: String) async -> [InternetAddress] {
        asked.withLock { $0.append(host) }
        return found
    }
}

/// A store with brands, and the webhook service on it with its real sender.
final class WebhookFixture: Sendable {
    private static let madeAt = Timestamp(milliseconds: 1_767_323_045_000)
    static let key = [UInt8](repeating: 7, count: 32)
    let directory: TemporaryDirectory
    let store: any GatewayStore
    let clock = TestClock(now: WebhookFixture.madeAt)
    let webhooks = TestWebhookDirectory()
    let service: WebhookService
    private let events = Mutex((count: 0, ids: MessageIDGenerator()))

    init(resolver: any HostResolver = TestResolver([]), metrics: any MetricsFactory = NOOPMetricsHandler.instance)
        throws
    {
        directory = try TemporaryDirectory()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        store = try SQLiteStore.open(path: directory.path("test.sqlite"), logger: logger)
        let service = WebhookService(
            store: store,
            directory: webhooks,
            makeSender: {
                HTTPWebhookSender(
                    client: GuardedHTTPClient(
                        resolver: resolver,
                        policy: AddressPolicy(allowsLoopback: true),
                        maxIdle: 1
                    )
                )
            },
            clock: clock,
            metrics: OutboundMetrics(factory: metrics),
            logger: logger
        )
        self.service = service
        store.onOutbound { brand, _ in service.newItems(brand) }
    }

    /// Runs the service during a test.
    func run(_ test: @escaping @Sendable (WebhookFixture) async throws -> Void) async throws {
        _ = try await store.begin(now: clock.now)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.service.run() }
            let result: Result<Void, any Error>
            do {
                try await test(self)
                result = .success(())
            } catch { result = .failure(error) }
            group.cancelAll()
            try await group.waitForAll()
            await self.store.close()
            try result.get()
        }
    }

    /// Creates a brand with a webhook.
    func makeBrand(_ id: String = "acme", url: String, keys: [[UInt8]] = [WebhookFixture.key]) async throws {
        try await store.insertBrand(Self.brand(id, url: url, types: nil), audit: nil)
        set(id, url: url, keys: keys)
    }

    /// Changes a brand's webhook.
    func set(
        _ id: String = "acme",
        url: String,
        keys: [[UInt8]] = [WebhookFixture.key],
        types: Set<OutboundType>? = nil
    ) {
        let brand = Self.brand(id, url: url, types: types)
        webhooks.entries.withLock { $0[brand.id] = TestWebhookDirectory.Entry(brand: brand, keys: keys) }
        service.changed()
    }

    private static func brand(_ id: String, url: String, types: Set<OutboundType>?) -> Brand {
        Brand(
            id: BrandID(trusted: id),
            name: id,
            settings: BrandSettings(),
            createdAt: madeAt,
            webhook: WebhookSettings(
                url: url,
                types: types.map { Array($0) },
                sealedSecret: [1],
                secretFingerprint: "f"
            )
        )
    }

    /// Opens conversations: one item each.
    func open(_ count: Int, brand: String = "acme") async throws {
        var turn = WriterTurn(now: clock.now, incarnation: IncarnationID(1))
        let posted = events.withLock { events in
            (0..<count).map { _ in
                events.count += 1
                var event = AgentEvent(
                    id: EventID(trusted: "e-\(events.count)"),
                    type: .agentMessage,
                    consumer: ConsumerID(trusted: "u-1")
                )
                event.conversation = ConversationID(trusted: "c-\(events.count)")
                event.text = "hello"
                return PostedEvent(event, events.ids.next(at: turn.now))
            }
        }
        turn.accepts = [
            AcceptRequest(brand: BrandID(trusted: brand), messageTtlSeconds: 60, dedupeHours: 1, events: posted)
        ]
        _ = try await store.commit(turn)
    }

    func state(_ brand: String = "acme") async throws -> WebhookState {
        try #require(try await store.webhookState(of: OutboundReceiver(brand: BrandID(trusted: brand))))
    }

    /// Waits for a condition; an attempt that is scheduled later is made due.
    func until(
        _ what: String,
        _ location: SourceLocation = #_sourceLocation,
        isPatient: Bool = false,
        _ holds: () async throws -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + .seconds(540)
        while try await !holds() {
            guard ContinuousClock.now < deadline else {
                Issue.record("timed out waiting for: \(what)", sourceLocation: location)
                return
            }
            if !isPatient { try await makeDue() }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private func makeDue() async throws {
        for brand in webhooks.brands.map(\.id) {
            let state = try await store.webhookState(of: OutboundReceiver(brand: brand))
            guard let next = state?.nextTry, next > clock.now else { continue }
            clock.advance(seconds: (next.milliseconds - clock.now.milliseconds) / 1000 + 1)
            service.changed()
        }
    }
}
