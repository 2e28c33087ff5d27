/// The state machine of one messaging window on the device: inputs, calls and time go in, actions come out.
///
/// It has no clock, IO or tasks; the client executes the actions in their order. Messages are reported once, whatever
/// connections there were. An acknowledgement is sent only while the window is ready (R96). A message of the consumer is
/// sent again in the next connection until the gateway has responded, one after the other so that they keep their order.
struct WindowMachine: Sendable {
    /// The phase of the window.
    enum Phase: Sendable, Equatable {
        /// Nothing was opened yet.
        case idle
        /// The connection with the number ``WindowMachine/connection`` is being opened.
        case connecting
        /// It is open, and `ready` is awaited until then.
        case connected(until: Duration)
        /// `ready` has come, and `resume` was sent.
        case open
        /// The next connection is opened at that uptime.
        case waiting(until: Duration)
        /// The credential was rejected: another one is awaited.
        case needsCredential
        /// The window has ended.
        case closed
    }

    /// An effect that the client executes.
    enum Action: Sendable, Equatable {
        /// Open the connection with this number.
        case connect(Int)
        /// Send on the connection.
        case send(WindowClientFrame)
        /// Send a ping on the connection with this number.
        case ping(Int)
        /// Close the connection.
        case disconnect
        /// Obtain a token before the one of the connection expires.
        case renewToken
        /// Drop the token; if allowed, continue with a fresh one that needs nothing of the app.
        case rejectToken(SwitchboardError, mayRenew: Bool)
        /// The gateway has ended the session.
        case endSession
        /// Report to the app.
        case emit(WindowEvent)
        /// The gateway named the unread count.
        case unread(Int)
        /// The gateway named a read mark with the count after it.
        case read(conversationID: String, upToSequence: Int, unread: Int)
        /// The message of a call is stored.
        case sent(clientID: String, SentMessage)
        /// The message of a call failed.
        case failed(clientID: String, SwitchboardError)
    }

    /// The most messages of the consumer that wait; more fail at once.
    static let maxOutgoing = 100
    /// The most ids of own messages that are remembered.
    static let maxOwn = 100
    /// The longest wait for `ready`.
    static let readyTimeout = Duration.seconds(30)
    /// The time without a message after which a download counts as complete: the last messages of a conversation may
    /// have been removed.
    static let quietTime = Duration.seconds(2)
    /// The time after that in which late messages are still awaited.
    static let settleTime = Duration.seconds(10)
    /// The time without an input after which a ping is sent.
    static let pingInterval = Duration.seconds(25)
    /// The longest wait for a pong.
    static let pongTimeout = Duration.seconds(10)
    /// The time for which a connection must have been ready to begin the waits from the first one again.
    static let steadyTime = Duration.seconds(10)

    /// A message of the consumer that the gateway has not confirmed.
    private struct Outgoing: Sendable {
        var message: OutgoingMessage
        var retries: RetrySchedule
        /// The uptime before which it is not sent again.
        var notBefore = Duration.zero
        var isInFlight = false
    }

    private let policy: RetryPolicy
    private let sendPolicy: RetryPolicy
    private let acknowledgesAutomatically: Bool

    private(set) var phase = Phase.idle
    /// The number of the last connection; inputs of earlier ones are ignored.
    private(set) var connection = 0
    /// Whether everything is downloaded in the present connection.
    private(set) var isReady = false
    private var wasReady = false
    private var state: WindowState?
    private var positions: WindowPositions
    private var outgoing: [Outgoing] = []
    /// The ids of stored messages of this window, which a later connection may send.
    private var own: [String] = []
    private var failures = 0
    /// Whether a token was renewed since the window was last ready.
    private var hasRenewed = false
    private var readyAt = Duration.zero
    private var lastInput = Duration.zero
    private var pongUntil: Duration?
    /// The end of the wait for requested messages.
    private var quietUntil: Duration?
    private var settleAt: Duration?
    private var lastTyping: (conversationID: String, at: Duration)?
    private var pace = WindowPace()
    private var actions: [Action] = []

    /// Creates a machine; ``open()`` starts it.
    ///
    /// - Parameters:
    ///   - options: The options of the app.
    ///   - policy: The waits before a new connection; the last one repeats. Without any the first loss is final.
    ///   - sendPolicy: The repetitions of a message that the gateway cannot take now.
    init(_ options: WindowOptions, policy: RetryPolicy, sendPolicy: RetryPolicy) {
        self.policy = policy
        self.sendPolicy = sendPolicy
        acknowledgesAutomatically = options.acknowledgesAutomatically
        positions = WindowPositions(stored: options.afterSequences)
    }

    private var isConnected: Bool {
        switch phase {
        case .connected, .open: true
        case .idle, .connecting, .waiting, .needsCredential, .closed: false
        }
    }

    // MARK: The connection

