internal import COpenSSL

/// OpenSSL's error queue, which belongs to the thread.
enum ErrorQueue {
    /// Runs calls of OpenSSL with an empty queue and leaves it empty, so that no other code finds their errors in it.
    static func isolated<Result: ~Copyable, Failure>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switchboard_keep_openssl_at_exit()
        ERR_clear_error()
        defer { ERR_clear_error() }
        return try body()
    }
}
