import CoreMetrics
package import GatewayModel
package import GuardedHTTP
package import Identity
package import Logging
import Synchronization
package import Telemetry

/// The JWK sets that issuers publish, each read when it is needed and kept for a time.
///
/// A set is used for ten minutes and read again then, or earlier because of a `kid` that it does not have, once a minute at
/// most. While its address fails the last set goes on for a day. One read of an address runs at a time, and everybody who
/// needs it waits for the same one. Any task may call; ``close()`` ends what runs.
package final class JWKSetCache: PublishedKeys {
    /// More sets than the issuers of any instance; beyond, those that were not used for the longest time go.
    private static let maxSets = 256
    /// For one read, for which a device waits: look-up, connection, request and answer.
    private static let timeout = Duration.seconds(10)

    private let client: GuardedHTTPClient
    private let clock: any GatewayClock
    private let metrics: IdentityProviderMetrics
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        var sets: [String: KeySetRecord] = [:]
        /// The reads that run, each of which ends by its timeout.
        var reads: [String: Task<Void, Never>] = [:]
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
    /// - Returns: The keys; empty when the set has none, and was read without a failure since.
    /// - Throws: ``AuthenticationError/upstreamUnavailable(_:)`` when there is neither a fresh set nor one that is kept, when
    ///   the one that is kept has no such key and the last read failed, or when the caller's task is cancelled.
    package func keys(
        at url: String,
        keyID: String?,
        algorithm: SignatureAlgorithm
    ) async throws(AuthenticationError) -> [VerifyingKey] {
        switch look(url, keyID, algorithm) {
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

    private func look(_ url: String, _ keyID: String?, _ algorithm: SignatureAlgorithm) -> Step {
        state.withLock { state in
            // Read here: who waited for the lock comes after the one that it waited for.
            let now = clock.monotonicNanoseconds
            guard state.sets[url] != nil || Self.makeRoom(&state) else { return .fail(Self.full) }
            state.uses += 1
            var record = state.sets[url] ?? KeySetRecord()
            record.usedAt = state.uses
            defer { state.sets[url] = record }
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
            let read = SharedAnswer<KeySetRecord>()
            record.read = read
            record.asked(now: now)
            let attempt = record.failures
            state.reads[url] = Task { await self.read(url, attempt: attempt, askedAt: now, read) }
            return .wait(read)
        }
    }

    /// Makes room for one more: forgets the set that was not used for the longest time when there are too many; false when
    /// all are being read.
    private static func makeRoom(_ state: inout State) -> Bool {
        guard state.sets.count >= maxSets else { return true }
        let idle = state.sets.filter { $0.value.read == nil }
        guard let oldest = idle.min(by: { $0.value.usedAt < $1.value.usedAt }) else { return false }
        state.sets[oldest.key] = nil
        return true
    }

    private func read(_ url: String, attempt: Int, askedAt: UInt64, _ waiters: SharedAnswer<KeySetRecord>) async {
        let result = await fetch(url, attempt: attempt)
        let (record, now) = state.withLock { state in
            let now = clock.monotonicNanoseconds
            var record = state.sets[url] ?? KeySetRecord()
            switch result {
            case .success(let set): record.succeeded(set, askedAt: askedAt)
            case .failure(let fault): record.failed(fault.text, now: now)
            }
            record.read = nil
            state.sets[url] = record
            state.reads[url] = nil
            return (record, now)
        }
        metrics.duration[.keySet].recordNanoseconds(Int64(clamping: now.elapsed(since: askedAt)))
        switch result {
        case .success:
            metrics.keySetFetches[.read].increment()
            if attempt > 0 { logger.notice("a key set can be read again", metadata: place(of: url)) }
        case .failure(let fault):
            metrics.keySetFetches[fault.label].increment()
            if attempt == 0 {
                // Once for each outage.
                logger.warning(
                    "a key set cannot be read; what is kept of it goes on for a day",
                    metadata: place(of: url).merging([LogKey.errorCode: "\(fault.label.rawValue)"]) { $1 }
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

    private func fetch(_ url: String, attempt: Int) async -> Result<JWKSet, Fault> {
        guard let url = try? client.url(url) else { return .failure(Fault(.forbiddenAddress)) }
        let request = GuardedRequest(
            url: url,
            method: .get,
            headers: [("accept", "application/jwk-set+json, application/json"), ("user-agent", "switchboard")],
            answerBody: .read(maxBytes: JWKSet.maxBytes),
            timeout: Self.timeout,
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
