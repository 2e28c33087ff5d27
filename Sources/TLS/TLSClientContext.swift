internal import COpenSSL

/// The shared TLS settings of client sessions: trust roots, own certificate, options.
///
/// Any thread.
///
/// The system's roots are always trusted, chain and host name are always verified, TLS is 1.2 or later.
package final class TLSClientContext: Sendable {
    let handle: TLSContextHandle

    /// The file and the directory of the system's roots, each with the environment variable that names another
    /// (SSL_CTX_set_default_verify_paths(3)).
    package static var systemRoots: [(variable: String, path: String)] {
        [
            (String(cString: X509_get_default_cert_file_env()), String(cString: X509_get_default_cert_file())),
            (String(cString: X509_get_default_cert_dir_env()), String(cString: X509_get_default_cert_dir())),
        ]
    }

    /// Reads roots and identity.
    ///
    /// Blocks on files: make contexts at start-up, not on an event loop.
    ///
    /// - Parameters:
    ///   - trustRootsFile: A PEM file of further roots, beside the system's.
    ///   - trustRootsPEM: The same as bytes; empty for none.
    ///   - identity: The client certificate, if there is one.
    /// - Throws: `TLSFailure.configuration` with the item that cannot be used.
    package init(
        trustRootsFile: String? = nil,
        trustRootsPEM: [UInt8] = [],
        identity: TLSIdentity? = nil
    ) throws(TLSFailure) {
        let handle = try TLSContextHandle(client: true)
        OpenSSLErrors.clear()
        try OpenSSLErrors.check(SSL_CTX_set_default_verify_paths(handle.pointer), "system trust roots")
        if let trustRootsFile {
            let result = SSL_CTX_load_verify_locations(handle.pointer, trustRootsFile, nil)
            try OpenSSLErrors.check(result, "trust roots file")
        }
        if !trustRootsPEM.isEmpty { try handle.trust(pem: trustRootsPEM) }
        if let identity { try handle.use(identity) }
        Self.finish(handle)
        self.handle = handle
    }

    /// Creates a context with the trust roots of another and a client certificate.
    ///
    /// Reads no file, and shares the roots' memory; any thread.
    ///
    /// - Parameters:
    ///   - other: The context whose trust roots are used.
    ///   - identity: The client certificate.
    /// - Throws: `TLSFailure.configuration` with the item that cannot be used.
    package init(trustOf other: TLSClientContext, identity: TLSIdentity) throws(TLSFailure) {
        let handle = try TLSContextHandle(client: true)
        OpenSSLErrors.clear()
        // The store does not change after its context is created, and locks its own cache.
        SSL_CTX_set1_cert_store(handle.pointer, SSL_CTX_get_cert_store(other.handle.pointer))
        try handle.use(identity)
        Self.finish(handle)
        self.handle = handle
    }

    private static func finish(_ handle: TLSContextHandle) {
        SSL_CTX_set_verify(handle.pointer, SSL_VERIFY_PEER, nil)
        // Sessions are kept per pool by the callback, not in the context: a context serves many hosts.
        switchboard_SSL_CTX_set_session_cache_mode(
            handle.pointer,
            Int(SSL_SESS_CACHE_CLIENT) | Int(SSL_SESS_CACHE_NO_INTERNAL)
        )
        SSL_CTX_sess_set_new_cb(handle.pointer) { ssl, session in
            guard let session, let owner = SSL_get_ex_data(ssl, 0) else { return 0 }
            Unmanaged<TLSSession>.fromOpaque(owner).takeUnretainedValue().keep(TLSResumption(adopting: session))
            return 1
        }
    }
}
