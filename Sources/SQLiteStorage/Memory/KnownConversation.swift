/// A conversation in the writer's memory; confined to the writer.
final class KnownConversation {
    let key: Int64
    let name: BrandedName
    let consumer: Int64
    // The newest values; stored when the turn is flushed.
    private(set) var lastSequence: Int64
    var readSequence: Int64
    var unread: Int64
    /// The key of the newest message; the schema of `conversation_heads` says what it is when there is none.
    var lastMessage: Int64
    var isResolved: Bool
    private var storedRead: Int64
    private var storedResolved: Bool
    /// The newest message when the conversation was last stored as resolved.
    private var resolvedMessage: Int64
    /// Whether it is stored as one with unread messages, and so in their index.
    var isIndexed: Bool
    /// Whether one of them waits to be stored.
    var isChanged = false

    /// Its approximate memory.
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
        storedRead = readSequence
        storedResolved = isResolved
        resolvedMessage = lastMessage
    }

    /// Adds a message, which opens the conversation again, and returns the key of the one before it, 0 for the first.
    ///
    /// A conversation without messages has the first half of its id as ``lastMessage``, which is no message's key, or
    /// that of its first message.
    func append(_ message: Int64) -> Int64 {
        let previous = lastSequence > 0 ? lastMessage : 0
        lastSequence += 1
        lastMessage = message
        isResolved = false
        return previous
    }

    /// Whether more is to be stored than its counters.
    var isToBeStored: Bool {
        readSequence != storedRead || isResolved != storedResolved || isResolved && lastMessage != resolvedMessage
    }

    /// Records that the values were stored.
    func noteStored() { (storedRead, storedResolved, resolvedMessage) = (readSequence, isResolved, lastMessage) }
}
