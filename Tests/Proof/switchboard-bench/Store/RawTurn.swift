/// The rows of one turn, prepared for binding before the measurement, as a program in C would have them.
struct RawTurn {
    /// The statement of a row.
    enum Target: Int, CaseIterable {
        case dedupe, message, position, outbox, head
    }

    /// A value to bind.
    enum Cell {
        case null
        case integer(Int64)
        /// A range in ``texts``.
        case text(start: Int, count: Int)
    }

    /// One execution of a statement.
    struct Row {
        var target: Target
        var cells: Range<Int>
    }

    private(set) var rows: [Row] = []
    private(set) var cells: [Cell] = []
    private(set) var texts: [UInt8] = []

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - target: Its statement.
    ///   - values: The values to bind, in the order of the parameters.
    mutating func add(_ target: Target, _ values: [RawValue]) {
        let first = cells.count
        for value in values {
            switch value {
            case .integer(let integer?): cells.append(.integer(integer))
            case .text(let text?):
                cells.append(.text(start: texts.count, count: text.utf8.count))
                texts.append(contentsOf: text.utf8)
            case .integer(nil), .text(nil): cells.append(.null)
            }
        }
        rows.append(Row(target: target, cells: first..<cells.count))
    }
}

/// A value of a row before it is prepared.
enum RawValue {
    case integer(Int64?)
    case text(String?)
}
