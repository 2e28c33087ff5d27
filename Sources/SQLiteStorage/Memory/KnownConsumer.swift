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
    /// Those of its conversations that were used last, so that an event costs one look-up and not two.
    private(set) var conversations: [KnownConversation] = []
    /// Whether the turn has moved ``unread`` and not yet said so.
    var isChanged = false

    init(key: Int64, name: BrandedName, unread: Int64) {
        self.key = key
        self.name = name
        self.unread = unread
        active = .unknown
    }

    /// What it takes in memory, about: itself, its place among the others, and its conversations.
    var bytes: Int { 300 + name.id.utf8.count + conversations.reduce(0) { $0 + $1.bytes } }

    /// How many conversations are remembered.
    private static let conversationLimit = 8

    /// A conversation is no more.
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
