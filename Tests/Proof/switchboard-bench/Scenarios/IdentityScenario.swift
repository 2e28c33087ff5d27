import Crypto
import Foundation
import GatewayModel
import GatewayStorage
import Identity
import ProcessHarness
import TextFormats

/// The cost of a login beyond its cryptography, the cost of a session lookup, and the memory of sessions.
///
/// In process: a token is parsed and verified, and a new session is created but not stored. The primitives alone are
/// measured in turns with it.
struct IdentityScenario {
    /// The number of rounds; the kinds and their primitives alternate.
    var rounds: Int
    /// The limit: CPU of a login beyond its primitives.
    var microsecondsLimit = 30.0
    /// The limit: CPU of a session lookup in memory.
    var lookUpLimit = 2.0
    /// The limit: resident memory of 100,000 sessions.
    var megabytesLimit = 60.0

    private static let brand = BrandID(trusted: "bench")
    private static let sessions = 100_000
    /// How often a kind and its primitive alternate within a round.
    private static let turns = 100

    /// Runs in this process, on one task.
    ///
    /// - Returns: The figures.
    /// - Throws: An error when a token is rejected.
    func run() async throws -> Report {
        var report = Report()
        let clock = SystemClock()
        let directory = try await Directory.load(
            store: NotStoringStore(),
            box: SecretBox(key: MasterKey()),
            clock: clock,
            reader: NoApps()
        )
        try await directory.createBrand(
            Brand(id: Self.brand, name: "Bench", settings: BrandSettings(), createdAt: clock.now)
        )
        try await measureSessions(directory, clock, &report)
        try await measureLogins(directory, clock, &report)
        return report
    }

    private func measureLogins(_ directory: Directory, _ clock: SystemClock, _ report: inout Report) async throws {
        let verifier = AssertionVerifier(directory: directory, publishedKeys: NoPublishedKeys(), clock: clock)
        let service = SessionService(
            store: NotStoringStore(),
            directory: directory,
            writer: NotStoringWriter(),
            clock: clock
        )
        let kinds = try await AssertionKind.all(directory, Self.brand)
        var costs = [[(login: Double, primitive: Double)]](repeating: [], count: kinds.count)
        // The first round is warm-up and is not counted.
        for round in 0...rounds {
            for (place, kind) in kinds.enumerated() {
                // In turns of a fraction of a millisecond: a longer disturbance of the host affects both sides of a
                // pair, and a shorter one affects few pairs, which the median ignores.
                for _ in 0..<Self.turns {
                    let start = Self.cpu()
                    for _ in 0..<kind.repeats {
                        guard kind.primitive() else { throw HarnessError("\(kind.name): the primitive failed") }
                    }
                    let middle = Self.cpu()
                    for _ in 0..<kind.repeats { try await logIn(kind.token, verifier, service) }
                    let (primitive, login) = (middle - start, Self.cpu() - middle)
                    let scale = 1 / Double(kind.repeats)
                    if round > 0 { costs[place].append((login * scale, primitive * scale)) }
                }
            }
        }
        for (kind, costs) in zip(kinds, costs) {
            let name = "login, \(kind.name)"
            let beyond = costs.map { $0.login - $0.primitive }
            report.add(name, "CPU beyond the primitive", beyond.median, "us", atMost: microsecondsLimit)
            report.add(name, "CPU of the primitive", costs.map(\.primitive).median, "us")
            report.add(name, "login / primitive", costs.map { $0.login / $0.primitive }.median, "x")
        }
    }

    private func logIn(_ token: String, _ verifier: AssertionVerifier, _ service: SessionService) async throws {
        let assertion = try await verifier.verify(token, keyName: nil, brand: Self.brand)
        _ = try await service.open(
            brand: assertion.brand,
            consumer: assertion.consumer,
            device: nil,
            credential: assertion.credential
        )
    }

    /// Returns the CPU time of this process so far in microseconds.
    private static func cpu() -> Double { ProcessUsage.ownCPUSeconds() * 1e6 }

    private func measureSessions(_ directory: Directory, _ clock: SystemClock, _ report: inout Report) async throws {
        let expiry = clock.now.adding(seconds: 3600)
        let created = clock.now
        let store = NotStoringStore { hash in
            let name = hash.prefix(16).map { String($0, radix: 16) }.joined()
            return StoredSession(
                tokenHash: hash,
                brand: Self.brand,
                consumer: ConsumerID(trusted: "consumer-\(name)"),
                device: DeviceID(trusted: "device-\(name)"),
                credential: "iss_AbCdEfGhIjKlMnOp",
                expiresAt: expiry,
                createdAt: created
            )
        }
        let service = SessionService(
            store: store,
            directory: directory,
            writer: NotStoringWriter(),
            clock: clock,
            cacheLimit: Self.sessions
        )
        // Allocations of the first lookup do not belong to a session.
        _ = try await service.authenticate(token: Self.token(-1), brand: Self.brand)
        let before = try ProcessUsage(pid: getpid()).residentBytes
        for index in 0..<(Self.sessions - 1) {
            _ = try await service.authenticate(token: Self.token(index), brand: Self.brand)
        }
        let held = try ProcessUsage(pid: getpid()).residentBytes - before
        let name = "\(service.cachedSessions) live sessions"
        report.add(name, "resident memory", Double(held) / 1e6, "MB", atMost: megabytesLimit)

        // Spread over the whole cache, so that the processor's caches do not hold them.
        let tokens = stride(from: 0, to: Self.sessions - 1, by: 7).map(Self.token)
        var costs: [Double] = []
        for round in 0...rounds {
            let start = Self.cpu()
            for token in tokens { _ = try await service.authenticate(token: token, brand: Self.brand) }
            if round > 0 { costs.append((Self.cpu() - start) / Double(tokens.count)) }
        }
        report.add(name, "CPU of a look-up in memory", costs.median, "us", atMost: lookUpLimit)
    }

    /// Makes a token from its number, so that tokens need no memory.
    private static func token(_ index: Int) -> String {
        "sbs_" + StrictBase64.encode(Array(SHA384.hash(data: Array("\(index)".utf8)).prefix(44)), .url)
    }
}

/// A writer that accepts every session and stores none.
private struct NotStoringWriter: SessionWriter {
    func perform(_ change: StoreChange) async throws(StorageError) -> StoreChangeResult {
        guard case .openSession(let session, _) = change else {
            throw .unavailable(detail: "this writer opens sessions only")
        }
        return .sessionOpened(SessionOpening(consumer: session.consumer, anonymous: false))
    }
}

/// There are no apps.
private struct NoApps: AppSettingsReader {
    func open(_ app: AppSettings) -> Result<AppSettings, SettingsProblem> { .success(app) }
    func problems(_ app: AppSettings) -> [SettingsProblem] { [] }
    func certificate(_ app: AppSettings) -> APNsCertificateFacts? { nil }
}
