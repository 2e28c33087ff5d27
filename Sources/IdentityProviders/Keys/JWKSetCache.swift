import CoreMetrics
import FairSharing
package import GatewayModel
package import GuardedHTTP
package import Identity
package import Logging
import Synchronization
package import Telemetry

/// The JWK sets that issuers publish, each read when it is needed and kept for a time.
///
/// A set is used for ten minutes and read again then, or earlier because of a `kid` that it does not have, once a minute at
/// most. While its address fails the last set goes on for a day. One read of an address runs at a time for a brand, and
/// everybody who needs it waits for the same one. Brands share neither sets nor the blame for them: one that names many
/// issuers takes no other's set and no other's read. Any task may call; ``close()`` ends what runs.
package final class JWKSetCache: PublishedKeys {
    /// More sets than the issuers of any instance; beyond, one of the brand that has the most goes.
    private static let maxSets = 256
    /// Reads that run at once, of which each brand has its share; beyond it, a brand's kept sets go on.
    private static let maxReads = 256
    /// For one read, for which a device waits: look-up, connection, request and answer.
    private static let timeout = Duration.seconds(10)

    private let client: GuardedHTTPClient
    private let clock: any GatewayClock
    private let metrics: IdentityProviderMetrics
    private let logger: Logger
    private let state = Mutex(State())

    /// A brand's set.
    private struct SetName: Hashable {
        var brand: BrandID
        var url: String
    }

    private struct State {
        var sets: [SetName: KeySetRecord] = [:]
        /// The reads that run, each of which ends by its timeout.
        var reads: [SetName: Task<Void, Never>] = [:]
        /// The places of these reads.
        var places = FairPlaces<BrandID>(capacity: JWKSetCache.maxReads)
        var uses: UInt64 = 0
        var isClosed = false
    }

    /// What a caller does after a look.
    private enum Step {
        case answer([VerifyingKey])
        case wait(SharedAnswer<KeySetRecord>)
        case fail(String)
    }

    /// Makes a cache; nothing is read yet.
    ///
    /// - Parameters:
    ///   - client: Asks the addresses; closed by its owner, after this cache.
    ///   - clock: Where time is read from.
    ///   - metrics: What is counted.
    ///   - logger: For what operators should know.
    package init(
        client: GuardedHTTPClient,
        clock: any GatewayClock,
        metrics: IdentityProviderMetrics,
        logger: Logger
    ) {
        self.client = client
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
    }

    /// The keys of a set that can verify with an algorithm; see ``Identity/PublishedKeys``.
    ///
    /// - Parameters:
    ///   - url: The set's address, as a credential names it.
    ///   - keyID: The `kid` that the token names; nil asks for all keys of the algorithm.
    ///   - algorithm: What they must verify.
    ///   - brand: Whose credential it is.
    /// - Returns: The keys; empty when the set has none, and was read without a failure since.
    /// - Throws: ``AuthenticationError/upstreamUnavailable(_:)`` when there is neither a fresh set nor one that is kept, when
    ///   the one that is kept has no such key and the last read failed or there is no room for another, or when the caller's
    ///   task is cancelled.
    package func keys(
        at url: String,
        keyID: String?,
        algorithm: SignatureAlgorithm,
        of brand: BrandID
    ) async throws(AuthenticationError) -> [VerifyingKey] {
        switch look(SetName(brand: brand, url: url), keyID, algorithm) {
        case .answer(let keys): return keys
        case .fail(let fault): throw .upstreamUnavailable(fault)
        case .wait(let read):
            guard let record = await read.wait() else { throw .upstreamUnavailable(Self.stopped) }
            let keys = record.kept(now: clock.monotonicNanoseconds)?.keys(keyID, algorithm) ?? []
            if keys.isEmpty, let fault = record.fault { throw .upstreamUnavailable(fault) }
            return keys
        }
    }

    /// Ends the reads that run; who waits for one is told that there is no set.
    package func close() async {
        let reads = state.withLock { state in
            state.isClosed = true
            return Array(state.reads.values)
        }
        for read in reads { read.cancel() }
        for read in reads { await read.value }
    }

    private static let stopped = "The keys of the token's issuer were not read: the gateway stops."
    private static let full =
        "The keys of the token's issuer were not read: too many issuers are being asked; try again."

    private func look(_ name: SetName, _ keyID: String?, _ algorithm: SignatureAlgorithm) -> Step {
        state.withLock { state in
            // Read here: who waited for the lock comes after the one that it waited for.
            let now = clock.monotonicNanoseconds
            let isNew = state.sets[name] == nil
            var record = state.sets[name] ?? KeySetRecord()
            state.uses += 1
            record.usedAt = state.uses
            if !isNew { state.sets[name] = record }
            let kept = record.kept(now: now)
            let keys = kept?.keys(keyID, algorithm) ?? []
            guard record.isReadDue(isKnown: !keys.isEmpty, now: now) else {
                // One that runs may bring what is missing.
                if keys.isEmpty, let read = record.read { return .wait(read) }
                // A key that is not in what is kept may be in what could not be read.
                if keys.isEmpty, let fault = record.fault { return .fail(fault) }
                return .answer(keys)
            }
            if let read = record.read { return .wait(read) }
            guard !state.isClosed else { return .fail(Self.stopped) }
            guard state.places.take(name.brand) else { return keys.isEmpty ? .fail(Self.full) : .answer(keys) }
            if isNew, !Self.makeRoom(for: name.brand, in: &state, now) {
                state.places.giveBack(name.brand)
                return .fail(Self.full)
            }
            let read = SharedAnswer<KeySetRecord>()
            record.read = read
            record.asked(now: now)
            state.sets[name] = record
            let attempt = record.failures
            state.reads[name] = Task { await self.read(name, attempt: attempt, askedAt: now, read) }
            return .wait(read)
        }
    }

    /// Makes room for one more set of a brand.
    ///
    /// When there are too many, one of the brand that has the most is forgotten: one that is of no use before others, then the
    /// one that was not used for the longest time. False when all of those are being read.
    private static func makeRoom(for brand: BrandID, in state: inout State, _ now: UInt64) -> Bool {
        guard state.sets.count >= maxSets else { return true }
        let counts = state.sets.keys.reduce(into: [BrandID: Int]()) { $0[$1.brand, default: 0] += 1 }
        let own = counts[brand] ?? 0
        func rank(_ name: SetName, _ record: KeySetRecord) -> (Int, Int, UInt64) {
            (-(counts[name.brand] ?? 0), record.kept(now: now) == nil ? 0 : 1, record.usedAt)
        }
        // A brand with no more sets than this one gives none to it.
        let forgettable = state.sets.filter { name, record in
            record.read == nil && (name.brand == brand || (counts[name.brand] ?? 0) > own)
        }
        guard let first = forgettable.min(by: { rank($0.key, $0.value) < rank($1.key, $1.value) }) else { return false }
        state.sets[first.key] = nil
        return true
    }

    private func read(
        _ name: SetName,
        attempt: Int,
        askedAt: UInt64,
        _ waiters: SharedAnswer<KeySetRecord>
    ) async {
        let result = await fetch(name, attempt: attempt)
        let (record, now) = state.withLock { state in
            let now = clock.monotonicNanoseconds
            var record = state.sets[name] ?? KeySetRecord()
            switch result {
            case .success(let set): record.succeeded(set, askedAt: askedAt)
            case .failure(let fault): record.failed(fault.text, now: now)
            }
            record.read = nil
            state.sets[name] = record
            state.reads[name] = nil
            state.places.giveBack(name.brand)
            return (record, now)
        }
        metrics.duration[.keySet].recordNanoseconds(Int64(clamping: now.elapsed(since: askedAt)))
        switch result {
        case .success:
            metrics.keySetFetches[.read].increment()
            if attempt > 0 { logger.notice("a key set can be read again", metadata: place(of: name.url)) }
        case .failure(let fault):
            metrics.keySetFetches[fault.label].increment()
            if attempt == 0 {
                // Once for each outage.
                logger.warning(
                    "a key set cannot be read; what is kept of it goes on for a day",
                    metadata: place(of: name.url).merging([
                        LogKey.errorCode: "\(fault.label.rawValue)", LogKey.errorText: "\(fault.how)",
                    ]) { $1 }
                )
            }
        }
        waiters.finish(record)
    }

    /// Host and port alone: the rest of an address may be a secret.
    private func place(of url: String) -> Logger.Metadata {
        guard let parsed = try? client.url(url) else { return [:] }
        return [LogKey.address: "\(parsed.host)\(parsed.port.map { ":\($0)" } ?? "")"]
    }

    fileprivate struct Fault: Error {
        var label: KeySetFetchLabel
        var how: String

        var text: String { "The keys of the token's issuer cannot be read: \(how)." }
    }

    private func fetch(_ name: SetName, attempt: Int) async -> Result<JWKSet, Fault> {
        guard let url = try? client.url(name.url) else { return .failure(Fault(.forbiddenAddress)) }
        let request = GuardedRequest(
            url: url,
            method: .get,
            headers: [("accept", "application/jwk-set+json, application/json"), ("user-agent", "switchboard")],
            answerBody: .read(maxBytes: JWKSet.maxBytes),
            timeout: Self.timeout,
            owner: name.brand.rawValue,
            attempt: attempt
        )
        let answer: GuardedAnswer
        do { answer = try await client.send(request) } catch { return .failure(Fault(error)) }
        guard answer.status == 200 else {
            return .failure(Fault(label: .refused, how: "their address answers with status \(answer.status)"))
        }
        guard let set = JWKSet(answer.body) else {
            return .failure(Fault(label: .unusable, how: "their address answers with what is no set of keys"))
        }
        return .success(set)
    }
}

extension JWKSetCache.Fault {
    fileprivate init(_ failure: GuardedFailure) {
        switch failure {
        case .forbiddenAddress: self.init(label: .forbiddenAddress, how: "their address must not be reached")
        case .timeout: self.init(label: .timeout, how: "their address does not answer in time")
        case .tooLarge: self.init(label: .unusable, how: "their address answers with too much")
        case .tls: self.init(label: .unreachable, how: "their address shows no certificate that is trusted")
        case .unreachable, .unresolved: self.init(label: .unreachable, how: "their address cannot be reached")
        }
    }
}
