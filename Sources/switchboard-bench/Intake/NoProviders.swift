import GatewayModel
import GuardedHTTP
import Identity

/// Nobody's keys can be asked for; what is measured needs none.
struct NoPublishedKeys: PublishedKeys {
    func keys(
        at url: String,
        keyID: String?,
        algorithm: SignatureAlgorithm,
        of brand: BrandID
    ) async throws(AuthenticationError) -> [VerifyingKey] {
        throw .upstreamUnavailable("Nobody can be asked for keys.")
    }
}

/// No name leads anywhere.
struct NoNames: HostResolver {
    func addresses(of host: String, for _: String) async -> [InternetAddress] { [] }
}
