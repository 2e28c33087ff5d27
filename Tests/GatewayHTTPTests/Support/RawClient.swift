import Foundation
import Testing

/// A client that writes and reads arbitrary bytes on its own socket.
final class RawClient: Sendable {
    private let descriptor: Int32

    /// Connects on loopback, from 127.0.0.1 or another loopback address.
    init(port: Int, receiveBufferBytes: Int32? = nil, from lastByte: UInt32 = 1) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        if var bytes = receiveBufferBytes {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        // A test that waits for data that never arrives fails and does not hang.
        var patience = timeval(tv_sec: 540, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = descriptor
        if lastByte != 1 {
            var own = sockaddr_in()
            own.sin_family = sa_family_t(AF_INET)
            own.sin_addr.s_addr = (0x7F00_0000 | lastByte).bigEndian
            let bound = withUnsafePointer(to: &own) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(bound == 0)
        }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
    }

    deinit { close(descriptor) }

    /// Writes a text; false when the peer has disconnected.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Writes bytes; false when the peer has disconnected.
    @discardableResult
    func send(bytes: [UInt8]) -> Bool {
        Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Reads that many bytes; nil when the connection ends before them.
    func read(bytes count: Int) async -> [UInt8]? {
        let descriptor = descriptor
        var bytes = [UInt8](repeating: 0, count: count)
        // Often they are there already.
        if recv(descriptor, &bytes, count, Int32(MSG_PEEK | MSG_DONTWAIT)) == count {
            return recv(descriptor, &bytes, count, 0) == count ? bytes : nil
        }
        return await onOwnThread {
            var bytes = [UInt8](repeating: 0, count: count)
            let got = recv(descriptor, &bytes, count, Int32(MSG_WAITALL))
            return got == count ? bytes : nil
        }
    }

    /// Reads a response's head and nothing behind it, or up to the end of the connection.
    func readHead() async -> String {
        let descriptor = descriptor
        return await onOwnThread {
            var (head, byte): ([UInt8], UInt8) = ([], 0)
            while head.suffix(4) != [13, 10, 13, 10], recv(descriptor, &byte, 1, 0) == 1 { head.append(byte) }
            return String(decoding: head, as: UTF8.self)
        }
    }

    /// Whether there is data to read, or the peer has disconnected; does not wait.
    var isAnswered: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) >= 0 || errno != EAGAIN
    }

    /// Ends writing.
    func endOfInput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Writes more than the sockets' buffers may take, on a thread that may wait; false when the peer has disconnected.
    @discardableResult
    func sendMuch(_ text: String) async -> Bool {
        await onOwnThread { self.send(text) }
    }

    /// Reads up to the end of the connection; nil when it does not end.
    func readToEnd() async -> String? { await receive(until: nil) }

    /// Reads up to the end of the first response's headers, and whatever came with them; nil when it never comes.
    func readResponseHead() async -> String? { await read(until: "\r\n\r\n") }

    /// Reads up to a text, and whatever came with it, or to the end of the connection; nil when neither comes.
    func read(until text: String) async -> String? { await receive(until: text) }

    private func receive(until text: String?) async -> String? {
        let descriptor = descriptor
        let wanted = text.map { Array($0.utf8) } ?? []
        return await onOwnThread {
            var all: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                let isEnd = count == 0 || (count < 0 && errno == ECONNRESET)
                if count > 0 { all += buffer[..<count] }
                // Only new data is searched: searching all of it again would be slow.
                let tail = all.suffix(max(count, 0) + wanted.count)
                if isEnd || !wanted.isEmpty && tail.firstRange(of: wanted) != nil {
                    return String(decoding: all, as: UTF8.self)
                }
                if count < 0 { return nil }
            }
        }
    }

    /// Runs a call that may block; the test's time limit ends the connection, and with it the call.
    ///
    /// Dispatch's global queues share their threads with the tasks: many calls there would leave none for the server.
    private func onOwnThread<T: Sendable>(_ call: @escaping @Sendable () -> T) async -> T {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: call()) }
            }
        } onCancel: {
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }
}
