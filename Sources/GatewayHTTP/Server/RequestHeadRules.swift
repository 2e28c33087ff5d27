internal import HTTPTypes
internal import TextFormats

/// Which heads of requests are read: those whose parts are of the characters that their grammar has.
///
/// The request target, the host and the headers that this server, Hummingbird or SwiftNIO compare with words are ASCII by
/// their grammars (RFC 9112 section 3.2, RFC 9110 section 5.5 and the sections of each header). A head that holds other
/// bytes there is refused before anything compares them: Swift compares other text by normalisation, which takes time
/// quadratic in the number of combining marks in a row.
enum RequestHeadRules {
    /// Headers that are ASCII by their grammars; others, such as `User-Agent`, may hold any bytes, which are compared as bytes.
    private static let asciiFields: Set<HTTPField.Name> = [
        .accept, .authorization, .connection, .contentEncoding, .contentLength, .contentType, .expect, .ifMatch,
        .ifNoneMatch, .origin, .secWebSocketExtensions, .secWebSocketKey, .secWebSocketProtocol, .secWebSocketVersion,
        .te, .transferEncoding, .upgrade, .idempotencyKey, .lastEventID, .traceParent, .xForwardedFor, .xRequestID,
    ]

    /// Whether a head is one that is read.
    ///
    /// - Parameters:
    ///   - target: The request target.
    ///   - host: The host that it is for.
    ///   - fields: The headers' names and values.
    /// - Returns: False when one of them holds bytes that its grammar does not have.
    static func isReadable(
        target: String?,
        host: String?,
        fields: some Sequence<(name: HTTPField.Name, value: String)>
    ) -> Bool {
        guard target?.isASCII ?? true, host?.isASCII ?? true else { return false }
        return fields.allSatisfy { $0.value.isASCII || !asciiFields.contains($0.name) }
    }

    /// Whether the head of a request is read.
    ///
    /// - Parameter request: The head.
    /// - Returns: False for one that must be refused.
    static func isReadable(_ request: HTTPRequest) -> Bool {
        isReadable(
            target: request.path,
            host: request.authority,
            fields: request.headerFields.lazy.map { (name: $0.name, value: $0.value) }
        )
    }
}
