extension SwitchboardClient {
    /// The result of a call; it is delivered once, on no particular thread.
    public typealias Completion<Value> = @Sendable (Result<Value, SwitchboardError>) -> Void

    /// Begins a session, as ``initialize(_:)``.
    ///
    /// - Parameters:
    ///   - authentication: The authentication method.
    ///   - completion: Takes the result.
    public nonisolated func initialize(
        _ authentication: Authentication,
        completion: @escaping Completion<Initialization>
    ) {
        run(completion) { client throws(SwitchboardError) in try await client.initialize(authentication) }
    }

    /// Gives a fresh credential, as ``reconnect(_:)``.
    ///
    /// - Parameters:
    ///   - parameters: The credential.
    ///   - completion: Takes the result.
    public nonisolated func reconnect(_ parameters: AuthenticationParameters, completion: @escaping Completion<Void>) {
        run(completion) { client throws(SwitchboardError) in try await client.reconnect(parameters) }
    }

    /// Registers the device, as ``registerPush(_:receives:authentication:)``.
    ///
    /// - Parameters:
    ///   - token: The push token.
    ///   - receives: The kinds of messages.
    ///   - authentication: The credential, if the session has none yet.
    ///   - completion: Takes the result.
    public nonisolated func registerPush(
        _ token: PushToken,
        receives: PushKinds = .all,
        authentication: AuthenticationParameters? = nil,
        completion: @escaping Completion<RegistrationResult>
    ) {
        run(completion) { client throws(SwitchboardError) in
            try await client.registerPush(token, receives: receives, authentication: authentication)
        }
    }

    /// Returns the unread count, as ``unreadCount(authentication:)``.
    ///
    /// - Parameters:
    ///   - authentication: The credential, if the session has none yet.
    ///   - completion: Takes the result.
    public nonisolated func getUnreadMessagesCount(
        authentication: AuthenticationParameters? = nil,
        completion: @escaping Completion<Int>
    ) {
        run(completion) { client throws(SwitchboardError) in
            try await client.unreadCount(authentication: authentication)
        }
    }

    /// Reports a tap, as ``setPushNotificationTapped(_:action:clearOthers:)``.
    ///
    /// - Parameters:
    ///   - messageID: The push message id.
    ///   - completion: Takes the result.
    public nonisolated func setPushNotificationTapped(
        _ messageID: String?,
        completion: @escaping Completion<TapResult?>
    ) {
        run(completion) { client throws(SwitchboardError) in try await client.setPushNotificationTapped(messageID) }
    }

    /// Handles a push, as ``handlePush(_:showNotification:)``.
    ///
    /// - Parameters:
    ///   - payload: The members of the push.
    ///   - showNotification: Whether to show it.
    ///   - completion: Takes the push, after the receipts were sent; nil if it is somebody else's.
    public nonisolated func handlePush(
        _ payload: PushPayload,
        showNotification: Bool,
        completion: @escaping @Sendable (PushMessage?) -> Void
    ) {
        // The completion ends this task.
        Task {
            let message = await handlePush(payload, showNotification: showNotification)
            await finishPendingWork()
            completion(message)
        }
    }

    /// Logs the consumer out, as ``logout(_:cause:isForced:)``.
    ///
    /// - Parameters:
    ///   - scope: The registrations that end.
    ///   - cause: The cause.
    ///   - isForced: Whether the wipe does not depend on the gateway.
    ///   - completion: Takes the result.
    public nonisolated func logout(
        _ scope: UnregisterScope = .all,
        cause: LogoutCause = .explicit,
        isForced: Bool = false,
        completion: @escaping Completion<Void>
    ) {
        run(completion) { client throws(SwitchboardError) in
            try await client.logout(scope, cause: cause, isForced: isForced)
        }
    }

    /// Requests an engagement, as ``getEngagement(entryPoints:identity:)``.
    ///
    /// - Parameters:
    ///   - entryPoints: The places of the app.
    ///   - identity: The consumer, if the session has no credential yet.
    ///   - completion: Takes the result.
    public nonisolated func getEngagement(
        entryPoints: [String],
        identity: AuthenticationParameters? = nil,
        completion: @escaping Completion<Engagement>
    ) {
        run(completion) { client throws(SwitchboardError) in
            try await client.getEngagement(entryPoints: entryPoints, identity: identity)
        }
    }

    /// Returns the parameters of PKCE, as ``getPkceParams(accountID:)``.
    ///
    /// - Parameters:
    ///   - accountID: The account, usually the brand.
    ///   - completion: Takes the result.
    public nonisolated func getPkceParams(accountID: String, completion: @escaping Completion<PkceParameters>) {
        run(completion) { client throws(SwitchboardError) in try await client.getPkceParams(accountID: accountID) }
    }

    /// Resolves a conversation, as ``resolveConversation(_:)``.
    ///
    /// - Parameters:
    ///   - conversationID: The conversation.
    ///   - completion: Takes the result.
    public nonisolated func resolveConversation(_ conversationID: String, completion: @escaping Completion<Void>) {
        run(completion) { client throws(SwitchboardError) in try await client.resolveConversation(conversationID) }
    }

    /// Fetches the app inbox, as ``fetchAppInbox()``.
    ///
    /// - Parameter completion: Takes the result.
    public nonisolated func fetchAppInbox(completion: @escaping Completion<[InboxItem]>) {
        run(completion) { client throws(SwitchboardError) in try await client.fetchAppInbox() }
    }

    /// Marks an inbox item as read, as ``markAppInboxRead(_:)``.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - completion: Takes the result.
    public nonisolated func markAppInboxRead(_ item: InboxItem, completion: @escaping Completion<Void>) {
        run(completion) { client throws(SwitchboardError) in try await client.markAppInboxRead(item) }
    }

    /// Returns the categories of consents, as ``consentCategories()``.
    ///
    /// - Parameter completion: Takes the result.
    public nonisolated func consentCategories(completion: @escaping Completion<[ConsentCategory]>) {
        run(completion) { client throws(SwitchboardError) in try await client.consentCategories() }
    }

    /// Continues as an anonymous consumer, as ``anonymize()``.
    ///
    /// - Parameter completion: Takes the result.
    public nonisolated func anonymize(completion: @escaping Completion<Void>) {
        run(completion) { client throws(SwitchboardError) in try await client.anonymize() }
    }

    /// Runs a call in a task that its completion ends.
    private nonisolated func run<Value: Sendable>(
        _ completion: @escaping Completion<Value>,
        _ body: @escaping @Sendable (SwitchboardClient) async throws(SwitchboardError) -> Value
    ) {
        Task {
            do throws(SwitchboardError) {
                completion(.success(try await body(self)))
            } catch {
                completion(.failure(error))
            }
        }
    }
}
