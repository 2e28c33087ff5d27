#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Where finished log lines go.
package protocol LogSink: Sendable {
    /// Takes one line with its end; any thread.
    ///
    /// - Parameter line: UTF-8 that ends in a line feed.
    func write(_ line: [UInt8])
}

/// Standard error: one `write` a line, so that lines of several threads do not mix (a pipe keeps up to 4,096 bytes whole).
package struct StandardErrorSink: LogSink {
    /// Standard error of this process.
    package init() {}

    /// Writes one line; a line that cannot be written is lost, because nothing is left to say so to.
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