    /// Opens the window.
    mutating func open() -> [Action] {
        guard phase == .idle else { return [] }
        report(.opening)
        connect()
        return take()
    }

    /// A connection is open.
    mutating func connected(_ number: Int, at now: Duration) -> [Action] {
        guard number == connection, phase == .connecting else { return [] }
        phase = .connected(until: now + Self.readyTimeout)
        lastInput = now
        return take()
    }

    /// A connection could not be opened.
    ///
    /// - Parameters:
    ///   - error: The error of the token or of the connection.
    ///   - number: The connection.
    ///   - now: The uptime.
    ///   - spread: A random number from 0 to 1, by which devices do not return all at once.
    /// - Returns: The actions.
    mutating func connectFailed(
        _ error: SwitchboardError,
        _ number: Int,
        at now: Duration,
        spread: Double
    ) -> [Action] {
        guard number == connection, phase == .connecting else { return [] }
        switch error.code {
        case .tokenExpired, .authenticationFailed:
            // The app was asked for another credential already.
            phase = .needsCredential
            report(wasReady ? .reconnecting : .opening)
        case .sessionEnded, .cancelled: retry(error, now, spread)
        default: if error.isRetryable { retry(error, now, spread) } else { finish(error) }
        }
        return take()
    }

    /// A connection ended without a close frame.
    mutating func lost(_ number: Int, at now: Duration, spread: Double) -> [Action] {
        guard number == connection, isConnected else { return [] }
        retry(Self.lostConnection, now, spread)
        return take()
    }

    /// A connection had an input.
    mutating func received(_ input: WindowInput, _ number: Int, at now: Duration, spread: Double) -> [Action] {
        guard number == connection, isConnected else { return [] }
        noteInput(now)
        switch input {
        case .closed(let code, let reason): closed(code, reason, now, spread)
        case .text(let text):
            if let frame = WindowServerFrame(text) {
                handle(frame, now)
            } else {
                // Not of the gateway; a proxy in between, perhaps.
                retry(Self.lostConnection, now, spread)
            }
        }
        flush(now)
        return take()
    }

    /// A ping was answered.
    mutating func receivedPong(_ number: Int, at now: Duration) -> [Action] {
        guard number == connection, isConnected else { return [] }
        noteInput(now)
        return []
    }

    private mutating func noteInput(_ now: Duration) {
        lastInput = now
        pongUntil = nil
    }

    private static let lostConnection = SwitchboardError(.connectivity, "the connection of the window was lost")

    private mutating func closed(_ code: Int?, _ text: String, _ now: Duration, _ spread: Double) {
        let parts = text.split(separator: ":", maxSplits: 1)
        let name = parts.first.map(String.init) ?? ""
        let detail = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
        switch code ?? 1005 {
        case 4401, 4407:
            // The text tells a missing token from an expired one; the remedy is the same (trap 4).
            rejectToken(SwitchboardError(.tokenExpired, "the gateway closed the window", reason: name))
        case 4403 where name.utf8.elementsEqual("forbidden".utf8):
            finish(SwitchboardError(.forbidden, "the window is another consumer's or device's"))
        case 4403:
            let reason = detail.isEmpty ? name : String(detail)
            rejectToken(SwitchboardError(.authenticationFailed, "the gateway closed the window", reason: reason))
        case 4409:
            drop()
            phase = .needsCredential
            actions.append(.endSession)
        case 1002, 1009, 4400:
            // The message in flight is what the gateway cannot take; it must not come again.
            failFirst(SwitchboardError(.invalidRequest, "the gateway does not accept the message", reason: name))
            retry(Self.lostConnection, now, spread)
        default: retry(SwitchboardError(.overloaded, "the gateway closed the window", reason: name), now, spread)
        }
    }

    private mutating func rejectToken(_ error: SwitchboardError) {
        drop()
        phase = .needsCredential
        report(wasReady ? .reconnecting : .opening)
        let mayRenew = error.code == .tokenExpired && !hasRenewed
        hasRenewed = true
        actions.append(.rejectToken(error, mayRenew: mayRenew))
    }

    /// There is another credential, or another token: the window connects at once if it waited for one.
    ///
    /// - Parameter isFresh: Whether the app gave the credential.
    /// - Returns: The actions.
    mutating func credentialReplaced(isFresh: Bool) -> [Action] {
        if isFresh { hasRenewed = false }
        guard phase == .needsCredential else { return [] }
        connect()
        return take()
    }

    /// There is a later token of the same consumer.
    mutating func renewed(_ token: String) -> [Action] {
        guard phase == .open else { return [] }
        send(.reauthenticate(token: token))
        return take()
    }

    private mutating func connect() {
        connection += 1
        phase = .connecting
        actions.append(.connect(connection))
    }

