import Foundation

/// The results in printable form.
struct FaultTable {
    var results: [FaultResult]

    /// Whether all promises hold.
    var holds: Bool { results.allSatisfy(\.holds) }

    /// A table for people.
    var text: String {
        var rows = [
            [
                "fault", "sent", "accepted", "lost", "duplicated", "in doubt", "unexplained", "connections", "seconds",
                "",
            ]
        ]
        for result in results {
            rows.append([
                result.title, "\(result.sent)", "\(result.accepted)", "\(result.lost)", "\(result.duplicated)",
                "\(result.doubts)", "\(result.unexplained)", result.connections.map { "\($0)" } ?? "",
                String(format: "%.1f", result.seconds), result.holds ? "ok" : "BROKEN",
            ])
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var lines = rows.map { row in
            zip(widths, row).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.0 - cell.1.count)
                return column == 0 ? cell.1 + padding : padding + cell.1
            }.joined(separator: "  ")
        }
        for result in results where result.refusal != nil {
            lines.append("\(result.title): refused: \(result.refusal ?? "")")
        }
        return lines.joined(separator: "\n")
    }

    private struct Document: Encodable {
        var holds: Bool
        var faults: [FaultResult]
    }

    /// Returns the same as JSON.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(Document(holds: holds, faults: results)), as: UTF8.self)
    }
}
