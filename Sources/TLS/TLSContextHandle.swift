internal import COpenSSL

/// The one owner of an `SSL_CTX`.
///
/// `@unchecked Sendable`: the context is configured inside the initialisers of the two context types and never changed
/// afterwards; libssl locks what `SSL_new` and the session cache touch.
final class TLSContextHandle: @unchecked Sendable {
    /// The context.
    ///
    /// It stays inside this module.
    let pointer: OpaquePointer

    /// Creates a context with the options of both roles.
    init(client: Bool) throws(TLSFailure) {
        switchboard_keep_openssl_at_exit()
        OpenSSLErrors.clear()
        guard let method = client ? TLS_client_method() : TLS_server_method(), let pointer = SSL_CTX_new(method) else {
            throw .configuration("no TLS context: \(OpenSSLErrors.takeText())")
        }
        self.pointer = pointer
        // RFC 9113 section 9.2 asks for TLS 1.2 or later without compression and renegotiation. Cipher lists
        // intentionally follow the distribution's crypto policy.
        let result = switchboard_SSL_CTX_set_min_proto_version(pointer, TLS1_2_VERSION)
        try OpenSSLErrors.check(result, "TLS 1.2 is not available")
        SSL_CTX_set_options(pointer, Self.options)
        // Idle connections release their 34 KB of record buffers. The write buffer may move between two calls.
        switchboard_SSL_CTX_set_mode(
            pointer,
            Int(SSL_MODE_RELEASE_BUFFERS) | Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER)
        )
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    private static var options: UInt64 {
        // SSL_OP_NO_COMPRESSION is bit 17, SSL_OP_NO_RENEGOTIATION bit 30 (ssl.h): cast macros that Swift cannot see.
        (1 << 17) | (1 << 30)
    }

    /// Sets the certificate chain and its key, and checks that they belong together.
    func use(_ identity: TLSIdentity) throws(TLSFailure) {
        let chain = try Self.certificates(inPEM: identity.certificateChainPEM)
        defer { for certificate in chain { X509_free(certificate) } }
        guard let own = chain.first else { throw .configuration("the certificate chain holds no certificate") }
        try OpenSSLErrors.check(SSL_CTX_use_certificate(pointer, own), "certificate")
        for issuer in chain.dropFirst() {
            try OpenSSLErrors.check(switchboard_SSL_CTX_add1_chain_cert(pointer, issuer), "certificate chain")
        }
        let key = Self.withBIO(identity.privateKeyPEM) { PEM_read_bio_PrivateKey($0, nil, rejectPassphrase, nil) }
        guard let key else { throw .configuration("private key: \(OpenSSLErrors.takeText())") }
        defer { EVP_PKEY_free(key) }
        try OpenSSLErrors.check(SSL_CTX_use_PrivateKey(pointer, key), "private key does not fit the certificate")
        try OpenSSLErrors.check(SSL_CTX_check_private_key(pointer), "private key does not fit the certificate")
    }

    /// Returns the times from which and until which the own certificate is valid, in seconds since 1970.
    func validity() throws(TLSFailure) -> (from: Int64, until: Int64) {
        var (from, until): (Int64, Int64) = (0, 0)
        guard let own = SSL_CTX_get0_certificate(pointer), switchboard_X509_validity(own, &from, &until) == 1 else {
            throw .configuration("certificate: its times cannot be read")
        }
        return (from, until)
    }

    /// Adds every certificate of a PEM text to the roots that peers are verified against.
    func trust(pem: [UInt8]) throws(TLSFailure) {
        let roots = try Self.certificates(inPEM: pem)
        defer { for root in roots { X509_free(root) } }
        guard !roots.isEmpty else { throw .configuration("the trust roots hold no certificate") }
        let store = SSL_CTX_get_cert_store(pointer)
        for root in roots { try OpenSSLErrors.check(X509_STORE_add_cert(store, root), "trust roots") }
    }

    /// Reads all certificates of a PEM text; the caller frees them.
    static func certificates(inPEM pem: [UInt8]) throws(TLSFailure) -> [OpaquePointer] {
        OpenSSLErrors.clear()
        var found: [OpaquePointer] = []
        withBIO(pem) { bio in
            while let certificate = PEM_read_bio_X509(bio, nil, rejectPassphrase, nil) { found.append(certificate) }
        }
        // PEM_R_NO_START_LINE means the end of the text; any other error is a broken certificate.
        if let error = OpenSSLErrors.take(), error.reason != PEM_R_NO_START_LINE {
            for certificate in found { X509_free(certificate) }
            throw .configuration("certificate: \(error.text)")
        }
        return found
    }

    /// Runs an OpenSSL function on bytes in a memory BIO.
    @discardableResult
    static func withBIO<Result>(_ bytes: [UInt8], _ body: (OpaquePointer?) -> Result) -> Result {
        bytes.withUnsafeBytes { bytes in
            let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
            defer { BIO_free(bio) }
            return body(bio)
        }
    }
}

/// Returns no pass phrase to OpenSSL, so that it never prompts on the terminal.
func rejectPassphrase(
    _: UnsafeMutablePointer<CChar>?,
    _: Int32,
    _: Int32,
    _: UnsafeMutableRawPointer?
) -> Int32 { 0 }
