internal import COpenSSL

/// The shared TLS settings of a listener's sessions: certificate, offered protocol, client certificate rules.
///
/// Any thread.
package final class TLSServerContext: Sendable {
    /// The time from which the own certificate is valid, in seconds since 1970.
    package let validFrom: Int64
    /// The time until which the own certificate is valid, in seconds since 1970.
    package let validUntil: Int64

    let handle: TLSContextHandle
    let applicationProtocol: TLSApplicationProtocol

    /// Creates a server context.
    ///
    /// It does not check whether the certificate is valid now.
    ///
    /// - Parameters:
    ///   - identity: Certificate chain and key.
    ///   - clientAuthoritiesPEM: Roots for client certificates; `nil` requests none.
    ///   - requiresClientCertificate: Whether a client must send a requested certificate; a certificate that is sent
    ///     must be valid.
    ///   - applicationProtocol: The only protocol that is spoken.
    /// - Throws: `TLSFailure.configuration` with the item that cannot be used.
    package init(
        identity: TLSIdentity,
        clientAuthoritiesPEM: [UInt8]? = nil,
        requiresClientCertificate: Bool = true,
        applicationProtocol: TLSApplicationProtocol = .http2
    ) throws(TLSFailure) {
        let handle = try TLSContextHandle(client: false)
        try handle.use(identity)
        (validFrom, validUntil) = try handle.validity()
        if let clientAuthoritiesPEM {
            try handle.trust(pem: clientAuthoritiesPEM)
            let requirement = requiresClientCertificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0
            SSL_CTX_set_verify(handle.pointer, SSL_VERIFY_PEER | requirement, nil)
            // Required as soon as clients are verified, or resumption fails the handshake.
            _ = SSL_CTX_set_session_id_context(handle.pointer, [0x73, 0x62], 2)
        }
        switch applicationProtocol {
        case .http1: try Self.prepareForHTTP1(handle)
        case .http2:
            SSL_CTX_set_alpn_select_cb(
                handle.pointer,
                { _, chosen, chosenLength, offered, offeredLength, _ in
                    TLSServerContext.choose("h2", chosen, chosenLength, offered, offeredLength)
                },
                nil
            )
        }
        self.handle = handle
        self.applicationProtocol = applicationProtocol
    }

    /// Sets what a public listener needs: current cipher suites, and no memory for each session.
    private static func prepareForHTTP1(_ handle: TLSContextHandle) throws(TLSFailure) {
        // Those of TLS 1.2 with forward secrecy and authenticated encryption; all of TLS 1.3 have both. The security
        // level of the distribution's policy still applies.
        OpenSSLErrors.clear()
        guard SSL_CTX_set_cipher_list(handle.pointer, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 else {
            throw .configuration("cipher suites: \(OpenSSLErrors.takeText())")
        }
        // Clients resume by tickets, which the server does not store.
        switchboard_SSL_CTX_set_session_cache_mode(
            handle.pointer,
            Int(SSL_SESS_CACHE_SERVER) | Int(SSL_SESS_CACHE_NO_INTERNAL)
        )
        SSL_CTX_set_alpn_select_cb(
            handle.pointer,
            { _, chosen, chosenLength, offered, offeredLength, _ in
                TLSServerContext.choose("http/1.1", chosen, chosenLength, offered, offeredLength)
            },
            nil
        )
    }

    /// Chooses a protocol if the client offers it; a client that offers others only gets an alert (RFC 7301 section
    /// 3.2).
    private static func choose(
        _ name: String,
        _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ chosenLength: UnsafeMutablePointer<UInt8>?,
        _ offered: UnsafePointer<UInt8>?,
        _ offeredLength: UInt32
    ) -> Int32 {
        // The offer is a list of length-prefixed names (RFC 7301 section 3.1).
        guard let offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        var index = 0
        while index < Int(offeredLength) {
            let length = Int(offered[index])
            guard index + 1 + length <= Int(offeredLength) else { break }
            let candidate = UnsafeBufferPointer(start: offered + index + 1, count: length)
            if candidate.elementsEqual(name.utf8) {
                chosen?.pointee = offered + index + 1
                chosenLength?.pointee = offered[index]
                return SSL_TLSEXT_ERR_OK
            }
            index += 1 + length
        }
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
}
