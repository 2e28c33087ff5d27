import Foundation

/// Lines on standard output, each flushed at once, so that a reader at the other end of a pipe sees it.
package enum StandardOutput {
    /// Writes bytes.
    package static func write(bytes: some Sequence<UInt8>) {
        FileHandle.standardOutput.write(Data(bytes))
    }

    /// Writes one line, given without its line break.
    package static func write(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
