/// The error of fetching an access token.
///
/// Texts hold no secrets.
enum TokenFetchFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The token endpoint could not be reached or did not respond.
    case unreachable(endpoint: String, String)
    /// The outbound proxy did not connect to the token endpoint.
    case proxy(String, endpoint: String, String)
    /// It rejected the service account, with an error code of RFC 6749 section 5.2.
    case refused(endpoint: String, code: String)
    /// It responded with a status that is not about the service account.
    case status(endpoint: String, Int)
    /// It responded 200 without a token.
    case malformed(endpoint: String)
    /// Signing with the key failed.
    case unsigned

    /// The category of the error.
    var fault: PushProviderFault {
        switch self {
        case .unreachable, .status, .malformed: .unreachable
        case .proxy: .proxy
        case .refused, .unsigned: .credential
        }
    }

    var description: String {
        switch self {
        case .unreachable(let endpoint, let text): "cannot reach the token endpoint \(endpoint): \(text)"
        case .proxy(let proxy, let endpoint, let text):
            "the proxy \(proxy) (provider.proxy) does not connect to the token endpoint \(endpoint): \(text)"
        case .refused(let endpoint, "invalid_grant"):
            "\(endpoint) rejected the service account (invalid_grant): the key is revoked or of another account, or the "
                + "clock of this host is wrong"
        case .refused(let endpoint, let code): "\(endpoint) rejected the service account (\(code))"
        case .status(let endpoint, let status): "the token endpoint \(endpoint) responded \(status)"
        case .malformed(let endpoint): "the token endpoint \(endpoint) responded without an access token"
        case .unsigned: "signing with the service account's key failed"
        }
    }
}
