import COpenSSL
import NIOCore
import NIOEmbedded

/// A TLS client on OpenSSL alone, in memory, which does not verify its peer.
///
/// For one thread.
final class TestTLSClient {
    enum Failure: Error {
        case openSSL
    }

    private let context: OpaquePointer
    private let ssl: OpaquePointer
    private let inbound: OpaquePointer
    private let outbound: OpaquePointer

    /// Creates a client of one version that offers protocols by ALPN, if there are any.
    init(version: Int32 = TLS1_3_VERSION, protocols: [String] = ["http/1.1"]) throws {
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw Failure.openSSL }
        switchboard_SSL_CTX_set_min_proto_version(context, version)
        switchboard_SSL_CTX_set_max_proto_version(context, version)
        // Versions before 1.2 need it.
        SSL_CTX_set_security_level(context, 0)
        guard let ssl = SSL_new(context), let inbound = BIO_new(BIO_s_mem()), let outbound = BIO_new(BIO_s_mem())
        else { throw Failure.openSSL }
        switchboard_BIO_set_mem_eof_return(inbound, -1)
        switchboard_BIO_set_mem_eof_return(outbound, -1)
        SSL_set_bio(ssl, inbound, outbound)
        SSL_set_connect_state(ssl)
        let offer = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        if !offer.isEmpty { SSL_set_alpn_protos(ssl, offer, UInt32(offer.count)) }
        self.context = context
        self.ssl = ssl
        self.inbound = inbound
        self.outbound = outbound
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
    }

    /// Whether the handshake is complete for the client.
    var isEstablished: Bool { SSL_is_init_finished(ssl) == 1 }

    /// The protocol that the server chose.
    var chosen: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        guard let name, length > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }

    /// Moves bytes in both directions until there are none.
    ///
    /// - Returns: The bytes of the server.
    @discardableResult
    func exchange(_ channel: EmbeddedChannel) throws -> [UInt8] {
        var received: [UInt8] = []
        var isIdle = false
        while !isIdle {
            isIdle = true
            if !isEstablished {
                ERR_clear_error()
                SSL_do_handshake(ssl)
            }
            let sent = takeOutput()
            if !sent.isEmpty {
                isIdle = false
                try channel.writeInbound(ByteBuffer(bytes: sent))
            }
            while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
                guard buffer.readableBytes > 0 else { continue }
                isIdle = false
                let bytes = Array(buffer.readableBytesView)
                BIO_write(inbound, bytes, Int32(bytes.count))
                received += bytes
            }
        }
        return received
    }

    /// Encrypts a text for the next exchange.
    func write(_ text: String) {
        let bytes = Array(text.utf8)
        SSL_write(ssl, bytes, Int32(bytes.count))
    }

    /// Decrypts what was received.
    func read() -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 20_000)
        while true {
            ERR_clear_error()
            let count = SSL_read(ssl, &buffer, Int32(buffer.count))
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += buffer[..<Int(count)]
        }
    }

    /// Asks for new keys: by an update of them in TLS 1.3, by a new handshake before.
    ///
    /// - Returns: The bytes of the server, which are not read.
    func askForKeys(_ channel: EmbeddedChannel) throws -> [UInt8] {
        ERR_clear_error()
        if SSL_version(ssl) == TLS1_3_VERSION {
            SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED)
        } else {
            SSL_renegotiate(ssl)
        }
        SSL_do_handshake(ssl)
        try channel.writeInbound(ByteBuffer(bytes: takeOutput()))
        var received: [UInt8] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) { received += buffer.readableBytesView }
        return received
    }

    /// Encrypts close_notify for the next exchange.
    func close() { SSL_shutdown(ssl) }

    /// Whether the server's close_notify was read.
    var isClosedByServer: Bool { SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 }

    private func takeOutput() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: switchboard_BIO_pending(outbound))
        guard !bytes.isEmpty else { return [] }
        BIO_read(outbound, &bytes, Int32(bytes.count))
        return bytes
    }
}
