/// A conversation as the writer remembers it; confined to the writer.
final class KnownConversation {
    let key: Int64
    let name: BrandedName
    let consumer: Int64
    // The newest values; stored when the turn is flushed.
    var lastSequence: Int64
    var readSequence: Int64
    var unread: Int64
    var lastMessage: Int64
    var isResolved: Bool
    /// Whether it is stored as one with something unread, and so in their index.
    var isIndexed: Bool
    /// Whether one of them waits to be stored.
    var isChanged = false

    /// What it takes in memory, about.
    var bytes: Int { 160 + name.id.utf8.count }

    init(
        key: Int64,
        name: BrandedName,
        consumer: Int64,
        lastSequence: Int64 = 0,
        readSequence: Int64 = 0,
        unread: Int64 = 0,
        lastMessage: Int64 = 0,
        isResolved: Bool = false,
        isIndexed: Bool = false
    ) {
        self.key = key
        self.name = name
        self.consumer = consumer
        self.lastSequence = lastSequence
        self.readSequence = readSequence
        self.unread = unread
        self.lastMessage = lastMessage
        self.isResolved = isResolved
        self.isIndexed = isIndexed
    }
}
