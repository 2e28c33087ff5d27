import GatewayModel
import HTTP2Connections
import PushPayloads

/// APNs on connections that authenticate with a certificate: requests carry no credential (ProviderFacts page, A6).
final class APNsCertificateDialect: ProviderDialect {
    let endpointName: String
    private let renderer: APNsRenderer
    private let facts: APNsCertificateFacts
    private let clock: any GatewayClock

    init(
        _ credential: APNsCredential,
        certificate: APNsCertificateFacts,
        brand: Brand,
        app: AppSettings,
        clock: any GatewayClock
    ) {
        endpointName = credential.endpoint.name
        renderer = APNsRenderer(
            brand: brand,
            topic: credential.topic,
            links: app.links,
            wakesOnRead: credential.wakesOnRead,
            dialect: app.format
        )
        facts = certificate
        self.clock = clock
    }

    func authorization(of connection: UInt64, _ now: Moment) -> ProviderAuthorization? {
        facts.expiresAt > now.wall ? ProviderAuthorization(header: nil, token: 0) : nil
    }

    func request(for job: PushJob, now: Timestamp, reusing spare: consuming [PushHeader]) -> PushRequest {
        renderer.request(for: job, now: now, reusing: spare)
    }

    func verdict(status: Int, headers: HTTP2ResponseHeaders, body: [UInt8], now: Timestamp) -> ResponseVerdict {
        APNsResponses.verdict(status: status, headers: headers, body: body, now: now)
    }

    func prepare(_ now: Moment) {}

    func connectionEnded(_ connection: UInt64) {}

    /// Does nothing: there is no token to renew.
    func renewToken(failed: UInt64, on connection: UInt64, now: Moment) -> Bool { false }

    func keepOldToken(failed: UInt64, on connection: UInt64, now: Moment) {}

    var credential: CredentialState {
        facts.expiresAt > clock.now
            ? .present : .failed(.credential, "the certificate " + CertificateExpiry.expired(at: facts.expiresAt))
    }

    func checkCredential(_ completion: @escaping @Sendable (PushProviderVerdict) -> Void) {
        let expiry = CertificateExpiry(of: facts.expiresAt, now: clock.now)
        completion(
            PushProviderVerdict(
                isUsable: expiry != .expired,
                text: "certificate \"\(facts.commonName)\" was not rejected; it \(expiry.text(facts.expiresAt))"
            )
        )
    }

    func shutDown() {}
}
