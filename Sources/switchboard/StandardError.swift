import Foundation

/// Lines for people on standard error.
enum StandardError {
    /// Writes one line.
    ///
    /// - Parameter line: Without its end.
    static func write(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
