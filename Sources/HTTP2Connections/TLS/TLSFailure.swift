/// Why a TLS context could not be made or a TLS session ended badly.
///
/// The texts come from OpenSSL's own tables; they never hold key material or application data.
package enum TLSFailure: Error, Equatable, Sendable {
    /// A certificate, key or trust file could not be used; the text says which and why.
    case configuration(String)

    /// The peer's certificate was refused (chain, dates, host name); the text is OpenSSL's reason.
    case certificate(String)

    /// The peer does not speak HTTP/2: the protocol it chose by ALPN instead, if it chose one.
    case noHTTP2(chosen: String?)

    /// The handshake or a record failed; the text is OpenSSL's reason.
    case broken(String)
}

extension TLSFailure: CustomStringConvertible {
    /// A text for logs and operators, without secrets.
    package var description: String {
        switch self {
        case .configuration(let text): "TLS configuration: \(text)"
        case .certificate(let text): "certificate refused: \(text)"
        case .noHTTP2(.some(let chosen)): "peer does not speak HTTP/2 (ALPN chose \(chosen))"
        case .noHTTP2(.none): "peer does not speak HTTP/2 (ALPN chose nothing)"
        case .broken(let text): "TLS failed: \(text)"
        }
    }
}
