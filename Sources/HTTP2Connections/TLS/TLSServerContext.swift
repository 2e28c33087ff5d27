internal import COpenSSL

/// What all server sessions of a listener share: certificate, protocols offered, client certificate rules.
///
/// Any thread.
package final class TLSServerContext: Sendable {
    let handle: TLSContextHandle

    /// Makes a server context that speaks HTTP/2 only.
    ///
    /// - Parameters:
    ///   - identity: Certificate chain and key.
    ///   - clientAuthoritiesPEM: Roots for client certificates; `nil` asks for none.
    ///   - requiresClientCertificate: Whether a client must show one when it is asked; one that is shown must be valid.
    /// - Throws: `TLSFailure.configuration` naming what could not be used.
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
