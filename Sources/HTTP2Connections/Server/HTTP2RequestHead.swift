/// The head of a request that arrived on a stream.
///
/// A plain value.
package struct HTTP2RequestHead: Sendable {
    /// The method.
    package var method = ""
    /// The protocol of an extended CONNECT (RFC 8441 section 4); nil for every other request.
    package var connectProtocol: String?
    /// The scheme; nil for a CONNECT without protocol.
    package var scheme: String?
    /// The authority; nil if the request names its host in a `host` field, or not at all.
    package var authority: String?
    /// The path with query; nil for a CONNECT without protocol.
    package var path: String?
    /// The fields in order, names in lower case; those of `cookie` are one (RFC 9113 section 8.2.3).
    package var fields: [(name: String, value: String)] = []
    /// Whether fields are missing, because there were too many.
    package var isTruncated = false
    /// Whether the request has no body.
    package var isLast = false

    /// The size as RFC 9113 section 6.5.2 counts it.
    var byteCount = 0
}
