import GatewayModel
import HTTP2Connections
import PushPayloads

/// What tells one provider from another, for ``ProviderCore``; confined to its event loop.
protocol ProviderDialect: AnyObject {
    /// Where it is, for operators: `host:port`.
    var endpointName: String { get }

    /// The credential of requests that leave on a connection now; nil while there is none.
    ///
    /// The core is told when there is one again.
    func authorization(of connection: UInt64, _ now: Moment) -> ProviderAuthorization?

    /// Renders a push; the storage of headers that are done with may be used again.
    func request(for job: PushJob, now: Timestamp, reusing spare: consuming [PushHeader]) -> PushRequest

    /// Reads an answer.
    func verdict(status: Int, headers: HTTP2ResponseHeaders, body: [UInt8], now: Timestamp) -> AnswerVerdict

    /// A connection is being made: what takes a round trip can be fetched meanwhile.
    func prepare(_ now: Moment)

    /// A connection takes no more requests.
    func connectionEnded(_ connection: UInt64)

    /// An answer on a connection says that this token is too old: gets another if it is still the current one (compare and
    /// swap).
    ///
    /// - Returns: Whether a resend will go out with another token.
    func renewToken(failed: UInt64, on connection: UInt64, now: Moment) -> Bool

    /// An answer on a connection says that this token came too early.
    func keepOldToken(failed: UInt64, on connection: UInt64, now: Moment)

    /// Whether there is a credential now.
    var credential: CredentialState { get }

    /// Obtains what the credential needs, for a check; the completion is called once, on the event loop, with a verdict.
    func checkCredential(_ completion: @escaping @Sendable (PushProviderVerdict) -> Void)

    /// Nothing is sent any more.
    func shutDown()
}

/// Whether requests could be authorised.
enum CredentialState {
    /// They could.
    case present
    /// What is needed is on its way.
    case waiting
    /// They could not; tried again by itself. The text holds no secret.
    case failed(PushProviderFault, String)
}

/// What proves to the provider who we are, for one request.
struct ProviderAuthorization {
    /// The field; nil where the connection itself has proved it.
    var header: HTTP2Header?
    /// The number of the token in it, to know it again when it fails; 0 without one.
    var token: UInt64
}
