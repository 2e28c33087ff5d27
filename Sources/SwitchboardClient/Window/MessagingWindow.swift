/// A messaging window of the app: messages arrive at once while it is open, and no push disturbs the consumer.
///
/// Read ``nextEvent()`` in one task until it returns nil. The window closes with ``close()``, with the end of that task,
/// with the last reference to it, and when the consumer logs out or another one logs in. Close it when the app goes to
/// the background, so that pushes come again.
public final class MessagingWindow: Sendable {
    private let client: SwitchboardClient
    private let number: Int
    private let queue: WindowEventQueue

    init(client: SwitchboardClient, number: Int, queue: WindowEventQueue) {
        self.client = client
        self.number = number
        self.queue = queue
    }

    deinit {
        let client = client
        let number = number
        // Nothing waits for this: the app has dropped the window.
        Task { await client.closeWindow(number) }
    }

    /// Returns the next event, in the order of the gateway.
    ///
    /// At most about 256 events wait; then the connection is not read until the app has caught up, and nothing is lost.
    ///
    /// - Returns: The event; nil after `closed`. If the task is cancelled, the window closes.
    public func nextEvent() async -> WindowEvent? {
        let event = await queue.next()
        if Task.isCancelled { await client.closeWindow(number) }
        return event
    }

    /// Writes a message to the agent.
    ///
    /// Messages keep their order. Over lost connections it is sent again until the gateway has responded, which stores
    /// it once.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - conversationID: The conversation.
    ///   - data: Data for the back-end.
    ///   - clientID: The id by which a repetition is recognized, 1 to 256 bytes; nil for a random one. Give one to be able
    ///     to send the same message again after the window has closed.
    /// - Returns: The response of the gateway.
    /// - Throws: `invalidRequest`, `notFound`, `conflict` or `gone` by the gateway, `cancelled` if the window closes first,
    ///   `sessionEnded` after a logout, `tooManyCalls` if 100 messages wait.
    @discardableResult
    public func send(
        _ text: String,
        conversationID: String,
        data: JSONValue? = nil,
        clientID: String? = nil
    ) async throws(SwitchboardError) -> SentMessage {
        let message = OutgoingMessage(
            clientID: clientID ?? RandomText.identifier(),
            conversationID: conversationID,
            text: text,
            data: data
        )
        return try await client.sendMessage(message, in: number)
    }

    /// Reports that the consumer types; call it as often as keys are pressed: it is sent once a second.
    ///
    /// - Parameter conversationID: The conversation.
    public func typing(conversationID: String) async { await client.typing(conversationID, in: number) }

    /// Reports that the app showed messages, if they are not acknowledged automatically.
    ///
    /// It is sent when the window is ready, and again in a later connection if the gateway has not confirmed it.
    ///
    /// - Parameters:
    ///   - conversationID: The conversation.
    ///   - sequence: The sequence of the last message that was shown.
    public func acknowledge(conversationID: String, upToSequence sequence: Int) async {
        await client.acknowledge(conversationID, upTo: sequence, in: number)
    }

    /// Closes the window and its connection at once; does nothing for a closed one.
    public func close() async { await client.closeWindow(number) }
}
