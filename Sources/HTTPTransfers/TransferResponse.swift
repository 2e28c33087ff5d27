/// The response to a request, with any status.
package struct TransferResponse: Sendable {
    /// The HTTP status.
    package let status: Int
    /// The header fields as they arrived, without trailers.
    package let headers: [(name: String, value: String)]
    /// The body; empty in a response whose body is a stream.
    package var body: [UInt8]

    /// Creates a response.
    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the first value of a header field in any case; nil when there is none.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.utf8.elementsEqual(name.utf8) { Self.lowered($0) == Self.lowered($1) } }?.value
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
