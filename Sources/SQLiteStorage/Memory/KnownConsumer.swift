/// A consumer in the writer's memory; confined to the writer.
final class KnownConsumer {
    /// The conversation for its events that name none.
    enum Active {
        /// Not looked up yet.
        case unknown
        /// A new conversation.
        case none
        /// This conversation.
        case conversation(String)
    }

    let key: Int64
    let name: BrandedName
    /// The sum over its conversations.
    var unread: Int64
    var active: Active
    /// Its most recently used conversations, so that an event costs one lookup and not two.
    private(set) var conversations: [KnownConversation] = []
    /// Whether the turn has changed ``unread`` and not yet reported it.
    var isChanged = false

    init(key: Int64, name: BrandedName, unread: Int64) {
        self.key = key
        self.name = name
        self.unread = unread
        active = .unknown
    }

    /// Its approximate memory: itself, its entry in the cache, and its conversations.
    var bytes: Int { 300 + name.id.utf8.count + conversations.reduce(0) { $0 + $1.bytes } }

    /// The number of remembered conversations.
    private static let conversationLimit = 8

    /// Forgets a removed conversation.
    func forget(conversation key: Int64) {
        conversations.removeAll { $0.key == key }
        active = .unknown
    }

    func remember(_ conversation: KnownConversation) {
        // One whose values wait to be stored must not be read again before they are.
        if conversations.count >= Self.conversationLimit,
            let oldest = conversations.firstIndex(where: { !$0.isChanged })
        {
            conversations.remove(at: oldest)
        }
        conversations.append(conversation)
    }
}
