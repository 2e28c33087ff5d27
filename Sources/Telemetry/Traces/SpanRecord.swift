import Tracing

/// A span that has ended.
package struct SpanRecord: Sendable {
    let identity: SpanIdentity
    /// The parent; nil for the first span of a trace.
    let parent: SpanIdentity?
    let kind: SpanKind
    var name: String
    /// In nanoseconds since 1970.
    let start: UInt64
    var end: UInt64
    var attributes = SpanAttributes()
    var isError = false
    /// The brand, for its share of the queue; empty for none.
    var owner = ""

    init(
        _ identity: SpanIdentity,
        of parent: SpanIdentity?,
        _ kind: SpanKind,
        _ name: String,
        from start: UInt64,
        to end: UInt64
    ) {
        self.identity = identity
        self.parent = parent
        self.kind = kind
        self.name = name
        self.start = start
        self.end = end
    }
}
