import Foundation
import Logging

@testable import SwitchboardClient

/// A client with a gateway, a storage and a clock of the test.
struct Fixture: Sendable {
    static let push = PushToken.apns(Data([0x00, 0xfc, 0x13]))

    let gateway: FakeGateway
    let storage: FaultyStorage
    let clock: TestClock
    let client: SwitchboardClient

    init(
        gateway: FakeGateway = FakeGateway(),
        storage: FaultyStorage = FaultyStorage(),
        clock: TestClock = TestClock(),
        profile: PlatformProfile = .ios,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        windows: (any WindowTransport)? = nil,
        change: (inout ClientConfiguration) -> Void = { _ in }
    ) {
        self.gateway = gateway
        self.storage = storage
        self.clock = clock
        var configuration = ClientConfiguration(
            serverURL: URL(string: "https://gateway.example") ?? URL(fileURLWithPath: "/"),
            brandID: "acme",
            appID: "app",
            profile: profile
        )
        change(&configuration)
        client = SwitchboardClient(
            configuration: configuration,
            storage: storage,
            transport: gateway,
            windowTransport: windows,
            clock: clock,
            logger: logger
        )
    }

    /// A client that starts with the same gateway, storage and clock, as after a restart of the app.
    func restarted(change: (inout ClientConfiguration) -> Void = { _ in }) -> Fixture {
        Fixture(gateway: gateway, storage: storage, clock: clock, change: change)
    }

    /// Initialises with a provider that mints keys at the gateway.
    @discardableResult
    func loginCopilot(_ userID: String = "u-1") async throws -> CountingProvider {
        let provider = CountingProvider(gateway: gateway)
        await client.setCopilotTokenProvider(provider)
        try await client.initialize(.copilot(userID: userID))
        return provider
    }
}

/// A provider that mints keys at the gateway, or behaves as the test says.
final class CountingProvider: CopilotTokenProvider {
    private let gateway: FakeGateway
    private let users = Locked<[String]>([])
    private let results: Locked<[Result<String, CopilotTokenError>]>

    init(gateway: FakeGateway, _ results: [Result<String, CopilotTokenError>] = []) {
        self.gateway = gateway
        self.results = Locked(results)
    }

    /// The users that were asked for.
    var asked: [String] { users.withLock { $0 } }

    func generateUserAuthKey(for userID: String) async throws -> String {
        users.withLock { $0.append(userID) }
        let result = results.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        await Task.yield()
        return try result?.get() ?? gateway.mint(userID)
    }
}

/// Returns the error of a body; nil if it has none.
func failure(_ body: () async throws -> Void) async -> SwitchboardError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? SwitchboardError ?? SwitchboardError(.general, "\(error)")
    }
}

/// A recorder of events, in order.
final class Recorder: Sendable {
    private let client: SwitchboardClient
    private let events: Locked<[ClientEvent]>
    private let hasEnded: Locked<Bool>
    private let task: Task<Void, Never>

    /// Starts to record; the stream is subscribed when this returns.
    init(_ client: SwitchboardClient) async {
        self.client = client
        let stream = await client.events()
        let events = Locked<[ClientEvent]>([])
        let hasEnded = Locked(false)
        self.events = events
        self.hasEnded = hasEnded
        task = Task {
            for await event in stream { events.withLock { $0.append(event) } }
            hasEnded.withLock { $0 = true }
        }
    }

    /// The events so far: those before a mark that goes the same way.
    var all: [ClientEvent] {
        get async {
            var mark = PushMessage(dialect: .switchboard, kind: .silent)
            mark.id = "mark"
            let event = ClientEvent.notificationTapped(mark)
            await client.bannerTapped(mark)
            while !events.withLock({ $0.contains(event) }), !hasEnded.withLock({ $0 }), !Task.isCancelled {
                await Task.yield()
            }
            return events.withLock { events in
                events.removeAll { $0 == event }
                return events
            }
        }
    }

    /// The events until the stream ends.
    var untilEnd: [ClientEvent] {
        get async {
            await task.value
            return events.withLock { $0 }
        }
    }
}

/// A screen that records.
final class Screen: PushPresenter {
    private let log = Locked<[String]>([])

    /// The calls, such as `badge 3`.
    var calls: [String] { log.withLock { $0 } }
    func show(_ message: PushMessage) { log.withLock { $0.append("show \(message.id ?? "-")") } }
    func withdraw(_ withdrawal: PushWithdrawal) {
        let text =
            withdrawal.includesAll
            ? "withdraw all" : "withdraw " + withdrawal.notificationIDs.joined(separator: ",")
        log.withLock { $0.append(text) }
    }
    func setBadge(_ count: Int) { log.withLock { $0.append("badge \(count)") } }
}
