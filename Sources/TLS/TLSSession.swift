internal import COpenSSL

/// The one owner of an `SSL`: TLS for one connection over two memory BIOs, without any socket.
///
/// Confined to its connection's event loop. The error queue is cleared before each call (see `OpenSSLErrors`).
package final class TLSSession {
    /// The result of a read.
    package enum ReadResult: Equatable {
        /// This number of bytes, at least one.
        case bytes(Int)
        /// Nothing before the peer has sent more.
        case needsMore
        /// The peer's close_notify.
        case closed
    }

    private let context: TLSContextHandle
    private let ssl: OpaquePointer
    private let inbound: OpaquePointer
    private let outbound: OpaquePointer
    /// The protocol without which the handshake fails; nil accepts any choice of ALPN, and none.
    private let requiredProtocol: String?
    /// Whether the handshake is finished.
    package private(set) var isEstablished = false
    /// The most sessions kept until they are taken: a peer usually sends two.
    private static let resumptionLimit = 4
    private var resumptions: [TLSResumption] = []

    private init(context: TLSContextHandle, requiredProtocol: String?) throws(TLSFailure) {
        OpenSSLErrors.clear()
        guard let ssl = SSL_new(context.pointer) else {
            throw .configuration("no TLS session: \(OpenSSLErrors.takeText())")
        }
        guard let inbound = BIO_new(BIO_s_mem()), let outbound = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            throw .configuration("no TLS buffers")
        }
        // An empty buffer means "later", not "end of file".
        switchboard_BIO_set_mem_eof_return(inbound, -1)
        switchboard_BIO_set_mem_eof_return(outbound, -1)
        SSL_set_bio(ssl, inbound, outbound)
        self.context = context
        self.ssl = ssl
        self.inbound = inbound
        self.outbound = outbound
        self.requiredProtocol = requiredProtocol
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Creates a client session.
    ///
    /// - Parameters:
    ///   - context: The settings.
    ///   - serverName: The name that the peer is verified as: a DNS name, or an IP address as text.
    ///   - applicationProtocol: The only protocol that is offered; one without HTTP/2 is an error, for HTTP/1.1 the peer
    ///     may choose none.
    ///   - resumption: An earlier session that is resumed if the peer accepts it.
    /// - Throws: `TLSFailure.configuration`.
    package convenience init(
        client context: TLSClientContext,
        serverName: String,
        offering applicationProtocol: TLSApplicationProtocol = .http2,
        resuming resumption: TLSResumption? = nil
    ) throws(TLSFailure) {
        let name = applicationProtocol.name
        try self.init(context: context.handle, requiredProtocol: applicationProtocol == .http2 ? name : nil)
        SSL_set_connect_state(ssl)
        // Names in subjects are ignored (RFC 9525 section 2), and partial wildcards in a label.
        SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), serverName) != 1 {
            OpenSSLErrors.clear()
            guard !serverName.isEmpty, SSL_set1_host(ssl, serverName) == 1 else {
                throw .configuration("server name cannot be verified")
            }
            guard switchboard_SSL_set_tlsext_host_name(ssl, serverName) == 1 else {
                throw .configuration("server name cannot be sent")
            }
        }
        let offered = [UInt8(name.utf8.count)] + Array(name.utf8)
        guard SSL_set_alpn_protos(ssl, offered, UInt32(offered.count)) == 0 else { throw .configuration("ALPN") }
        if let resumption { SSL_set_session(ssl, resumption.pointer) }
    }

    /// Creates a server session.
    package convenience init(server context: TLSServerContext) throws(TLSFailure) {
        // A client without ALPN speaks HTTP/1.1, and for one that offers others the context chooses nothing.
        let isHTTP2Only = !context.applicationProtocols.contains(.http1)
        let name = TLSApplicationProtocol.http2.name
        try self.init(context: context.handle, requiredProtocol: isHTTP2Only ? name : nil)
        SSL_set_accept_state(ssl)
    }

    deinit {
        // A connection that is freed without close_notify would invalidate its newest session, which may still be
        // resumed (RFC 5246 section 7.2.1); after a fatal alert libssl has already invalidated it.
        SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        // Frees both BIOs too.
        SSL_free(ssl)
    }

    // MARK: - Input and output

    /// Adds bytes from the socket.
    ///
    /// They are read by `handshake` and `read`.
    package func receive(_ bytes: UnsafeRawBufferPointer) throws(TLSFailure) {
        guard !bytes.isEmpty else { return }
        OpenSSLErrors.clear()
        let count = Int32(clamping: bytes.count)
        guard BIO_write(inbound, bytes.baseAddress, count) == count, Int(count) == bytes.count else {
            throw .broken("inbound buffer")
        }
    }

    /// Continues the handshake with the received bytes.
    ///
    /// - Returns: Whether the handshake is finished and a protocol that is required negotiated.
    package func handshake() throws(TLSFailure) -> Bool {
        OpenSSLErrors.clear()
        let result = SSL_do_handshake(ssl)
        if result == 1 {
            let chosen = negotiatedProtocol
            guard requiredProtocol == nil || chosen == requiredProtocol else { throw .noHTTP2(chosen: chosen) }
            isEstablished = true
            return true
        }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return false
        default: throw failure()
        }
    }

    /// Decrypts into `buffer`.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSFailure) -> ReadResult {
        OpenSSLErrors.clear()
        let count = SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
        if count > 0 { return .bytes(Int(count)) }
        switch SSL_get_error(ssl, count) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsMore
        case SSL_ERROR_ZERO_RETURN: return .closed
        default: throw failure()
        }
    }

    /// Encrypts all of `bytes`; at most 16 KB make one record.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(TLSFailure) {
        guard !bytes.isEmpty else { return }
        OpenSSLErrors.clear()
        let count = Int32(clamping: bytes.count)
        guard SSL_write(ssl, bytes.baseAddress, count) == count, Int(count) == bytes.count else { throw failure() }
    }

    /// Writes close_notify.
    ///
    /// Nothing may be written afterwards; reading continues.
    package func close() {
        guard isEstablished else { return }
        OpenSSLErrors.clear()
        _ = SSL_shutdown(ssl)
        OpenSSLErrors.clear()
    }

    /// The number of bytes that wait for the socket.
    package var pendingOutput: Int {
        switchboard_BIO_pending(outbound)
    }

    /// Moves bytes for the socket into `buffer`.
    ///
    /// - Returns: How many were moved.
    package func takeOutput(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        OpenSSLErrors.clear()
        return max(0, Int(BIO_read(outbound, buffer.baseAddress, Int32(clamping: buffer.count))))
    }

    // MARK: - Properties

    /// The protocol that ALPN negotiated, if any.
    package var negotiatedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        guard let name, length > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }

    /// Whether the handshake resumed an earlier session.
    package var isResumed: Bool {
        SSL_session_reused(ssl) == 1
    }

    /// The protocol version as text, for example `TLSv1.3`.
    package var version: String {
        SSL_get_version(ssl).map { String(cString: $0) } ?? ""
    }

    /// The peer's own certificate as DER, if it sent one.
    package var peerCertificate: [UInt8]? {
        guard let certificate = SSL_get1_peer_certificate(ssl) else { return nil }
        defer { X509_free(certificate) }
        let length = i2d_X509(certificate, nil)
        guard length > 0 else { return nil }
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { bytes, count in
            var end = bytes.baseAddress
            count = Int(max(0, i2d_X509(certificate, &end)))
        }
    }

    /// Stores a session that the peer sent.
    ///
    /// Called by libssl from inside `read` or `handshake`: it only stores.
    func keep(_ session: TLSResumption) {
        if resumptions.count == Self.resumptionLimit { resumptions.removeFirst() }
        resumptions.append(session)
    }

    /// Takes the sessions that the peer has sent for resumption since the last call, oldest first.
    ///
    /// With TLS 1.3 they arrive after the handshake, at any time (RFC 8446 section 4.6.1).
    package func takeResumptions() -> [TLSResumption] {
        guard !resumptions.isEmpty else { return [] }
        defer { resumptions = [] }
        return resumptions
    }

    private func failure() -> TLSFailure {
        let error = OpenSSLErrors.take()
        let verdict = SSL_get_verify_result(ssl)
        if verdict != Int(X509_V_OK), !isEstablished {
            return .certificate(String(cString: X509_verify_cert_error_string(verdict)))
        }
        if let error, error.reason == SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL { return .noHTTP2(chosen: nil) }
        return .broken(error?.text ?? "connection closed during TLS")
    }
}
