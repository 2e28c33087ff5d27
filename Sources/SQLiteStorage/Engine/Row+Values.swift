import GRDB

extension Row {
    /// Returns a column's value; throws where GRDB's subscript traps, for example after damage changed the type.
    func value<Value: DatabaseValueConvertible>(_ index: Int) throws -> Value { try decode(atIndex: index) }
}
