import Foundation
import Testing

@Suite("Coverage of the gateway's requirements")
struct GatewayRequirementTests {
    /// The requirements of the gateway, and those of both sides (Requirements page); the device library's tests name the
    /// devices' half.
    private static let all: Set<Int> = Set(
        Array(1...7) + Array(18...33) + [40] + Array(48...54) + [59, 60, 61, 65, 69, 71, 72, 77, 78]
            + [80, 81, 82, 85] + Array(87...90) + [95, 97, 98, 100, 101, 102, 109, 110] + Array(112...119)
            + Array(121...126) + Array(128...146) + [156, 157, 159, 167] + Array(168...171) + Array(178...198)
            + Array(203...206)
    )

    /// Those without a test: pushes of Huawei (R181; of R72 only the devices' half has one), and pushes through a proxy
    /// of the brand (R183), which this version does not send.
    private static let open: Set<Int> = [181, 183]

    /// Returns the requirements in the names of tests.
    private static func named() throws -> Set<Int> {
        let tests = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent()
        let name = try Regex("(?:@Test|ContractCase)\\(\\s*\"([^\"]*)\"", as: (Substring, Substring).self)
        let number = try Regex(
            "\\bR([0-9]+)\\b(?:-R([0-9]+)\\b)?",
            as: (Substring, Substring, Substring?).self
        )
        var found: Set<Int> = []
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: name) {
                for each in match.output.1.matches(of: number) {
                    guard let first = Int(each.output.1) else { continue }
                    found.formUnion(first...max(first, each.output.2.flatMap { Int($0) } ?? first))
                }
            }
        }
        return found
    }

    @Test("each requirement of the gateway is in the name of a test: the list of those without one")
    func requirements() throws {
        #expect(Self.all.count == 122)
        #expect(Self.all.subtracting(try Self.named()).sorted() == Self.open.sorted())
    }
}
