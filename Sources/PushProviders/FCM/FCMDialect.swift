import GatewayModel
import HTTP2Connections
import NIOCore
import PushPayloads

/// FCM HTTP v1 with access tokens of a service account.
final class FCMDialect: ProviderDialect {
    let endpointName: String
    private let renderer: FCMRenderer
    private let tokens: AccessTokenSource
    private let clock: any GatewayClock
    private let eventLoop: any EventLoop
    private var listener: UInt64?
    private let checks = TokenChecks()

    init(
        credential: FCMCredential,
        brand: Brand,
        app: AppSettings,
        tokens: AccessTokenSource,
        clock: any GatewayClock,
        eventLoop: any EventLoop,
        onChange: @escaping @Sendable () -> Void
    ) {
        endpointName = credential.endpoint.name
        renderer = FCMRenderer(
            brand: brand,
            projectID: credential.projectID,
            style: credential.style,
            links: app.links,
            wakesOnRead: app.wakesOnRead,
            dialect: app.format
        )
        self.tokens = tokens
        self.clock = clock
        self.eventLoop = eventLoop
        let checks = checks
        listener = tokens.listen { failure in
            eventLoop.execute {
                checks.finish(failure)
                onChange()
            }
        }
    }

    func authorization(of connection: UInt64, _ now: Moment) -> ProviderAuthorization? {
        guard let token = tokens.token(now) else { return nil }
        return ProviderAuthorization(
            header: HTTP2Header(name: "authorization", value: token.authorization, indexing: .neverIndexed),
            token: token.number
        )
    }

    func request(for job: PushJob, now: Timestamp, reusing spare: consuming [PushHeader]) -> PushRequest {
        renderer.request(for: job, now: now)
    }

    func verdict(status: Int, headers: HTTP2ResponseHeaders, body: [UInt8], now: Timestamp) -> ResponseVerdict {
        FCMResponses.verdict(
            status: status,
            body: body,
            retryAfter: status < 400 ? nil : headers["retry-after"],
            now: now
        )
    }

    func prepare(_ now: Moment) {
        _ = tokens.token(now)
    }

    func connectionEnded(_ connection: UInt64) {}

    func renewToken(failed: UInt64, on connection: UInt64, now: Moment) -> Bool {
        tokens.invalidate(failed, now)
    }

    func keepOldToken(failed: UInt64, on connection: UInt64, now: Moment) {}

    var credential: CredentialState { tokens.state(Moment(clock)) }

    func checkCredential(_ completion: @escaping @Sendable (PushProviderVerdict) -> Void) {
        let now = Moment(clock)
        if listener == nil {
            completion(PushProviderVerdict(isUsable: false, text: "shut down"))
        } else if tokens.token(now) != nil {
            completion(TokenChecks.verdict(nil))
        } else if case .failed(_, let text) = tokens.state(now) {
            completion(PushProviderVerdict(isUsable: false, text: text))
        } else {
            checks.add(completion)
        }
    }

    func shutDown() {
        if let listener { tokens.remove(listener: listener) }
        listener = nil
        checks.abandon()
    }
}
