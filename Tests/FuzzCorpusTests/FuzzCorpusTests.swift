import Foundation
import FuzzChecks
import Testing

/// The inputs that fuzzers found worth keeping, without a fuzzer and without sanitizers.
@Suite("Inputs that a fuzzer found", .timeLimit(.minutes(10)))
struct FuzzCorpusTests {
    @Test("every stored input passes its check", arguments: FuzzTarget.allCases)
    func replay(target: FuzzTarget) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fuzz/Corpora/\(target.rawValue)")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count > 20)
        for file in files {
            let input = try Data(contentsOf: file)
            let failure = input.withUnsafeBytes { target.failure(on: $0) }
            #expect(failure == nil, "\(file.lastPathComponent)")
        }
    }
}
