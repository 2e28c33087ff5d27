import Foundation

/// Third-party programs that a scenario runs when they are installed.
enum Programs {
    /// Finds a program.
    ///
    /// - Parameter program: Its name.
    /// - Returns: The path of the first of that name in `PATH`; nil when there is none.
    static func path(of program: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
