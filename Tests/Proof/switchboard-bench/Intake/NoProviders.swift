import GatewayModel
import GuardedHTTP
import Identity

/// A source without published keys; the measurement needs none.
struct NoPublishedKeys: PublishedKeys {
    func keys(
        at url: String,
        keyID: String?,
        algorithm: SignatureAlgorithm,
        of brand: BrandID
    ) async throws(AuthenticationError) -> [VerifyingKey] {
        throw .upstreamUnavailable("No published keys are available.")
    }
}

/// A resolver that resolves no name.
struct NoNames: HostResolver {
    func addresses(of host: String, for _: String) async -> [InternetAddress] { [] }
}
