import CSQLite

/// An error of SQLite (https://sqlite.org/rescode.html).
struct SQLiteError: Error {
    /// The extended result code, whose lowest byte is the primary one.
    let code: Int32
    /// SQLite's text, which names tables and columns, never values.
    let text: String

    /// The primary result code.
    var primaryCode: Int32 { code & 0xFF }

    init(_ code: Int32, _ text: String? = nil) {
        self.code = code
        self.text = text ?? String(cString: sqlite3_errstr(code))
    }

    /// The error of a connection's last call.
    init(of connection: OpaquePointer) {
        self.init(sqlite3_extended_errcode(connection), String(cString: sqlite3_errmsg(connection)))
    }
}
