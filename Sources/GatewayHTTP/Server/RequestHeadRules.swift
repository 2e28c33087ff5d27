internal import HTTPTypes
internal import TextFormats

/// Checks that the parts of a request's head contain only characters that their grammar allows.
///
/// The request target, the host and the headers that this server, Hummingbird or SwiftNIO compare with words are ASCII
/// by their grammars (RFC 9112 section 3.2, RFC 9110 section 5.5 and the sections of each header). A head with other
/// bytes there is rejected before anything compares them: Swift compares non-ASCII text by normalisation, which takes
/// time quadratic in the number of consecutive combining marks.
enum RequestHeadRules {
    /// The headers that are ASCII by their grammars; others, such as `User-Agent`, may contain any bytes and are
    /// compared as bytes.
    private static let asciiFields: Set<HTTPField.Name> = [
        .accept, .authorization, .connection, .contentEncoding, .contentLength, .contentType, .expect, .ifMatch,
        .ifNoneMatch, .origin, .secWebSocketExtensions, .secWebSocketKey, .secWebSocketProtocol, .secWebSocketVersion,
        .te, .transferEncoding, .upgrade, .idempotencyKey, .lastEventID, .traceParent, .xForwardedFor, .xRequestID,
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
