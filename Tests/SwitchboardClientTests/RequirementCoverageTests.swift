import Foundation
import Testing

@Suite("Coverage of the requirements")
struct RequirementCoverageTests {
    /// The requirements of devices, and those of both sides (Requirements page).
    private static let all: Set<Int> = Set(
        [18, 40, 59, 61, 65, 72, 80, 95, 111, 120, 121, 122, 127, 128, 187, 197]
            + Array(8...17) + Array(34...39) + Array(41...47) + Array(55...58) + Array(62...64) + Array(66...68)
            + [70] + Array(73...76) + [79, 83, 84, 86] + Array(91...94) + [96, 99] + Array(103...108)
            + Array(147...166) + Array(172...177) + Array(199...202)
    )

    /// The traps in the systems' documents that devices fall into.
    private static let traps = Set([1, 2, 5, 8] + Array(12...16) + Array(22...30) + Array(32...34))

    private static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    /// The folder of the tests against a running gateway.
    private static let flows = folder.deletingLastPathComponent().appendingPathComponent("LifeTests/Devices")

    /// Returns the numbers after a prefix in the names of tests.
    private static func numbers(_ prefix: String) throws -> Set<Int> {
        let name = try Regex("@Test\\(\\s*\"([^\"]*)\"", as: (Substring, Substring).self)
        let number = try Regex("\\b" + prefix + "(\\d+)", as: (Substring, Substring).self)
        var found: Set<Int> = []
        let files = FileManager.default
        let all = try [folder, flows].flatMap { try files.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil) }
        for file in all {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: name) {
                for each in match.output.1.matches(of: number) {
                    if let value = Int(each.output.1) { found.insert(value) }
                }
            }
        }
        return found
    }

    @Test("each requirement of devices is in the name of a test: the list of those without one is empty")
    func requirements() throws {
        let covered = try Self.numbers("R")
        #expect(Self.all.subtracting(covered).sorted().isEmpty)
        #expect(Self.all.count == 100)
    }

    /// Returns the row of the summary that a status of the Requirements page counts in.
    private static func group(_ status: String) -> String {
        if status == "not in this version" { return status }
        if status.hasPrefix("partly") { return "partly met" }
        return status == "met, device library" ? "met by the device library" : "met"
    }

    @Test("the Requirements page states what the tests state, and counts its rows")
    func page() throws {
        let file = Self.folder.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/switchboard/Documentation.docc/Requirements.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        var groups: [Int: String] = [:]
        for line in text.components(separatedBy: "\n") where line.hasPrefix("| R") {
            let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
            guard let id = cells.first, let status = cells.last, let number = Int(id.dropFirst()) else { continue }
            groups[number] = Self.group(status)
        }
        #expect(groups.count == 206)
        for (group, rows) in Dictionary(grouping: groups.values, by: { $0 }) {
            #expect(text.contains("\n| \(group) | \(rows.count) |\n"), "\(group): \(rows.count)")
        }
        let tested = try Self.numbers("R")
        let met = Set(groups.filter { $0.value == "met by the device library" }.keys)
        #expect(met.isSubset(of: tested))
        let open = Set(groups.filter { $0.value == "not in this version" }.keys)
        #expect(open.intersection(Self.all).isEmpty)
    }

    @Test("each trap of devices is in the name of a test: the list of those without one is empty")
    func trapNumbers() throws {
        #expect(Self.traps.subtracting(try Self.numbers("trap ")).sorted().isEmpty)
    }
}
