import Foundation
import ProcessHarness

/// Makes a gateway's writes, syncs or large arrays of C++ fail for a while, or moves its wall clock (`Tests/Faults/faults.c`).
final class FaultSwitch: Sendable {
    /// What the gateway must be started with.
    let environment: [String: String]
    private let file: String

    /// Builds the library with the compiler that Swift brings.
    ///
    /// - Parameter directory: Where it is put.
    /// - Throws: When it cannot be built.
    init(in directory: TemporaryDirectory) async throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Faults/faults.c").path()
        let library = directory.path("faults.so")
        let compiler = try ChildProcess(
            "/usr/bin/env",
            ["clang", "-shared", "-fPIC", "-O1", "-o", library, source]
        )
        guard try await compiler.ended().status == 0 else {
            throw HarnessError("faults.c: \(compiler.errors.joined(separator: "\n"))")
        }
        file = directory.path("faults")
        try Data(count: 16).write(to: URL(filePath: file))
        environment = ["LD_PRELOAD": library, "FAULTS_FILE": file]
    }

    /// In place of an errno: the device does not answer until the switch is set again.
    static let hang: Int32 = 255

    /// Says what fails from now on.
    ///
    /// - Parameters:
    ///   - sync: The errno of `fdatasync`; 0 lets it work.
    ///   - write: The errno of writes; 0 lets them work.
    /// - Throws: When the file cannot be written.
    func set(sync: Int32 = 0, write: Int32 = 0) throws { try overwrite([UInt8(sync), UInt8(write)], at: 0) }

    /// Says whether arrays of C++ of more than 3 MiB get no memory from now on.
    ///
    /// - Parameter isShort: Whether they get none.
    /// - Throws: When the file cannot be written.
    func setMemory(isShort: Bool) throws { try overwrite([isShort ? 1 : 0], at: 2) }

    /// Moves the wall clock; the monotonic clocks stay the machine's.
    ///
    /// - Parameter seconds: By how much it is off from now on.
    /// - Throws: When the file cannot be written.
    func moveClock(_ seconds: Int64) throws {
        try withUnsafeBytes(of: seconds) { bytes in try overwrite(Array(bytes), at: 8) }
    }

    private func overwrite(_ bytes: [UInt8], at offset: UInt64) throws {
        // In place: the gateway has the file mapped.
        let handle = try FileHandle(forWritingTo: URL(filePath: file))
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
    }
}
