import Foundation
import Testing

@Suite("Coverage of the gateway's requirements")
struct GatewayRequirementTests {
    /// The requirements of the gateway, and those of both sides (Requirements page); the device library's tests name the
    /// devices' half.
    private static let ranges: [ClosedRange<Int>] = [
        1...7, 18...33, 40...40, 48...54, 59...61, 65...65, 69...69, 71...72, 77...78, 80...82, 85...85, 87...90,
        95...95, 97...98, 100...102, 109...110, 112...119, 121...126, 128...146, 156...157, 159...159, 167...171,
        178...198, 203...206,
    ]

    /// Those without a test: pushes to Huawei itself (R181; of R72 only the devices' half has one).
    private static let open: Set<Int> = [181]

    /// Returns the requirements in the names of tests.
    private static func named() throws -> Set<Int> {
        let tests = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent()
        let number = try Regex(
            "\\bR([0-9]+)\\b(?:-R([0-9]+)\\b)?",
            as: (Substring, Substring, Substring?).self
        )
        var found: Set<Int> = []
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for marker in ["@Test(", "ContractCase("] {
                for part in text.components(separatedBy: marker).dropFirst() {
                    let argument = part.drop { $0.isWhitespace }
                    guard argument.first == "\"" else { continue }
                    let name = argument.dropFirst().prefix { $0 != "\"" }
                    for each in name.matches(of: number) {
                        guard let first = Int(each.output.1) else { continue }
                        found.formUnion(first...max(first, each.output.2.flatMap { Int($0) } ?? first))
                    }
                }
            }
        }
        return found
    }

    @Test("each requirement of the gateway is in the name of a test: the list of those without one")
    func requirements() throws {
        let all = Set(Self.ranges.joined())
        #expect(all.count == 122)
        #expect(all.subtracting(try Self.named()).sorted() == Self.open.sorted())
    }
}
