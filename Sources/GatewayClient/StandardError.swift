import Foundation

/// Lines on standard error.
package enum StandardError {
    /// Writes one line, given without its line break.
    package static func write(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
