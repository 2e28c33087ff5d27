package import GatewayModel

/// A type that a column can have; an optional one is nil for null.
package protocol SQLValue {
    /// Reads a column of a statement's current row. Throws when it has another type.
    init(_ statement: some SQLStatement, _ column: Int32) throws
}

extension Int64: SQLValue {
    package init(_ statement: some SQLStatement, _ column: Int32) throws { self = try statement.storedInt(column) }
}

extension Int: SQLValue {
    package init(_ statement: some SQLStatement, _ column: Int32) throws { self = Int(try statement.storedInt(column)) }
}

extension Bool: SQLValue {
    package init(_ statement: some SQLStatement, _ column: Int32) throws { self = try statement.storedInt(column) != 0 }
}

extension String: SQLValue {
    package init(_ statement: some SQLStatement, _ column: Int32) throws { self = try statement.storedText(column) }
}

extension [UInt8]: SQLValue {
    package init(_ statement: some SQLStatement, _ column: Int32) throws { self = try statement.storedBlob(column) }
}

extension Timestamp: SQLValue {
    package init(_ statement: some SQLStatement, _ column: Int32) throws {
        self.init(milliseconds: try statement.storedInt(column))
    }
}

extension Optional: SQLValue where Wrapped: SQLValue {
    package init(_ statement: some SQLStatement, _ column: Int32) throws {
        self = statement.isNull(column) ? nil : try Wrapped(statement, column)
    }
}
