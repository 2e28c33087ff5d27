/// The error of a TLS context that could not be created, or of a failed TLS session.
///
/// The texts come from OpenSSL's own tables; they never hold key material or application data.
package enum TLSFailure: Error, Equatable, Sendable {
    /// A certificate, key or trust file could not be used; the text says which and why.
    case configuration(String)

    /// The peer's certificate was rejected (chain, dates, host name); the text is OpenSSL's reason.
    case certificate(String)

    /// The peer does not speak HTTP/2; with the protocol that it chose by ALPN, if any.
    case noHTTP2(chosen: String?)

    /// The handshake or a record failed; the text is OpenSSL's reason.
    case broken(String)
}

extension TLSFailure: CustomStringConvertible {
    /// A text for log lines and operators, without secrets.
    package var description: String {
        switch self {
        case .configuration(let text): "TLS configuration: \(text)"
        case .certificate(let text): "certificate rejected: \(text)"
        case .noHTTP2(.some(let chosen)): "peer does not speak HTTP/2 (ALPN chose \(chosen))"
        case .noHTTP2(.none): "peer does not speak HTTP/2 (ALPN chose nothing)"
        case .broken(let text): "TLS failed: \(text)"
        }
    }
}
