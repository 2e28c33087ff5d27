/// One header of a request, with its HPACK treatment.
///
/// Any thread.
package struct HTTP2Header: Sendable {
    /// How HPACK may represent the header (RFC 7541 section 6.2).
    package enum Indexing: Sendable {
        /// The header enters the dynamic table when nghttp2's rules allow it.
        ///
        /// nghttp2 keeps `:path`, `content-length` and very long values out by itself, and never indexes
        /// `authorization`.
        case incremental

        /// The header stays out of the dynamic table.
        ///
        /// nghttp2 cannot encode "without indexing" for one header, so it is sent as "never indexed": the same bytes
        /// and the same cost, but binding for intermediaries too.
        case withoutIndexing

        /// The header stays out of every table, also of intermediaries (RFC 7541 section 7.1.3): for secrets.
        case neverIndexed
    }

    /// The name.
    package var name: HTTP2HeaderName

    /// The value, UTF-8 without control characters; nghttp2 does not check it for us.
    package var value: String

    /// How HPACK may represent it.
    package var indexing: Indexing

    /// Pairs a name with a value.
    package init(name: HTTP2HeaderName, value: String, indexing: Indexing = .incremental) {
        self.name = name
        self.value = value
        self.indexing = indexing
    }
}
