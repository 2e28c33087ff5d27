/// A conversation in the memory of an engine; confined to its writer.
///
/// Its values are the newest; they are stored when the turn is flushed.
package final class KnownConversation {
    /// Its number in the store.
    package let key: Int64
    /// Its id, which belongs to its consumer, and the number of its brand.
    package let name: BrandedName
    /// The number of its consumer.
    package let consumer: Int64
    /// The sequence of its newest message; 0 when it has none.
    package private(set) var lastSequence: Int64
    /// The sequence up to which it was read.
    package var readSequence: Int64
    /// The number of its messages that count as unread.
    package var unread: Int64
    /// The key of the newest message; ``append(_:isProactive:)`` says what it is when there is none.
    package var lastMessage: Int64
    /// The key of the newest message that is not proactive, where proactive ones came after it; otherwise 0 (R206).
    package private(set) var lastSpoken: Int64
    /// Whether it is closed: it was resolved, or has had proactive messages only.
    ///
    /// The next message of an agent or of the consumer opens it.
    package var isResolved: Bool
    private var storedRead: Int64
    private var storedSpoken: Int64
    private var storedResolved: Bool
    /// The newest message when the conversation was last stored as resolved: housekeeping looks at it only after that
    /// message's time.
    private var resolvedMessage: Int64
    /// Whether it is stored as one with unread messages, and so in their index.
    package var isIndexed: Bool
    /// Whether one of its values waits to be stored.
    package var isChanged = false

    /// A day, as the difference of two messages' keys, which hold times (RFC 9562 section 5.7).
    private static let restored: Int64 = 86_400_000 << 16

    /// Its approximate memory.
    package var bytes: Int { 160 + name.id.utf8.count }

    /// Creates a conversation as it is stored; without messages unless they are given.
    package init(
        key: Int64,
        name: BrandedName,
        consumer: Int64,
        lastSequence: Int64 = 0,
        readSequence: Int64 = 0,
        unread: Int64 = 0,
        lastMessage: Int64 = 0,
        lastSpoken: Int64 = 0,
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
        self.lastSpoken = lastSpoken
        self.isResolved = isResolved
        self.isIndexed = isIndexed
        storedRead = readSequence
        storedSpoken = lastSpoken
        storedResolved = isResolved
        resolvedMessage = lastMessage
    }

    /// Adds a message, and returns the key of the one before it, 0 for the first.
    ///
    /// A conversation without messages has the first half of its id as ``lastMessage``, which is no message's key, or
    /// that of its first message.
    ///
    /// - Parameters:
    ///   - message: The key of the message.
    ///   - isProactive: Whether it leaves the consumer's active conversation as it is.
    /// - Returns: The key of the message before it.
    package func append(_ message: Int64, isProactive: Bool = false) -> Int64 {
        let previous = lastSequence > 0 ? lastMessage : 0
        if !isProactive {
            lastSpoken = 0
        } else if !isResolved, lastSpoken == 0 {
            lastSpoken = lastMessage
        }
        lastSequence += 1
        lastMessage = message
        return previous
    }

    /// Whether more is to be stored than its counters.
    package var isToBeStored: Bool {
        readSequence != storedRead || isResolved != storedResolved || lastSpoken != storedSpoken
            || isResolved && lastMessage - resolvedMessage >= Self.restored
    }

    /// Records that the values were stored.
    package func noteStored() {
        (storedRead, storedSpoken) = (readSequence, lastSpoken)
        (storedResolved, resolvedMessage) = (isResolved, lastMessage)
    }
}
