package import Logging

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The destination of finished log lines.
package protocol LogSink: Sendable {
    /// Takes one line of UTF-8 with its line feed; callable from any thread.
    func write(_ line: [UInt8], level: Logger.Level)
}

/// A file descriptor: one `write` per line, so that lines of several processes do not mix (a write of up to 4,096 bytes
/// to a pipe is atomic).
///
/// Blocks the caller while a pipe is full or a terminal is stopped.
package struct DescriptorSink: LogSink {
    /// Standard error of this process.
    package static let standardError = DescriptorSink(STDERR_FILENO)

    private let descriptor: Int32

    /// Creates a sink for an open descriptor, which is not closed here.
    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Writes one line; a line that cannot be written is lost, because there is nowhere left to report it.
    package func write(_ line: [UInt8], level: Logger.Level) {
        line.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written > 0 {
                    rest = rest.dropFirst(written)
                } else if written < 0, errno == EINTR {
                    continue
                } else if written < 0, errno == EAGAIN {
                    // Another process has made the shared terminal or pipe non-blocking.
                    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&ready, 1, -1)
                } else {
                    return
                }
            }
        }
    }
}
