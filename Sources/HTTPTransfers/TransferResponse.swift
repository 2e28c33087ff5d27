/// The response to a request, with any status.
package struct TransferResponse: Sendable {
    /// The HTTP status.
    package let status: Int
    /// The header fields as they arrived, without trailers.
    package let headers: [(name: String, value: String)]
    /// The body; empty in a response whose body is a stream.
    package var body: [UInt8] = []

    /// Returns the first value of a header field in any case; nil when there is none.
    package func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }
}
