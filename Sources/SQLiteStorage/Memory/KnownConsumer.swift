/// A consumer as the writer remembers it; confined to the writer.
final class KnownConsumer {
    /// Where its events without a conversation go.
    enum Active {
        /// Nobody has asked yet.
        case unknown
        /// To a new one.
        case none
        /// To this one.
        case conversation(String)
    }

    let key: Int64
    let name: BrandedName
    /// The sum over its conversations.
    var unread: Int64
    var active: Active
    /// Whether the turn has moved ``unread`` and not yet said so.
    var isChanged = false

    init(key: Int64, name: BrandedName, unread: Int64) {
        self.key = key
        self.name = name
        self.unread = unread
        active = .unknown
    }
}
