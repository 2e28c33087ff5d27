package import NIOCore
internal import Synchronization

/// A handle for one connection of a server, to send responses and to simulate errors.
///
/// Any thread; calls take effect in order.
package final class HTTP2ServerConnection: Sendable {
    /// A command to a connection.
    enum Command: Sendable {
        case respond(stream: Int32, HTTP2ServerResponse)
        case reset(stream: Int32, HTTP2ErrorCode)
        case goAway(lastStreamID: Int32?, HTTP2ErrorCode, debugData: [UInt8])
        case maxConcurrentStreams(UInt32)
        case close
        case abort
        case truncate(stream: Int32, HTTP2ServerResponse)
        case mute
        case dribble(TimeAmount)
    }

    private struct Pending {
        var commands: [Command] = []
        /// Whether the handler will run the commands anyway.
        var isAwaited = false
        var isOver = false
    }

    /// The number of the connection within a server, from 1.
    package let id: UInt64

    private let eventLoop: any EventLoop
    private let handler: NIOLoopBoundBox<ServerConnectionHandler?>
    private let pending = Mutex(Pending())

    init(id: UInt64, eventLoop: any EventLoop) {
        self.id = id
        self.eventLoop = eventLoop
        handler = NIOLoopBoundBox.makeEmptyBox(eventLoop: eventLoop)
    }

    /// Sends responses on many streams at once: one lock and one hop to the event loop for all.
    ///
    /// - Parameter responses: Stream ids with their responses.
    package func respond(_ responses: [(stream: Int32, response: HTTP2ServerResponse)]) {
        enqueue { commands in
            for (stream, response) in responses { commands.append(.respond(stream: stream, response)) }
        }
    }

    /// Changes MAX_CONCURRENT_STREAMS.
    package func setMaxConcurrentStreams(_ limit: UInt32) {
        perform(.maxConcurrentStreams(limit))
    }

    /// Sends GOAWAY.
    ///
    /// Streams above the last stream id are dropped; the connection ends when no stream is open.
    ///
    /// - Parameters:
    ///   - lastStreamID: `nil` for the highest processed one.
    ///   - code: The error code.
    ///   - debugData: Any bytes, for example APNs' `{"reason":"Shutdown"}`.
    package func goAway(
        lastStreamID: Int32? = nil,
        code: HTTP2ErrorCode = .noError,
        debugData: [UInt8] = []
    ) {
        perform(.goAway(lastStreamID: lastStreamID, code, debugData: debugData))
    }

    /// Closes the connection gracefully but at once: GOAWAY, close_notify, FIN.
    package func close() {
        perform(.close)
    }

    /// Resets the TCP connection.
    package func abort() {
        perform(.abort)
    }

    /// Sends the first half of a response's bytes and closes TCP, without close_notify.
    package func truncate(stream: Int32, _ response: HTTP2ServerResponse) {
        perform(.truncate(stream: stream, response))
    }

    /// Neither reads nor writes from now on, and keeps the connection open, like a peer that vanished.
    package func mute() {
        perform(.mute)
    }

    /// Sends a byte at a time from now on.
    ///
    /// - Parameter interval: The time between two bytes.
    package func dribble(every interval: TimeAmount) {
        perform(.dribble(interval))
    }

    // MARK: - Commands between threads and the loop

    func perform(_ command: Command) {
        enqueue { commands in commands.append(command) }
    }

    private func enqueue(_ add: (inout [Command]) -> Void) {
        let mustHop = pending.withLock { pending in
            guard !pending.isOver else { return false }
            add(&pending.commands)
            defer { pending.isAwaited = true }
            return !pending.isAwaited
        }
        guard mustHop else { return }
        eventLoop.execute { [handler] in handler.value?.runCommands() }
    }

    func attach(_ handler: ServerConnectionHandler) {
        self.handler.value = handler
    }

    /// Detaches the handler; later commands are ignored.
    func detach() {
        handler.value = nil
        pending.withLock { pending in
            pending.isOver = true
            pending.commands = []
        }
    }

    /// Announces that the handler will run commands after it has called the application: no hop is needed.
    func expectCommands() {
        pending.withLock { $0.isAwaited = true }
    }

    func takeCommands(into commands: inout [Command]) {
        pending.withLock { pending in
            pending.isAwaited = false
            swap(&commands, &pending.commands)
        }
    }
}