    /// Ends the connection, and forgets what belongs to it.
    private mutating func drop() {
        if isConnected { actions.append(.disconnect) }
        isReady = false
        pongUntil = nil
        quietUntil = nil
        settleAt = nil
        for index in outgoing.indices { outgoing[index].isInFlight = false }
    }

    private mutating func retry(_ error: SwitchboardError, _ now: Duration, _ spread: Double) {
        guard let last = policy.delays.last else { return finish(error) }
        if isReady, now - readyAt >= Self.steadyTime { failures = 0 }
        drop()
        let delay = failures < policy.delays.count ? policy.delays[failures] : last
        failures += 1
        phase = .waiting(until: now + delay * (1 + min(max(spread, 0), 1) / 2))
        report(wasReady ? .reconnecting : .opening)
    }

    /// Closes the window at once (R99).
    ///
    /// - Parameter error: The error of the calls that wait and of the last event; nil if the app closes it.
    /// - Returns: The actions.
    mutating func close(_ error: SwitchboardError?) -> [Action] {
        guard phase != .closed else { return [] }
        // The app has shown these messages, and the next connection may be far away.
        if phase == .open, isReady {
            while let acknowledgement = positions.takeAcknowledgement(), pace.take(at: lastInput) {
                send(acknowledgement)
            }
        }
        finish(error)
        return take()
    }

    private mutating func finish(_ error: SwitchboardError?) {
        drop()
        phase = .closed
        let reason = error ?? SwitchboardError(.cancelled, "the window was closed before the gateway responded")
        for each in outgoing { actions.append(.failed(clientID: each.message.clientID, reason)) }
        outgoing = []
        actions.append(.emit(.closed(error)))
    }

    // MARK: Frames of the gateway

    private mutating func handle(_ frame: WindowServerFrame, _ now: Duration) {
        switch frame {
        case .ready(let unread, let conversations, let hasMore):
            guard phase != .open else { return }
            phase = .open
            send(.resume(positions.begin(conversations, hasMore: hasMore)))
            actions.append(.unread(unread))
            quietUntil = now + Self.quietTime
            becomeReadyIfDownloaded(now)
        case .message(let message): handle(message, now)
        case .read(let conversation, let upTo, let unread):
            positions.confirmed(conversation, upTo: upTo)
            actions.append(.read(conversationID: conversation, upToSequence: upTo, unread: unread))
            emit(.read(conversationID: conversation, upToSequence: upTo, unread: unread))
        case .resolved(let conversation, let byConsumer):
            emit(.resolved(conversationID: conversation, byConsumer: byConsumer))
        case .typing(let conversation, let byConsumer):
            emit(.typing(conversationID: conversation, byConsumer: byConsumer))
        case .sent(let clientID, let stored): confirm(clientID, stored)
        case .error(let error, let ref): handle(error, ref, now)
        case .tokenExpiring: actions.append(.renewToken)
        case .unknown: break
        }
    }

    private mutating func handle(_ message: GatewayMessage, _ now: Duration) {
        guard let conversation = message.conversationID, let sequence = message.sequence else {
            return emit(.message(message))
        }
        let isNew = positions.received(conversation, sequence)
        if isNew, !own.contains(where: { $0.utf8.elementsEqual(message.id.utf8) }) { emit(.message(message)) }
        if settleAt != nil { settleAt = now + Self.settleTime }
        if isReady {
            if acknowledgesAutomatically { positions.showReceived(conversation) }
        } else {
            quietUntil = now + Self.quietTime
            becomeReadyIfDownloaded(now)
        }
    }

    private mutating func becomeReadyIfDownloaded(_ now: Duration) {
        guard positions.isDownloaded else { return }
        becomeReady(now)
    }

    private mutating func becomeReady(_ now: Duration) {
        quietUntil = nil
        isReady = true
        wasReady = true
        hasRenewed = false
        readyAt = now
        if acknowledgesAutomatically { positions.showAll() }
        report(.ready)
    }

    private mutating func handle(_ error: SwitchboardError, _ ref: String?, _ now: Duration) {
        let ref = ref ?? ""
        if let first = outgoing.first, first.isInFlight,
            ref.utf8.elementsEqual(first.message.clientID.utf8) || ref.utf8.elementsEqual("send".utf8)
        {
            switch outgoing[0].retries.failed(error) {
            case .wait(let delay):
                outgoing[0].isInFlight = false
                outgoing[0].notBefore = now + delay
            case .fail: failFirst(error)
            }
        } else if !ref.utf8.elementsEqual("resume".utf8) {
            // A conversation that is not there any more has no messages to wait for.
            emit(.error(error))
        }
    }

    // MARK: Messages of the consumer

