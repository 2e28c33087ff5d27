internal import CFuzzer
internal import Foundation
internal import FuzzChecks

/// The check to run; libFuzzer parses its own arguments, and its child processes inherit the environment.
private let target = FuzzTarget(
    rawValue: ProcessInfo.processInfo.environment["SWITCHBOARD_FUZZ_TARGET"] ?? ""
)

/// Checks one input for libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    if let failure = target?.failure(on: UnsafeRawBufferPointer(start: bytes, count: count)) { fatalError(failure) }
    return 0
}

guard target != nil else {
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
    FileHandle.standardError.write(Data("SWITCHBOARD_FUZZ_TARGET names none of: \(names)\n".utf8))
    exit(64)
}
private var count = CommandLine.argc
private var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(LLVMFuzzerRunDriver(&count, &arguments, testOneInput))
