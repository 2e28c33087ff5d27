import GatewayModel
import HTTP2Connections
import PushPayloads

/// APNs with provider tokens (JWT).
final class APNsDialect: ProviderDialect {
    let endpointName: String
    private let renderer: APNsRenderer
    private let signer: ProviderTokenSigner
    /// The tokens of connections that take requests.
    private var tokens: [UInt64: ConnectionToken] = [:]
    private(set) var credential = CredentialState.present

    init(_ credential: APNsCredential, brand: Brand, app: AppSettings, signer: ProviderTokenSigner) {
        endpointName = credential.endpoint.name
        renderer = APNsRenderer(
            brand: brand,
            topic: credential.topic,
            links: app.links,
            wakesOnRead: credential.wakesOnRead,
            dialect: app.format
        )
        self.signer = signer
    }

    func authorization(of connection: UInt64, _ now: Moment) -> ProviderAuthorization? {
        guard let token = tokens[connection, default: ConnectionToken()].token(now, newest: signer.newest) else {
            credential = .failed(.credential, "signing with the key failed")
            return nil
        }
        credential = .present
        return ProviderAuthorization(
            // Secret: never indexed (RFC 7541 section 7.1.3).
            header: HTTP2Header(name: "authorization", value: token.authorization, indexing: .neverIndexed),
            token: token.number
        )
    }

    func request(for job: PushJob, now: Timestamp, reusing spare: consuming [PushHeader]) -> PushRequest {
        renderer.request(for: job, now: now, reusing: spare)
    }

    func verdict(status: Int, headers: HTTP2ResponseHeaders, body: [UInt8], now: Timestamp) -> ResponseVerdict {
        APNsResponses.verdict(status: status, headers: headers, body: body, now: now)
    }

    func prepare(_ now: Moment) {}

    func connectionEnded(_ connection: UInt64) {
        tokens[connection] = nil
    }

    func renewToken(failed: UInt64, on connection: UInt64, now: Moment) -> Bool {
        guard let renewed = signer.renewed(failed: failed, now) else { return false }
        // A connection that takes no more requests has no token; the push is sent again on another.
        tokens[connection]?.renewed(renewed, now)
        for other in tokens.keys where other != connection {
            tokens[other]?.renewedElsewhere(failed: failed, renewed, now)
        }
        return true
    }

    func keepOldToken(failed: UInt64, on connection: UInt64, now: Moment) {
        tokens[connection]?.keepOld(failed: failed, now)
    }

    func checkCredential(_ completion: @escaping @Sendable (PushProviderVerdict) -> Void) {
        completion(
            PushProviderVerdict(
                isUsable: true,
                text: "the key is a valid P-256 key; Apple checks it with the first push"
            )
        )
    }

    func shutDown() {}
}

extension APNsResponses {
    /// Interprets a response of APNs.
    static func verdict(
        status: Int,
        headers: HTTP2ResponseHeaders,
        body: [UInt8],
        now: Timestamp
    ) -> ResponseVerdict {
        verdict(
            status: status,
            body: body,
            apnsID: headers["apns-id"],
            retryAfter: status < 400 ? nil : headers["retry-after"],
            now: now
        )
    }
}
