package import GatewayModel

/// A connection to a database, used by one thread at a time; a call returns when the database has responded.
package protocol SQLConnection {
    /// The type of its statements.
    associatedtype Prepared: SQLStatement

    /// Returns the statement of a constant text, without values. It is cached, so that a text is not prepared again
    /// while its statement is between rows.
    ///
    /// - Parameter sql: A text as ``SQLDialect`` describes it.
    /// - Returns: The statement; an engine that needs the types of the values prepares it with them.
    /// - Throws: An error of the engine.
    func prepare(_ sql: StaticString) throws -> Prepared
}

extension SQLConnection {
    /// Returns the key of a brand.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: Nil when there is none.
    /// - Throws: An error of the engine.
    package func brandKey(_ brand: BrandID) throws -> Int64? {
        try prepare("SELECT key FROM brands WHERE id = ?").text(brand.rawValue).first { try $0.value(0) }
    }
}

/// A connection that reads from one snapshot.
package protocol SQLReader: SQLConnection {
    /// Returns the statement of a text that is composed of constants, in few ways.
    ///
    /// - Parameter sql: A text as ``SQLDialect`` describes it. It is cached as long as the connection is open, so that
    ///   it must not contain a value.
    /// - Returns: The statement, without values.
    /// - Throws: An error of the engine.
    func prepare(composed sql: String) throws -> Prepared
}

/// A prepared statement of a ``SQLConnection``.
package protocol SQLStatement: AnyObject {
    /// Binds an integer, or null, to the next parameter.
    @discardableResult func int(_ value: Int64?) -> Self

    /// Binds an integer, or null, to the next parameter.
    @discardableResult func int(_ value: Int?) -> Self

    /// Binds a text, or null, to the next parameter.
    @discardableResult func text(_ value: String?) -> Self

    /// Binds bytes, or null, to the next parameter.
    @discardableResult func blob(_ value: [UInt8]?) -> Self

    /// Runs a statement that returns no rows.
    func run() throws

    /// Runs a statement that returns no rows; returns the number of rows that it inserted, changed or deleted.
    func runCounting() throws -> Int

    /// Moves to the next row, and returns whether there is one. A caller that stops before the last row calls
    /// ``end()``.
    func next() throws -> Bool

    /// Ends the statement between its rows.
    func end()

    /// Returns whether a column of the current row is null.
    func isNull(_ column: Int32) -> Bool

    /// Returns an integer of the current row; 0 and 1 for a truth value. Throws when the column has another type.
    func storedInt(_ column: Int32) throws -> Int64

    /// Returns a text of the current row. Throws when the column has another type.
    func storedText(_ column: Int32) throws -> String

    /// Returns the bytes of a column of the current row. Throws when the column has another type.
    func storedBlob(_ column: Int32) throws -> [UInt8]
}

extension SQLStatement {
    /// Binds a time in milliseconds, or null, to the next parameter.
    @discardableResult
    package func time(_ value: Timestamp?) -> Self { int(value?.milliseconds) }

    /// Returns a column of the current row.
    ///
    /// - Parameter column: The column's number, from 0.
    /// - Returns: The value.
    /// - Throws: An error of the engine when the column has another type, or is null and the value is not optional.
    package func value<Value: SQLValue>(_ column: Int32) throws -> Value { try Value(self, column) }

    /// Runs the statement and reads its first row; the others are not read.
    ///
    /// - Parameter read: Reads the row.
    /// - Returns: The result of the function; nil when there is no row.
    /// - Throws: An error of the engine or of the function.
    package func first<Value>(_ read: (Self) throws -> Value) throws -> Value? {
        guard try next() else { return nil }
        defer { end() }
        return try read(self)
    }

    /// Runs the statement and returns whether it has a row.
    package func hasRow() throws -> Bool {
        defer { end() }
        return try next()
    }

    /// Runs the statement and returns the integer in the first column of its first row; nil when there is no row.
    package func integer() throws -> Int64? { try first { try $0.storedInt(0) } }

    /// Runs the statement and returns the integers in the first column of its rows.
    package func integers() throws -> [Int64] { try all { try $0.storedInt(0) } }

    /// Runs the statement and reads its rows.
    ///
    /// - Parameter read: Reads one row; a nil leaves it out.
    /// - Returns: The results of the function.
    /// - Throws: An error of the engine or of the function.
    package func all<Value>(_ read: (Self) throws -> Value?) throws -> [Value] {
        defer { end() }
        var values: [Value] = []
        while try next() { if let value = try read(self) { values.append(value) } }
        return values
    }
}
