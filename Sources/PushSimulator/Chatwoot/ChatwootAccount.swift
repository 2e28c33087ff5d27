/// An account of the simulated Chatwoot.
package struct ChatwootAccount: Sendable {
    /// The number.
    package var id: Int64
    /// The access token of its only user.
    package var token: String
    /// The numbers of its conversations, all of an inbox of the type API.
    package var conversations: Set<Int64>

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - id: The number.
    ///   - token: The access token of its only user.
    ///   - conversations: The numbers of its conversations.
    package init(id: Int64, token: String, conversations: Set<Int64>) {
        self.id = id
        self.token = token
        self.conversations = conversations
    }

    /// Parses accounts in the form of the control port: an array of `{"accountId","token","conversations"}`.
    ///
    /// - Parameter text: UTF-8.
    /// - Returns: The accounts.
    /// - Throws: ``RuleError`` for anything unknown or missing.
    package static func parse(_ text: [UInt8]) throws(RuleError) -> [ChatwootAccount] {
        try RuleReader.list(text, of: "account") { reader throws(RuleError) in
            let (id, token) = (try reader.integer("accountId", in: 1...Int64.max), try reader.string("token"))
            let numbers = reader.take("conversations")?.elements?.map(\.integerValue)
            try reader.end()
            guard let id, let token, let numbers, !numbers.contains(nil) else {
                throw reader.error("needs accountId, token and numbers of conversations")
            }
            return ChatwootAccount(id: id, token: token, conversations: Set(numbers.compactMap(\.self)))
        }
    }
}
