internal import CoreMetrics
internal import HTTPTypes
internal import Telemetry
internal import TextFormats

/// Checks that the parts of a request's head contain only characters that their grammar allows.
///
/// The request target, the host and the headers that this server, Hummingbird or SwiftNIO compare with words are ASCII
/// by their grammars (RFC 9112 section 3.2, RFC 9110 section 5.5 and the sections of each header). A head with other
/// bytes there is rejected before anything compares them: Swift compares non-ASCII text by normalisation, which takes
/// time quadratic in the number of consecutive combining marks.
enum RequestHeadRules {
    /// The paths that get a response beyond the limits of connections, so that overload does not look like an outage.
    private static let alwaysServed: Set<BoundedName> = ["/livez", "/readyz", "/metrics"]

    /// Returns the error of a request that must not reach the routes.
    ///
    /// - Parameters:
    ///   - request: The head.
    ///   - surplus: The limit that its connection or stream exceeds; nil for none.
    ///   - metrics: Counts the rejection.
    /// - Returns: The error; nil for all other requests.
    static func rejection(of request: HTTPRequest, surplus: RejectionLabel?, metrics: HTTPMetrics) -> Problem? {
        if let surplus, !(BoundedName(request.path ?? "").map(alwaysServed.contains) ?? false) {
            metrics.refused[surplus].increment()
            let text =
                surplus == .connections
                ? "Too many connections are open." : "This address has too many connections open."
            return Problem(.overloaded, text, retryAfterSeconds: 5)
        }
        guard isReadable(request) else { return .unreadable("The path or a header contains bytes outside ASCII.") }
        // RFC 9110 section 10.1.1.
        let expected = request.headerFields[values: .expect].lazy.flatMap { $0.byteSplit(",") }.map(\.trimmingBlanks)
        guard expected.allSatisfy({ $0.isEmpty || $0.isWord("100-continue") }) else {
            return Problem(.invalidRequest, status: 417, "Only 100-continue can be expected.")
        }
        return nil
    }

    /// The headers that are ASCII by their grammars; others, such as `User-Agent`, may contain any bytes and are
    /// compared as bytes.
    private static let asciiFields: Set<HTTPField.Name> = [
        .accept, .authorization, .connection, .contentEncoding, .contentLength, .contentType, .expect, .ifMatch,
        .ifNoneMatch, .origin, .secWebSocketExtensions, .secWebSocketKey, .secWebSocketProtocol, .secWebSocketVersion,
        .te, .transferEncoding, .upgrade, .idempotencyKey, .lastEventID, .traceParent, .forwarded, .xForwardedFor,
        .xRequestID, .webHookRequestOrigin,
    ]

    /// Whether a head is valid.
    ///
    /// - Parameters:
    ///   - target: The request target.
    ///   - host: The host of the request.
    ///   - fields: The headers' names and values.
    /// - Returns: False when one of them contains bytes that its grammar does not allow.
    static func isReadable(
        target: String?,
        host: String?,
        fields: some Sequence<(name: HTTPField.Name, value: String)>
    ) -> Bool {
        guard target?.isASCII ?? true, host?.isASCII ?? true else { return false }
        return fields.allSatisfy { $0.value.isASCII || !asciiFields.contains($0.name) }
    }

    /// Whether the head of a request is valid.
    ///
    /// - Parameter request: The head.
    /// - Returns: False for a head that must be rejected.
    static func isReadable(_ request: HTTPRequest) -> Bool {
        isReadable(
            target: request.path,
            host: request.authority,
            fields: request.headerFields.lazy.map { (name: $0.name, value: $0.value) }
        )
    }
}
