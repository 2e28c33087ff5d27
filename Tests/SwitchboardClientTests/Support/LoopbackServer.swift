import Foundation

@testable import SwitchboardClient

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An HTTP server on a loopback port that gives one response to every request, and notes the requests.
final class LoopbackServer: Sendable {
    private let listener: Int32
    private let texts = Locked<[String]>([])
    /// The port of the server.
    let port: UInt16

    /// The requests that arrived, with their headers.
    var requests: [String] { texts.withLock { $0 } }

    /// Starts a server.
    ///
    /// - Parameter response: The status line, headers and body for a request, by the server's port.
    /// - Throws: An error without a free port.
    init(_ response: @escaping @Sendable (UInt16) -> String) throws {
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard listener >= 0, isBound, listen(listener, 16) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        let port = UInt16(bigEndian: address.sin_port)
        self.port = port
        let texts = texts
        // A thread of its own, because accepting blocks; it ends when the listener is closed.
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                var bytes = [UInt8](repeating: 0, count: 8192)
                let count = recv(connection, &bytes, bytes.count, 0)
                if count > 0 { texts.withLock { $0.append(String(decoding: bytes.prefix(count), as: UTF8.self)) } }
                let text = Array(response(port).utf8)
                _ = send(connection, text, text.count, 0)
                close(connection)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}
