import CSQLite

/// The methods that SQLite calls on one of its files in place of its own (sqlite.org, "The OS interface"), with their
/// state.
///
/// SQLite calls them on the queue of the file's connection. They are freed when it closes the file.
struct FileMethods<State> {
    /// The first member, so that a file's methods lead to the others.
    private var methods: sqlite3_io_methods
    /// SQLite's own methods.
    let original: UnsafePointer<sqlite3_io_methods>
    var state: State

    /// Replaces methods of a file until it is closed; has no effect on a file that is not open.
    ///
    /// - Parameters:
    ///   - file: A file of a connection that is not in use.
    ///   - state: The initial state.
    ///   - change: Sets the methods that differ from SQLite's own, and `xClose` to one that calls ``close(_:)``.
    static func install(
        on file: UnsafeMutablePointer<sqlite3_file>,
        state: State,
        change: (inout sqlite3_io_methods) -> Void
    ) {
        guard let original = file.pointee.pMethods else { return }
        let installed = UnsafeMutablePointer<Self>.allocate(capacity: 1)
        installed.initialize(to: Self(methods: original.pointee, original: original, state: state))
        change(&installed.pointee.methods)
        file.pointee.pMethods = UnsafeRawPointer(installed).assumingMemoryBound(to: sqlite3_io_methods.self)
    }

    /// Finds the methods that a file was given; nil when the file is closed.
    static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<Self>? {
        guard let methods = file?.pointee.pMethods else { return nil }
        return UnsafeMutableRawPointer(mutating: methods).assumingMemoryBound(to: Self.self)
    }

    /// Frees the methods, and closes the file with SQLite's own.
    static func close(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
        guard let file, let installed = of(file) else { return SQLITE_IOERR }
        let original = installed.pointee.original
        file.pointee.pMethods = original
        installed.deinitialize(count: 1)
        installed.deallocate()
        return original.pointee.xClose(file)
    }
}

extension UnsafeMutablePointer<sqlite3_file> {
    /// Finds an open file of a connection's main database; nil when SQLite does not expose it.
    ///
    /// - Parameters:
    ///   - connection: A connection that is not in use.
    ///   - operation: `SQLITE_FCNTL_FILE_POINTER` for the database, `SQLITE_FCNTL_JOURNAL_POINTER` for its WAL.
    /// - Returns: The file, which lives as long as the connection.
    static func file(of connection: OpaquePointer, _ operation: Int32) -> Self? {
        var found: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(connection, "main", operation, &found) == SQLITE_OK, let found,
            found.pointee.pMethods != nil
        else { return nil }
        return found
    }
}
