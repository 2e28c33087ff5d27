/// A conversation in the writer's memory; confined to the writer.
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
    /// The stored sequence: later messages are counted from it.
    private var storedSequence: Int64
    private var storedRead: Int64
    private var storedResolved: Bool
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
        isIndexed: Bool = false,
        storedSequence: Int64 = 0
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
        self.storedSequence = storedSequence
        storedRead = readSequence
        storedResolved = isResolved
    }

    /// The number of messages that may be counted from the stored values: a read of the count visits no more of the
    /// index.
    private static let countedOn: Int64 = 32

    /// Whether the values are to be stored, because of a change other than messages, or because of many messages.
    var isToBeStored: Bool {
        readSequence != storedRead || isResolved != storedResolved || lastSequence - storedSequence >= Self.countedOn
    }

    /// Records that the values were stored.
    func noteStored() {
        (storedSequence, storedRead, storedResolved) = (lastSequence, readSequence, isResolved)
    }
}
