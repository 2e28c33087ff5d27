internal import COpenSSL

/// The shared TLS settings of a listener's sessions: certificate, offered protocols, client certificate rules.
///
/// Any thread.
package final class TLSServerContext: Sendable {
    let handle: TLSContextHandle

    /// Creates a server context that speaks only HTTP/2.
    ///
    /// - Parameters:
    ///   - identity: Certificate chain and key.
    ///   - clientAuthoritiesPEM: Roots for client certificates; `nil` requests none.
    ///   - requiresClientCertificate: Whether a client must send a requested certificate; a certificate that is sent
    ///     must be valid.
    /// - Throws: `TLSFailure.configuration` with the item that cannot be used.
    package init(
        identity: TLSIdentity,
        clientAuthoritiesPEM: [UInt8]? = nil,
        requiresClientCertificate: Bool = true
    ) throws(TLSFailure) {
        let handle = try TLSContextHandle(client: false)
        try handle.use(identity)
        if let clientAuthoritiesPEM {
            try handle.trust(pem: clientAuthoritiesPEM)
            let requirement = requiresClientCertificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0
            SSL_CTX_set_verify(handle.pointer, SSL_VERIFY_PEER | requirement, nil)
            // Required as soon as clients are verified, or resumption fails the handshake.
            _ = SSL_CTX_set_session_id_context(handle.pointer, [0x73, 0x62], 2)
        }
        SSL_CTX_set_alpn_select_cb(
            handle.pointer,
            { _, chosen, chosenLength, offered, offeredLength, _ in
                // The offer is a list of length-prefixed names (RFC 7301 section 3.1).
                guard let offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                var index = 0
                while index < Int(offeredLength) {
                    let length = Int(offered[index])
                    guard index + 1 + length <= Int(offeredLength) else { break }
                    if length == 2, offered[index + 1] == UInt8(ascii: "h"), offered[index + 2] == UInt8(ascii: "2") {
                        chosen?.pointee = offered + index + 1
                        chosenLength?.pointee = 2
                        return SSL_TLSEXT_ERR_OK
                    }
                    index += 1 + length
                }
                return SSL_TLSEXT_ERR_ALERT_FATAL
            },
            nil
        )
        self.handle = handle
    }
}
