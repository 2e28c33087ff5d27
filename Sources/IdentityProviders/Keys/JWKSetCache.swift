import CoreMetrics
import FairSharing
package import GatewayModel
import GuardedHTTP
package import Identity
import Logging
import Synchronization
import Telemetry

/// A cache of the JWK sets that issuers publish; each is fetched when it is needed.
///
/// A set is used for ten minutes and then fetched again, or earlier for a `kid` that it does not have, at most once a
/// minute. While its URL fails, the last set is used for a day. A brand fetches a URL once at a time, and all callers
/// that need it wait for the same fetch. Brands share neither sets nor errors: a brand with many issuers takes no set
/// and no fetch from another. Any task may call; ``close()`` ends running fetches.
package final class JWKSetCache: PublishedKeys {
    /// The maximum of sets, more than the issuers of any instance; beyond it, a set of the brand with the most is
    /// evicted.
    private static let maxSets = 256
    /// The maximum of concurrent fetches, shared fairly among brands; beyond it, a brand's cached sets stay in use.
    private static let maxReads = 256
    /// The timeout of one fetch, for which a device waits: lookup, connection, request and response.
    private static let timeout = Duration.seconds(10)

    private let calls: ProviderCalls
    private let state = Mutex(State())

    /// The key of a brand's set.
    private struct SetName: Hashable {
        var brand: BrandID
        var url: String
    }

    private struct State {
        var sets: [SetName: KeySetRecord] = [:]
        /// The running fetches, each of which ends by its timeout.
        var reads: [SetName: Task<Void, Never>] = [:]
        /// The slots of these fetches.
        var slots = FairSlots<BrandID>(capacity: JWKSetCache.maxReads)
        var uses: UInt64 = 0
        var isClosed = false
    }

    /// The next step of a caller after a look at the cache.
    private enum Step {
        case response([VerifyingKey])
        case wait(SharedResult<KeySetRecord>)
        case fail(String)
    }

    /// Creates a cache; it fetches nothing yet.
    ///
    /// - Parameter calls: The calls of their URLs, whose client is closed after this cache.
    package init(calls: ProviderCalls) { self.calls = calls }

    /// Returns the keys of a set that can verify with an algorithm; see ``Identity/PublishedKeys``.
    ///
    /// - Parameters:
    ///   - url: The set's URL, as a credential names it.
    ///   - keyID: The `kid` of the token; nil for all keys of the algorithm.
    ///   - algorithm: The algorithm.
    ///   - brand: The brand of the credential.
    /// - Returns: The keys; empty when the set has none and the last fetch succeeded.
    /// - Throws: ``AuthenticationError/upstreamUnavailable(_:)`` when there is neither a fresh nor a cached set, when
    ///   the cached set has no such key and the last fetch failed or there is no slot for another, or when the caller's
    ///   task is cancelled.
    package func keys(
        at url: String,
        keyID: String?,
        algorithm: SignatureAlgorithm,
        of brand: BrandID
    ) async throws(AuthenticationError) -> [VerifyingKey] {
        switch nextStep(SetName(brand: brand, url: url), keyID, algorithm) {
        case .response(let keys): return keys
        case .fail(let fault): throw .upstreamUnavailable(fault)
        case .wait(let read):
            guard let record = await read.wait() else { throw .upstreamUnavailable(Self.stopped) }
            let keys = record.kept(now: calls.clock.monotonicNanoseconds)?.keys(keyID, algorithm) ?? []
            if keys.isEmpty, let fault = record.fault { throw .upstreamUnavailable(fault) }
            return keys
        }
    }

    /// Cancels the running fetches; their waiters get an error.
    package func close() async {
        let reads = state.withLock { state in
            state.isClosed = true
            return Array(state.reads.values)
        }
        for read in reads { read.cancel() }
        for read in reads { await read.value }
    }

    private static let stopped = "The keys of the token's issuer were not fetched: the gateway stops."
    private static let full =
        "The keys of the token's issuer were not fetched: too many issuers are being asked; try again."

    private func nextStep(_ name: SetName, _ keyID: String?, _ algorithm: SignatureAlgorithm) -> Step {
        state.withLock { state in
            // Read under the lock: a caller that waited for the lock comes after the one that held it.
            let now = calls.clock.monotonicNanoseconds
            let isNew = state.sets[name] == nil
            var record = state.sets[name] ?? KeySetRecord()
            state.uses += 1
            record.usedAt = state.uses
            if !isNew { state.sets[name] = record }
            let kept = record.kept(now: now)
            let keys = kept?.keys(keyID, algorithm) ?? []
            guard record.isReadDue(isKnown: !keys.isEmpty, now: now) else {
                // A running fetch may bring the missing key.
                if keys.isEmpty, let read = record.read { return .wait(read) }
                // A key that the cached set lacks may be in the set that could not be fetched.
                if keys.isEmpty, let fault = record.fault { return .fail(fault) }
                return .response(keys)
            }
            if let read = record.read { return .wait(read) }
            guard !state.isClosed else { return .fail(Self.stopped) }
            guard state.slots.take(name.brand) else { return keys.isEmpty ? .fail(Self.full) : .response(keys) }
            if isNew, !Self.makeRoom(for: name.brand, in: &state, now) {
                state.slots.release(name.brand)
                return .fail(Self.full)
            }
            let read = SharedResult<KeySetRecord>()
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
    /// When there are too many, a set of the brand with the most is evicted: an expired one before others, then the
    /// least recently used. Returns false when all of those are being fetched.
    private static func makeRoom(for brand: BrandID, in state: inout State, _ now: UInt64) -> Bool {
        guard state.sets.count >= maxSets else { return true }
        let counts = state.sets.keys.reduce(into: [BrandID: Int]()) { $0[$1.brand, default: 0] += 1 }
        let own = counts[brand] ?? 0
        func rank(_ name: SetName, _ record: KeySetRecord) -> (Int, Int, UInt64) {
            (-(counts[name.brand] ?? 0), record.kept(now: now) == nil ? 0 : 1, record.usedAt)
        }
        // A brand with no more sets than this one does not lose any to it.
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
        _ waiters: SharedResult<KeySetRecord>
    ) async {
        let result = await fetch(name, attempt: attempt)
        let record = state.withLock { state in
            var record = state.sets[name] ?? KeySetRecord()
            switch result {
            case .success(let set): record.succeeded(set, askedAt: askedAt)
            case .failure(let fault): record.failed(fault.text, now: calls.clock.monotonicNanoseconds)
            }
            record.read = nil
            state.sets[name] = record
            state.reads[name] = nil
            state.slots.release(name.brand)
            return record
        }
        switch result {
        case .success:
            calls.metrics.keySetFetches[.read].increment()
            if attempt > 0 { calls.logger.notice("fetching a JWK set works again", metadata: place(of: name.url)) }
        case .failure(let fault):
            calls.metrics.keySetFetches[fault.label].increment()
            if attempt == 0 {
                // One log line for each outage.
                calls.logger.warning(
                    "fetching a JWK set failed; a cached set is used for a day",
                    metadata: place(of: name.url).merging([
                        LogKey.errorCode: "\(fault.label.rawValue)", LogKey.errorText: "\(fault.how)",
                    ]) { $1 }
                )
            }
        }
        waiters.finish(record)
    }

    /// Returns host and port only: the rest of a URL may be secret.
    private func place(of url: String) -> Logger.Metadata {
        guard let parsed = try? calls.client.url(url) else { return [:] }
        return [LogKey.address: "\(parsed.host)\(parsed.port.map { ":\($0)" } ?? "")"]
    }

    fileprivate struct Fault: Error {
        var label: KeySetFetchLabel
        var how: String

        var text: String { "The keys of the token's issuer cannot be fetched: \(how)." }
    }

    private func fetch(_ name: SetName, attempt: Int) async -> Result<JWKSet, Fault> {
        guard let url = try? calls.client.url(name.url) else { return .failure(Fault(.forbiddenAddress)) }
        let request = GuardedRequest(
            url: url,
            method: .get,
            headers: [("accept", "application/jwk-set+json, application/json"), ("user-agent", "switchboard")],
            responseBody: .read(maxBytes: JWKSet.maxBytes),
            timeout: Self.timeout,
            owner: name.brand.rawValue,
            attempt: attempt
        )
        let response: GuardedResponse
        do { response = try await calls.send(request, .keySet) } catch { return .failure(Fault(error)) }
        guard response.status == 200 else {
            return .failure(Fault(label: .refused, how: "their URL responds with status \(response.status)"))
        }
        guard let set = JWKSet(response.body) else {
            return .failure(Fault(label: .unusable, how: "their URL does not respond with a JWK set"))
        }
        return .success(set)
    }
}

extension JWKSetCache.Fault {
    fileprivate init(_ failure: GuardedFailure) {
        switch failure {
        case .forbiddenAddress: self.init(label: .forbiddenAddress, how: "their address is not allowed")
        case .timeout: self.init(label: .timeout, how: "their URL does not respond in time")
        case .tooLarge: self.init(label: .unusable, how: "the response of their URL is too large")
        case .tls: self.init(label: .unreachable, how: "the certificate of their URL is not trusted")
        case .unreachable, .unresolved: self.init(label: .unreachable, how: "their URL cannot be reached")
        case .proxy: self.init(label: .unreachable, how: "the outbound proxy does not connect to their URL")
        case .proxyCredentials:
            self.init(label: .unreachable, how: "the outbound proxy does not accept the gateway's credentials")
        }
    }
}
