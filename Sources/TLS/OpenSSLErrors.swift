internal import COpenSSL

/// OpenSSL's error queue, which is per thread and so shared by all sessions of an event loop.
enum OpenSSLErrors {
    /// Empties the queue: before each call whose result is read with `SSL_get_error`, which would attribute an error that
    /// another session left to this one.
    static func clear() { ERR_clear_error() }

    /// Takes the oldest error, the cause, and empties the queue.
    ///
    /// - Returns: OpenSSL's reason code and text, or `nil` when the queue is empty.
    static func take() -> (reason: Int32, text: String)? {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0 else { return nil }
        let reason = switchboard_ERR_GET_REASON(code)
        guard let text = ERR_reason_error_string(code) else { return (reason, "error \(reason)") }
        return (reason, String(cString: text))
    }

    /// Takes the text of the oldest error, for a failed configuration call.
    static func takeText() -> String { take()?.text ?? "no reason given" }

    /// Throws the oldest error as that of an item when a configuration call did not return 1.
    static func check(_ result: Int32, _ item: StaticString) throws(TLSFailure) {
        guard result == 1 else { throw .configuration("\(item): \(takeText())") }
    }
}
