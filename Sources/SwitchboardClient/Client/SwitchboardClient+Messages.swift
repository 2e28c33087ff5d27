import Foundation

extension SwitchboardClient {
    /// Returns the number of agents' messages that the consumer has not read.
    ///
    /// Within ten seconds of a fetch the count is that of the fetch, or of a push since then.
    ///
    /// - Parameter authentication: The credential, if the session has none yet; recommended.
    /// - Returns: The count; 0 is a success.
    /// - Throws: The error after all repetitions; ``lastUnreadCount`` follows the rule of the platform then.
    public func unreadCount(
        authentication: AuthenticationParameters? = nil
    ) async throws(SwitchboardError) -> Int {
        let epoch = try session.admit()
        try adoptIfNeeded(authentication)
        if let count = unread.cached(at: clock.uptime) { return count }
        let changes = unread.changes
        do {
            let routes = routes
            let count = try await call(
                configuration.retry.unread,
                { _ in routes.unread() },
                read: { value throws(SwitchboardError) in
                    try value.required("unread") { $0.integerValue.flatMap { $0 >= 0 ? $0 : nil } }
                }
            )
            let before = unread.count
            unread.fetched(count, changesBefore: changes, at: clock.uptime)
            // Another consumer may be logged in after the wait below.
            let result = unread.count ?? count
            await countChanged(from: before)
            return result
        } catch {
            guard error.isRetryable, session.isCurrent(epoch) else { throw error }
            let before = unread.count
            unread.failed(configuration.profile)
            await countChanged(from: before)
            throw error
        }
    }

    /// The unread count that the app shows now: of the last fetch, push or read mark; nil if none was known yet.
    public var lastUnreadCount: Int? { unread.count }

    /// Sets a count that a push named.
    func setUnread(_ count: Int) {
        let before = unread.count
        unread.pushed(count)
        user?.unread = count
        if before != count { emit(.unreadChanged(count)) }
    }

    /// Stores and reports a count that has changed.
    private func countChanged(from before: Int?) async {
        guard let count = unread.count, count != before else { return }
        user?.unread = count
        save()
        emit(.unreadChanged(count))
        await presenter?.setBadge(count)
    }

    /// Reports that the app showed messages: the window is open and they were downloaded.
    ///
    /// - Parameters:
    ///   - conversationID: The conversation.
    ///   - sequence: The sequence of the last message that was shown; pushes up to it are not shown any more.
    /// - Returns: The unread count after it.
    /// - Throws: The error after all repetitions.
    @discardableResult
    public func markRead(conversationID: String, upToSequence sequence: Int) async throws(SwitchboardError) -> Int {
        let routes = routes
        let count = try await call(
            configuration.retry.messages,
            { _ in routes.markRead(conversation: conversationID, upTo: sequence) },
            read: { value throws(SwitchboardError) in try value.required("unread", \.integerValue) }
        )
        let mark = PushMessage.ReadMark(conversationID: conversationID, upToSequence: sequence)
        user?.ledger.note(mark)
        setUnread(count)
        save()
        let owner = owner
        await presenter?.withdraw(PushWithdrawal(marks: [mark], unread: count))
        if owner == self.owner { await presenter?.setBadge(count) }
        return count
    }

    /// Returns messages of the consumer in order; reading them changes no count.
    ///
    /// - Parameters:
    ///   - conversationID: The conversation; nil for all.
    ///   - sequence: Only messages after this one, within the conversation.
    ///   - limit: 1 to 500.
    /// - Returns: The messages.
    /// - Throws: The error after all repetitions.
    public func messages(
        conversationID: String? = nil,
        afterSequence sequence: Int? = nil,
        limit: Int = 50
    ) async throws(SwitchboardError) -> [GatewayMessage] {
        let routes = routes
        return try await call(
            configuration.retry.messages,
            { _ in routes.messages(conversation: conversationID, after: sequence, limit: limit) },
            read: Self.items
        )
    }

    /// Returns the pending proactive messages, newest first.
    ///
    /// - Parameter limit: 1 to 500.
    /// - Returns: The messages.
    /// - Throws: The error after all repetitions.
    public func pendingProactiveMessages(limit: Int = 50) async throws(SwitchboardError) -> [GatewayMessage] {
        let routes = routes
        return try await call(configuration.retry.messages, { _ in routes.proactive(limit: limit) }, read: Self.items)
    }

    /// Resolves a conversation for the consumer.
    ///
    /// - Parameter conversationID: The conversation.
    /// - Throws: `conflict` if it is not active, which changes nothing; others after all repetitions.
    public func resolveConversation(_ conversationID: String) async throws(SwitchboardError) {
        let routes = routes
        try await call(
            configuration.retry.messages,
            { _ in routes.resolve(conversation: conversationID) },
            read: { _ throws(SwitchboardError) in }
        )
    }

    private static func items(_ value: JSONValue) throws(SwitchboardError) -> [GatewayMessage] {
        try value.required("items") { $0.elements }.compactMap { GatewayMessage($0) }
    }
}
