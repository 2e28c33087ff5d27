import Foundation

/// Lines for people on stderr, apart from the result on stdout.
enum StandardError {
    static func write(_ line: String) { try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8)) }
}
