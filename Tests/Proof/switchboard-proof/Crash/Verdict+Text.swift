import Foundation

extension Verdict {
    private struct Printed: Encodable {
        var name: String
        var value: String
        var bound: String?
        var holds: Bool
        var examples: [String]
    }

    /// A table for people, with examples of the violations of a promise below it.
    var table: String {
        let cells = lines.map {
            [$0.name, $0.value, $0.bound ?? "", $0.bound == nil ? "" : $0.holds ? "ok" : "BROKEN"]
        }
        let widths = (0..<4).map { column in cells.map { $0[column].count }.max() ?? 0 }
        var text = cells.map { row in
            row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 1 ? padding + row[column] : row[column] + padding
            }.joined(separator: "  ")
        }
        for line in lines where !line.holds {
            text.append("\(line.name):")
            text += line.examples.map { "  " + $0 }
        }
        return text.joined(separator: "\n")
    }

    /// The same as JSON, in one line.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let printed = lines.map {
            Printed(name: $0.name, value: $0.value, bound: $0.bound, holds: $0.holds, examples: $0.examples)
        }
        guard let data = try? encoder.encode(printed) else { return "[]" }
        return #"{"holds":\#(holds),"lines":\#(String(decoding: data, as: UTF8.self))}"#
    }
}
