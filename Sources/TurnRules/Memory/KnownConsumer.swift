/// A consumer in the memory of an engine; confined to its writer.
package final class KnownConsumer {
    /// The conversation for its events that name none.
    package enum Active {
        /// Not looked up yet.
        case unknown
        /// A new conversation.
        case none
        /// This conversation.
        case conversation(String)
    }

    /// Its number in the store.
    package let key: Int64
    /// Its id within its brand.
    package let name: BrandedName
    /// The sum over its conversations.
    package var unread: Int64
    /// The conversation for its events that name none.
    package var active: Active
    /// The names that lead to it since consumers were merged into it: ``TurnRows/mergedNames(of:)``.
    package var mergedNames: [String]
    /// Its most recently used conversations, so that an event costs one lookup and not two.
    package private(set) var conversations: [KnownConversation] = []
    /// Whether the turn has changed ``unread`` and not yet reported it.
    package var isChanged = false

    /// Creates a consumer as it is stored.
    ///
    /// - Parameters:
    ///   - key: Its number in the store.
    ///   - name: Its id within its brand.
    ///   - unread: The sum over its conversations.
    ///   - mergedNames: The names that lead to it.
    package init(key: Int64, name: BrandedName, unread: Int64, mergedNames: [String] = []) {
        self.key = key
        self.name = name
        self.unread = unread
        self.mergedNames = mergedNames
        active = .unknown
    }

    /// Its approximate memory: itself, its entry in the cache, its conversations, and the names that lead to it.
    package var bytes: Int {
        300 + name.id.utf8.count + conversations.reduce(0) { $0 + $1.bytes }
            + mergedNames.reduce(0) { $0 + 16 + $1.utf8.count }
    }

    /// The upper bound of the merged consumers whose events and messages are recognized as its own, the youngest: an
    /// app logs in again a few times while its ids are stored, and each costs every event a lookup.
    package static let mergedLimit = 20

    /// The number of remembered conversations.
    private static let conversationLimit = 8

    /// Forgets a removed conversation.
    ///
    /// - Parameter key: Its number in the store.
    package func forget(conversation key: Int64) {
        conversations.removeAll { $0.key == key }
        active = .unknown
    }

    /// Adds a conversation to the remembered ones.
    ///
    /// - Parameter conversation: One that is not remembered yet.
    package func remember(_ conversation: KnownConversation) {
        // One whose values wait to be stored must not be read again before they are.
        if conversations.count >= Self.conversationLimit,
            let oldest = conversations.firstIndex(where: { !$0.isChanged })
        {
            conversations.remove(at: oldest)
        }
        conversations.append(conversation)
    }
}
