import Foundation
import ProcessHarness

/// The allocations of the sender for one notification, counted by valgrind's DHAT.
///
/// It is the difference between a short and a longer run, so that starting and connecting are not included.
struct AllocationCount {
    /// The text of the report when counting is not possible.
    static let missing = "allocations (not counted: apt-get install valgrind binutils, and clang must be there)"

    private static let runs = (short: 2000, long: 12_000)

    /// Allocations by Swift code: ours, NIO's and the runtime's.
    var swift = 0.0
    /// Allocations by nghttp2 and OpenSSL.
    var libraries = 0.0

    /// Runs the sender twice under valgrind.
    ///
    /// - Parameters:
    ///   - simulator: Where it sends to.
    ///   - directory: The directory for the copy of the program and the profiles.
    /// - Returns: Allocations per notification; nil when a program is missing.
    /// - Throws: ``HarnessError`` when a run fails.
    static func run(_ simulator: SimulatorProcess, _ directory: TemporaryDirectory) async throws -> AllocationCount? {
        guard let valgrind = Programs.path(of: "valgrind"), let strip = Programs.path(of: "strip"),
            let compiler = Programs.path(of: "clang") ?? Programs.path(of: "cc")
        else { return nil }
        let (program, shim) = (directory.path("sender"), directory.path("sigsuspend.so"))
        // valgrind 3.19 fails on the DWARF 5 that Swift writes.
        let original = ChildProcess.binaries.appending(path: "switchboard-bench").path()
        try await succeed(strip, ["--strip-debug", "-o", program, original])
        try Self.sigsuspend.write(toFile: shim + ".c", atomically: true, encoding: .utf8)
        try await succeed(compiler, ["-shared", "-fPIC", "-O1", "-o", shim, shim + ".c"])
        var counts: [AllocationCount] = []
        for count in [runs.short, runs.long] {
            let profile = directory.path("dhat.\(count)")
            let sender = try ChildProcess(
                valgrind,
                [
                    "--tool=dhat", "--dhat-out-file=\(profile)", "--soname-synonyms=somalloc=*jemalloc*", program,
                    "sender",
                    "--apns", simulator.apns, "--keys", simulator.keys, "--count", "\(count)",
                ],
                environment: ["LD_PRELOAD": shim]
            )
            _ = try await SenderResult.read(sender)
            counts.append(try read(profile))
        }
        let notifications = Double(runs.long - runs.short)
        return AllocationCount(
            swift: (counts[1].swift - counts[0].swift) / notifications,
            libraries: (counts[1].libraries - counts[0].libraries) / notifications
        )
    }

    /// valgrind 3.19 writes into the argument of `sigsuspend`, and crashes when that is constant, as libdispatch's is.
    private static let sigsuspend = """
        #define _GNU_SOURCE
        #include <signal.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        int sigsuspend(const sigset_t *set) { sigset_t copy = *set; return syscall(SYS_rt_sigsuspend, &copy, 8); }

        """

    private static func succeed(_ program: String, _ arguments: [String]) async throws {
        let process = try ChildProcess(program, arguments)
        guard try await process.ended().status == 0 else {
            throw HarnessError("\(program): \(process.errors.joined(separator: "\n"))")
        }
    }

    /// A call site that allocated, with its count.
    private struct Profile: Decodable {
        struct Point: Decodable {
            /// The number of blocks.
            var tbk: Int
            /// The callers, innermost first, as indexes into ``Profile/ftbl``.
            var fs: [Int]
        }

        var pps: [Point]
        var ftbl: [String]
    }

    /// Sums a profile by the caller of the allocator.
    private static func read(_ path: String) throws -> AllocationCount {
        let profile = try JSONDecoder().decode(Profile.self, from: Data(contentsOf: URL(filePath: path)))
        let isAllocator = profile.ftbl.map { $0.contains("/vgpreload_") }
        let isLibrary = profile.ftbl.map { frame in
            ["/libnghttp2.so", "/libssl.so", "/libcrypto.so"].contains { frame.contains($0) }
        }
        var count = AllocationCount()
        for point in profile.pps {
            let caller = point.fs.first { !isAllocator[$0] }
            if let caller, isLibrary[caller] {
                count.libraries += Double(point.tbk)
            } else {
                count.swift += Double(point.tbk)
            }
        }
        return count
    }
}
