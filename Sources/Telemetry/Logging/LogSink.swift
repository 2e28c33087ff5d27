#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The destination of finished log lines.
package protocol LogSink: Sendable {
    /// Takes one line with its line feed; callable from any thread.
    ///
    /// - Parameter line: UTF-8 that ends in a line feed.
    func write(_ line: [UInt8])
}

/// Standard error: one `write` per line, so that lines of several threads do not mix (a write of up to 4,096 bytes to a
/// pipe is atomic).
package struct StandardErrorSink: LogSink {
    /// Standard error of this process.
    package init() {}

    /// Writes one line; a line that cannot be written is lost, because there is nowhere left to report it.
    ///
    /// - Parameter line: UTF-8 that ends in a line feed.
    package func write(_ line: [UInt8]) {
        line.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = Glibc.write(STDERR_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written > 0 {
                    rest = rest.dropFirst(written)
                } else if written < 0, errno == EINTR {
                    continue
                } else {
                    return
                }
            }
        }
    }
}
