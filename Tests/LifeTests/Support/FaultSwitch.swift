import Foundation
import ProcessHarness

/// Makes a gateway's writes, syncs or large C++ arrays fail for a while, or moves its wall clock
/// (`Tests/Faults/faults.c`).
final class FaultSwitch: Sendable {
    /// The environment that the gateway must be started with.
    let environment: [String: String]
    private let file: String

    /// Builds the library with the compiler of the Swift toolchain.
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

    /// A value instead of an errno: the device hangs until the switch is set again.
    static let hang: Int32 = 255

    /// Sets the errno with which `fdatasync` and writes fail from now on; 0 for success.
    func set(sync: Int32 = 0, write: Int32 = 0) throws { try overwrite([UInt8(sync), UInt8(write)], at: 0) }

    /// Sets whether allocations of C++ arrays above 3 MiB fail from now on.
    func setMemory(isShort: Bool) throws { try overwrite([isShort ? 1 : 0], at: 2) }

    /// Moves the wall clock to an offset in seconds; the monotonic clocks stay unchanged.
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