    /// Sends a message, after those before it.
    mutating func send(_ message: OutgoingMessage, at now: Duration) -> [Action] {
        guard phase != .closed, phase != .idle else {
            return [.failed(clientID: message.clientID, SwitchboardError(.cancelled, "the window is closed"))]
        }
        guard outgoing.count < Self.maxOutgoing else {
            let error = SwitchboardError(.tooManyCalls, "too many messages wait for the gateway")
            return [.failed(clientID: message.clientID, error)]
        }
        outgoing.append(Outgoing(message: message, retries: RetrySchedule(sendPolicy)))
        flush(now)
        return take()
    }

    /// The caller of a message no longer waits; what was sent may be stored.
    mutating func cancelSend(_ clientID: String) {
        outgoing.removeAll { !$0.isInFlight && $0.message.clientID.utf8.elementsEqual(clientID.utf8) }
    }

    private mutating func confirm(_ clientID: String, _ stored: SentMessage) {
        // One that a lost connection has sent may be confirmed by the repetition only: the gateway stores it once.
        guard let first = outgoing.first, first.isInFlight,
            first.message.clientID.utf8.elementsEqual(clientID.utf8)
        else { return }
        outgoing.removeFirst()
        own.append(stored.messageID)
        if own.count > Self.maxOwn { own.removeFirst() }
        positions.wrote(first.message.conversationID, stored.sequence)
        actions.append(.sent(clientID: clientID, stored))
    }

    private mutating func failFirst(_ error: SwitchboardError) {
        guard let first = outgoing.first, first.isInFlight else { return }
        outgoing.removeFirst()
        actions.append(.failed(clientID: first.message.clientID, error))
    }

    /// The consumer types: sent at most once a second, and only over an open connection.
    mutating func typing(_ conversationID: String, at now: Duration) -> [Action] {
        guard phase == .open else { return [] }
        if let last = lastTyping, last.conversationID.utf8.elementsEqual(conversationID.utf8),
            now - last.at < .seconds(1)
        {
            return []
        }
        guard pace.take(at: now) else { return [] }
        lastTyping = (conversationID, now)
        send(.typing(conversationID: conversationID))
        return take()
    }

    /// The app showed messages; the acknowledgement waits until the window is ready.
    mutating func acknowledge(_ conversationID: String, upTo sequence: Int, at now: Duration) -> [Action] {
        guard phase != .closed else { return [] }
        positions.show(conversationID, upTo: sequence)
        flush(now)
        return take()
    }

    private mutating func flush(_ now: Duration) {
        guard phase == .open else { return }
        while isReady, positions.hasAcknowledgement, pace.availableAt <= now {
            guard let acknowledgement = positions.takeAcknowledgement(), pace.take(at: now) else { break }
            send(acknowledgement)
        }
        if let first = outgoing.first, !first.isInFlight, first.notBefore <= now, pace.take(at: now) {
            outgoing[0].isInFlight = true
            send(.send(first.message))
        }
    }

    // MARK: Time

    /// The uptime at which ``timePassed(at:spread:)`` has something to do; nil for none.
    var nextDeadline: Duration? {
        switch phase {
        case .idle, .connecting, .needsCredential, .closed: return nil
        case .waiting(let until), .connected(let until): return until
        case .open:
            var next = pongUntil ?? lastInput + Self.pingInterval
            if let quietUntil { next = min(next, quietUntil) }
            if let settleAt { next = min(next, settleAt) }
            if isReady, positions.hasAcknowledgement { next = min(next, pace.availableAt) }
            if let first = outgoing.first, !first.isInFlight {
                next = min(next, max(first.notBefore, pace.availableAt))
            }
            return next
        }
    }

    /// The time of a deadline has come.
    mutating func timePassed(at now: Duration, spread: Double) -> [Action] {
        switch phase {
        case .idle, .connecting, .needsCredential, .closed: return []
        case .waiting(let until): if now >= until { connect() }
        case .connected(let until): if now >= until { retry(Self.lostConnection, now, spread) }
        case .open:
            if let pongUntil, now >= pongUntil {
                retry(Self.lostConnection, now, spread)
                break
            }
            if pongUntil == nil, now - lastInput >= Self.pingInterval {
                pongUntil = now + Self.pongTimeout
                actions.append(.ping(connection))
            }
            if let quietUntil, now >= quietUntil {
                becomeReady(now)
                settleAt = now + Self.settleTime
            }
            if let settleAt, now >= settleAt {
                self.settleAt = nil
                positions.settle()
            }
            flush(now)
        }
        return take()
    }

    // MARK: Actions

    private mutating func send(_ frame: WindowClientFrame) { actions.append(.send(frame)) }

    private mutating func emit(_ event: WindowEvent) { actions.append(.emit(event)) }

    private mutating func report(_ state: WindowState) {
        guard self.state != state else { return }
        self.state = state
        emit(.stateChanged(state))
    }

    private mutating func take() -> [Action] {
        defer { actions = [] }
        return actions
    }
}
