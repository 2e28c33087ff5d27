/// One header field of a request to a provider.
package struct PushHeader: Sendable, Equatable {
    /// How HPACK may index the field (RFC 7541 section 6.2).
    package enum Indexing: Sendable, Equatable {
        /// In the dynamic table: the same for many requests.
        case incremental
        /// Not in the table: different for each request.
        case none
        /// Never indexed on any hop: secret (RFC 7541 section 7.1.3).
        case never
    }

    /// The name in lower case; a constant, so that no push allocates for it.
    package var name: StaticString
    /// The value: visible ASCII or UTF-8, without control characters.
    package var value: String
    /// How HPACK may index the field.
    package var indexing: Indexing

    /// Creates a field.
    package init(name: StaticString, value: String, indexing: Indexing) {
        self.name = name
        self.value = value
        self.indexing = indexing
    }

    /// Compares names by their text.
    ///
    /// - Parameters:
    ///   - lhs: The first field.
    ///   - rhs: The second field.
    /// - Returns: True when all three members are the same.
    package static func == (lhs: PushHeader, rhs: PushHeader) -> Bool {
        lhs.name.description == rhs.name.description && lhs.value == rhs.value && lhs.indexing == rhs.indexing
    }
}
