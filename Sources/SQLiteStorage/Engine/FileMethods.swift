import GRDBSQLite

/// Replaces the methods that SQLite uses on one of its files by wrappers (sqlite.org, "The OS interface").
///
/// `Methods` is a structure whose first member is the `sqlite3_io_methods` that SQLite calls, so that the members after
/// it are found from the file.
extension UnsafeMutablePointer<sqlite3_file> {
    /// Finds a file of a connection's main database; nil when SQLite does not expose it.
    ///
    /// - Parameters:
    ///   - connection: A connection that is not in use.
    ///   - operation: `SQLITE_FCNTL_FILE_POINTER` for the database, `SQLITE_FCNTL_JOURNAL_POINTER` for its WAL.
    /// - Returns: The file, which lives as long as the connection.
    static func file(of connection: OpaquePointer, _ operation: Int32) -> Self? {
        var found: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(connection, "main", operation, &found) == SQLITE_OK else { return nil }
        return found
    }

    /// Makes SQLite call these methods from now on; they must live as long as the connection.
    func use<Methods>(_ methods: UnsafeMutablePointer<Methods>) {
        pointee.pMethods = UnsafeRawPointer(methods).assumingMemoryBound(to: sqlite3_io_methods.self)
    }

    /// The methods that ``use(_:)`` has set; nil when the file is closed.
    func methods<Methods>(_: Methods.Type) -> UnsafeMutablePointer<Methods>? {
        pointee.pMethods.map { UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: Methods.self) }
    }
}
