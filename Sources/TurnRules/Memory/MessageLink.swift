/// A stored message, as far as the rules read it when they walk through a conversation.
package struct MessageLink: Sendable {
    /// The first half of its id.
    package let key: Int64
    /// The second half of its id.
    package let low: Int64
    /// Its sequence within the conversation, from 1.
    package let sequence: Int64
    /// Whether it counts as unread until it is read.
    package let countsAsUnread: Bool
    /// The stored form of its ``GatewayModel/MessageKind``.
    package let kind: String
    /// The back-end's own sequence number.
    package let sourceSequence: Int64?
    /// Whether its push shows nothing.
    package let isSilent: Bool
    /// The collapse key of its pushes.
    package let collapseKey: String?
    /// The key of the message before it, which may be removed; 0 when it is the first.
    package let previous: Int64

    /// Creates a link from its stored values.
    package init(
        key: Int64,
        low: Int64,
        sequence: Int64,
        countsAsUnread: Bool,
        kind: String,
        sourceSequence: Int64?,
        isSilent: Bool,
        collapseKey: String?,
        previous: Int64
    ) {
        self.key = key
        self.low = low
        self.sequence = sequence
        self.countsAsUnread = countsAsUnread
        self.kind = kind
        self.sourceSequence = sourceSequence
        self.isSilent = isSilent
        self.collapseKey = collapseKey
        self.previous = previous
    }
}
