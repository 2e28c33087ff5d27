import GatewayModel
import Identity
import Synchronization

/// Sets of keys by URL, as a test puts them there; a URL without one is unavailable.
final class TestPublishedKeys: PublishedKeys {
    private let sets = Mutex<[String: [VerifyingKey]]>([:])

    func put(_ keys: [VerifyingKey], at url: String) { sets.withLock { $0[url] = keys } }

    func keys(
        at url: String,
        keyID: String?,
        algorithm: SignatureAlgorithm,
        of brand: BrandID
    ) async throws(AuthenticationError) -> [VerifyingKey] {
        guard let keys = sets.withLock({ $0[url] }) else { throw .upstreamUnavailable("The key set is unavailable.") }
        return keys.filter { $0.algorithm == algorithm && (keyID == nil || $0.keyID == keyID) }
    }
}
