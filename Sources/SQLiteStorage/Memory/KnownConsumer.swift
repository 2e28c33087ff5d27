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
    /// The newest value; stored when the turn is flushed.
    var unread: Int64
    var active: Active
    /// Whether ``unread`` waits to be stored.
    var isChanged = false

    init(key: Int64, name: BrandedName, unread: Int64) {
        self.key = key
        self.name = name
        self.unread = unread
        active = .unknown
    }
}
