import Foundation

/// All figures of a run, as a table or as JSON.
struct Report {
    private(set) var figures: [Figure] = []

    mutating func add(_ scenario: String, _ name: String, _ value: Double, _ unit: String, atMost limit: Double? = nil)
    {
        figures.append(Figure(scenario: scenario, name: name, value: value, unit: unit, limit: limit))
    }

    mutating func add(_ scenario: String, _ name: String, _ value: Double, _ unit: String, atLeast floor: Double) {
        figures.append(Figure(scenario: scenario, name: name, value: value, unit: unit, floor: floor))
    }

    mutating func add(contentsOf other: Report) { figures += other.figures }

    /// Returns the first figure's value of a name; nil when there is none.
    func value(of name: String) -> Double? { figures.first { $0.name == name }?.value }

    /// Whether every figure is within its limit.
    var isReached: Bool { figures.allSatisfy { $0.isReached != false } }

    /// The figures as a text table.
    var table: String {
        var rows = [["scenario", "figure", "value", "unit", "must reach", ""]]
        for figure in figures {
            rows.append([
                figure.scenario, figure.name, Self.text(figure.value), figure.unit,
                figure.limit.map { "<= " + Self.text($0) } ?? figure.floor.map { ">= " + Self.text($0) } ?? "",
                figure.isReached.map { $0 ? "ok" : "MISSED" } ?? "",
            ])
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row.indices, row).map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 2 ? padding + cell : cell + padding
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    /// The figures as JSON.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let data = try? encoder.encode(["figures": figures]) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }

    private static func text(_ value: Double) -> String {
        value >= 1000 ? String(format: "%.0f", value) : String(format: "%.2f", value)
    }
}
