internal import HTTPTypes

extension HTTPField.Name {
    /// The caller's name for a request, echoed.
    static let xRequestID = known("X-Request-Id")
    /// Where a stream of server-sent events goes on (WHATWG HTML section 9.2.4).
    static let lastEventID = known("Last-Event-ID")
    /// The caller's trace (W3C Trace Context).
    static let traceParent = known("traceparent")

    /// A name that is known to be one.
    private static func known(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no header name") }
        return name
    }
}
