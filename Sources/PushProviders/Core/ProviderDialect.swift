import GatewayModel
import HTTP2Connections
import PushPayloads

/// The provider-specific part of ``ProviderCore``; confined to its event loop.
protocol ProviderDialect: AnyObject {
    /// The endpoint for operators: `host:port`.
    var endpointName: String { get }

    /// Returns the credential of requests that are sent on a connection now; nil while there is none.
    ///
    /// The core is notified when there is one again.
    func authorization(of connection: UInt64, _ now: Moment) -> ProviderAuthorization?

    /// Renders a push; may reuse the storage of headers that are no longer needed.
    func request(for job: PushJob, now: Timestamp, reusing spare: consuming [PushHeader]) -> PushRequest

    /// Interprets a response.
    func verdict(status: Int, headers: HTTP2ResponseHeaders, body: [UInt8], now: Timestamp) -> ResponseVerdict

    /// Prepares the credential while a connection is being opened, for example fetches a token.
    func prepare(_ now: Moment)

    /// Receives that a connection takes no more requests.
    func connectionEnded(_ connection: UInt64)

    /// Renews a token that a response on a connection reports as too old, if it is still the current one (compare and
    /// swap); returns whether a resend will use another token.
    func renewToken(failed: UInt64, on connection: UInt64, now: Moment) -> Bool

    /// Returns to the old token, because a response on a connection reports that this one came too early.
    func keepOldToken(failed: UInt64, on connection: UInt64, now: Moment)

    /// The current state of the credential.
    var credential: CredentialState { get }

    /// Checks the credential and fetches a token if it needs one; the completion is called once, on the event loop.
    func checkCredential(_ completion: @escaping @Sendable (PushProviderVerdict) -> Void)

    /// Shuts down: nothing is sent any more.
    func shutDown()
}

/// Whether requests can be authorized.
enum CredentialState {
    /// There is a credential.
    case present
    /// A token is being fetched.
    case waiting
    /// There is none; it is retried automatically. The text holds no secret.
    case failed(PushProviderFault, String)
}

/// The authorization of one request.
struct ProviderAuthorization {
    /// The header; nil if the connection is authenticated.
    var header: HTTP2Header?
    /// The number of its token, to identify it when it fails; 0 without one.
    var token: UInt64
}
