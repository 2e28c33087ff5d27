/// Why there is no access token.
///
/// Texts hold no secrets.
enum TokenFetchFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The token endpoint could not be reached or did not answer.
    case unreachable(endpoint: String, String)
    /// It refused the service account, with an error code of RFC 6749 section 5.2.
    case refused(endpoint: String, code: String)
    /// It answered with a status that says nothing about the service account.
    case status(endpoint: String, Int)
    /// It answered 200 without a token.
    case malformed(endpoint: String)
    /// The key would not sign.
    case unsigned

    /// The failure in a word.
    var fault: PushProviderFault {
        switch self {
        case .unreachable, .status, .malformed: .unreachable
        case .refused, .unsigned: .credential
        }
    }

    var description: String {
        switch self {
        case .unreachable(let endpoint, let text): "cannot reach the token endpoint \(endpoint): \(text)"
        case .refused(let endpoint, "invalid_grant"):
            "\(endpoint) refused the service account (invalid_grant): the key is revoked or of another account, or the "
                + "clock of this machine is wrong"
        case .refused(let endpoint, let code): "\(endpoint) refused the service account (\(code))"
        case .status(let endpoint, let status): "the token endpoint \(endpoint) answered \(status)"
        case .malformed(let endpoint): "the token endpoint \(endpoint) answered without an access token"
        case .unsigned: "the service account's key does not sign"
        }
    }
}
