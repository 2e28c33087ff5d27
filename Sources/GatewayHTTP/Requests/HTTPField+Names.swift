internal import HTTPTypes

extension HTTPField.Name {
    /// The caller's name for a request, echoed.
    static let xRequestID = known("X-Request-Id")
    /// The caller's trace (W3C Trace Context).
    static let traceParent = known("traceparent")

    /// CloudEvents' attributes in binary mode (its HTTP binding, section 3.1.3.1).
    static let ceSpecVersion = known("ce-specversion")
    static let ceID = known("ce-id")
    static let ceType = known("ce-type")
    static let ceSource = known("ce-source")
    static let ceTime = known("ce-time")
    static let ceDataContentType = known("ce-datacontenttype")

    /// A name that is known to be one.
    private static func known(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no header name") }
        return name
    }
}
