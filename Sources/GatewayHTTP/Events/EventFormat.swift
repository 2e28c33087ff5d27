/// How a body holds events.
package enum EventFormat: Sendable {
    /// `application/json`: one event, or an array.
    case json
    /// `application/x-ndjson`: one a line.
    case lines

    /// Reads a `Content-Type`; nil for every type that the route does not take.
    ///
    /// - Parameter contentType: The header's value; parameters are ignored but for a charset other than UTF-8.
    package init?(contentType: String) {
        switch MediaTypeName(contentType) {
        case "application/json": self = .json
        case "application/x-ndjson": self = .lines
        default: return nil
        }
    }
}
