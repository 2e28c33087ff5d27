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
    let applicationProtocols: [TLSApplicationProtocol]

    /// Creates a server context.
    ///
    /// It does not check whether the certificate is valid now.
    ///
    /// - Parameters:
    ///   - identity: Certificate chain and key.
    ///   - clientAuthoritiesPEM: Roots for client certificates; `nil` requests none.
    ///   - requiresClientCertificate: Whether a client must send a requested certificate; a certificate that is sent
    ///     must be valid.
    ///   - applicationProtocols: The protocols that are spoken; HTTP/2 is preferred.
    /// - Throws: `TLSFailure.configuration` with the item that cannot be used.
    package init(
        identity: TLSIdentity,
        clientAuthoritiesPEM: [UInt8]? = nil,
        requiresClientCertificate: Bool = true,
        applicationProtocols: [TLSApplicationProtocol] = [.http2]
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
        if applicationProtocols.contains(.http1) { try Self.prepareForPublic(handle) }
        // A callback of C captures nothing: the argument says which protocols are spoken.
        let spoken = (applicationProtocols.contains(.http2) ? 2 : 0) + (applicationProtocols.contains(.http1) ? 1 : 0)
        SSL_CTX_set_alpn_select_cb(
            handle.pointer,
            { _, chosen, chosenLength, offered, offeredLength, argument in
                let spoken = Int(bitPattern: argument)
                let names = (spoken & 2 != 0 ? ["h2"] : []) + (spoken & 1 != 0 ? ["http/1.1"] : [])
                return TLSServerContext.choose(names, chosen, chosenLength, offered, offeredLength)
            },
            UnsafeMutableRawPointer(bitPattern: spoken)
        )
        self.handle = handle
        self.applicationProtocols = applicationProtocols
    }

    /// Sets what a public listener needs: current cipher suites, and no memory for each session.
    private static func prepareForPublic(_ handle: TLSContextHandle) throws(TLSFailure) {
        // Those of TLS 1.2 with forward secrecy and authenticated encryption; all of TLS 1.3 have both. The security
        // level of the distribution's policy still applies.
        OpenSSLErrors.clear()
        let result = SSL_CTX_set_cipher_list(handle.pointer, "ECDHE+AESGCM:ECDHE+CHACHA20")
        try OpenSSLErrors.check(result, "cipher suites")
        // Clients resume by tickets, which the server does not store.
        switchboard_SSL_CTX_set_session_cache_mode(
            handle.pointer,
            Int(SSL_SESS_CACHE_SERVER) | Int(SSL_SESS_CACHE_NO_INTERNAL)
        )
    }

    /// Chooses the first protocol that the client offers; a client that offers only others gets an alert (RFC 7301
    /// section 3.2).
    private static func choose(
        _ names: [String],
        _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ chosenLength: UnsafeMutablePointer<UInt8>?,
        _ offered: UnsafePointer<UInt8>?,
        _ offeredLength: UInt32
    ) -> Int32 {
        guard let offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        for name in names {
            // The offer is a list of length-prefixed names (RFC 7301 section 3.1).
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
        }
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
}
