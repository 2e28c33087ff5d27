import GRDB

extension Row {
    /// A column's value; throws where GRDB's subscript ends the process, as when damage has left another type.
    func value<Value: DatabaseValueConvertible>(_ column: String) throws -> Value { try decode(forColumn: column) }

    /// A column's value; throws where GRDB's subscript ends the process, as when damage has left another type.
    func value<Value: DatabaseValueConvertible>(_ index: Int) throws -> Value { try decode(atIndex: index) }
}
