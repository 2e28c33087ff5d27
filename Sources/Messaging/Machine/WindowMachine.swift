import GatewayModel
package import GatewayStorage
import Telemetry

/// The state machine of one window: frames, changes and time are its input, actions are its output.
///
/// It has no clock, IO or threads, and its owner synchronizes access. Messages of a conversation are sent in the order
/// of their sequences, each once. Changes are sent as they come, unless messages must be read from the store first
/// (`resume`), the socket is congested, or the client has not had time to send `resume`; then they wait in ``CatchUp``.
package struct WindowMachine: Sendable {
    enum Phase {
        /// The token is looked up and the unread counts are read.
        case opening
        case open
        /// A close frame was sent; the response to it is awaited until then.
        case closing(until: UInt64)
        case closed
    }

    let idleNanoseconds: UInt64
    let stallNanoseconds: UInt64
    var phase = Phase.opening
    /// The window's consumer and device, once they are known.
    package internal(set) var identity: WindowIdentity?
    private var actions: [WindowAction] = []
    private var running: WindowOperation?
    /// The operations to run, in this order; of a closed window only acknowledgements that came in time.
    private var waiting: [WindowOperation] = []
    private var hasLeft = false
    /// Frames that came before the window was open.
    private var early: [ClientFrame] = []
    private var catchUp: CatchUp?
    /// The sequences sent live before the first frame of the client.
    private var sentLive: [ConversationID: ClosedRange<Int64>] = [:]
    private var hasReceivedFrame = false
    /// The end of the wait of live messages for the first frame; nil when they do not wait.
    var graceUntil: UInt64?
    /// Frames that the socket has not flushed, and the time since which it has flushed none.
    private(set) var outstanding = 0
    var stalledSince: UInt64 = 0
    var lastActivity: UInt64 = 0
    var hasPinged = false
    var hasWarned = false
    /// The time since which the client is not read from; nil while it is.
    private(set) var notReadingSince: UInt64?
    /// The time at which the client's frame allowance is full again.
    private var allowanceFullAt: UInt64 = 0

    /// Creates a state machine that waits for ``opened(now:)``.
    package init(limits: WindowLimits) {
        idleNanoseconds = UInt64(max(limits.idleSeconds, 2)) * 1_000_000_000
        stallNanoseconds = UInt64(max(limits.stallSeconds, 1)) * 1_000_000_000
    }

    /// Whether to read from the client: not while many operations or many frames wait.
    package var wantsReading: Bool {
        switch phase {
        case .opening: false
        case .open: waiting.count < 8 && !isCongested
        case .closing: true
        case .closed: false
        }
    }

    private var isCongested: Bool { outstanding >= WindowLimits.maxOutstanding }

    private var isOpening: Bool { if case .opening = phase { true } else { false } }

    /// Whether the client's frames count; after that only its close frame does.
    package var isAlive: Bool {
        switch phase {
        case .opening, .open: true
        case .closing, .closed: false
        }
    }

    // MARK: Input

    /// Handles the upgrade of the connection to a window.
    package mutating func opened(now: WindowMoment) -> [WindowAction] {
        lastActivity = now.steady
        waiting.append(.open)
        return finish(now)
    }

    /// Handles a message of the client.
    package mutating func received(_ frame: ClientFrame, now: WindowMoment) -> [WindowAction] {
        guard isAlive else { return [] }
        noteActivity(now)
        guard spend(now) else { return end(.tooManyFrames, now) }
        if isOpening { early.append(frame) } else { handle(frame, now) }
        return finish(now)
    }

    /// Handles a ping or a pong of the client.
    package mutating func receivedControl(now: WindowMoment) -> [WindowAction] {
        guard isAlive else { return [] }
        noteActivity(now)
        return spend(now) ? [] : end(.tooManyFrames, now)
    }

    /// Ends the window because of unreadable bytes or for another reason of the handler's.
    package mutating func fail(_ close: WindowClose, now: WindowMoment) -> [WindowAction] {
        isAlive ? end(close, now) : []
    }

    /// Handles the client's close frame, with its code if it has one.
    package mutating func receivedClose(code: UInt16?) -> [WindowAction] {
        switch phase {
        case .opening, .open: actions.append(.echoClose(code: code))
        case .closing: actions.append(.cut(.client))
        case .closed: return []
        }
        release(.closed)
        return take()
    }

    /// Handles the loss of the connection.
    package mutating func lost() -> [WindowAction] {
        if case .closed = phase { return [] }
        actions.append(.cut(.gone))
        release(.closed)
        return take()
    }

    /// Handles committed changes, in their order.
    package mutating func receive(_ windowEvents: [WindowEvent.Kind], now: WindowMoment) -> [WindowAction] {
        guard isAlive else { return [] }
        for kind in windowEvents {
            if case .typing = kind {
                // It is of no use later.
                if case .open = phase, !isCongested { emit(kind, now) }
            } else if isOpening || catchUp != nil || graceUntil != nil || isCongested {
                var waits = catchUp ?? CatchUp()
                catchUp = nil
                guard waits.keep(kind) else { return end(.slow, now) }
                catchUp = waits
            } else {
                emit(kind, now)
            }
        }
        return finish(now)
    }

    /// Records that the socket has flushed a number of frames.
    package mutating func flushed(_ frames: Int, now: WindowMoment) -> [WindowAction] {
        outstanding -= frames
        stalledSince = now.steady
        return isAlive ? finish(now) : []
    }

    /// Has the session checked, which may have ended; `close` is used if it has.
    package mutating func recheck(_ close: WindowClose, now: WindowMoment) -> [WindowAction] {
        guard isAlive else { return [] }
        // One check is enough for all sessions that ended before it.
        waiting.removeAll { if case .recheck = $0 { true } else { false } }
        waiting.insert(.recheck(close), at: 0)
        return finish(now)
    }

    // MARK: Operations

    /// Handles the end of an operation.
    package mutating func completed(_ result: WindowResult, now: WindowMoment) -> [WindowAction] {
        let operation = running
        running = nil
        guard isAlive else {
            finishAcknowledgements()
            return take()
        }
        guard let operation else { return [] }
        if case .refused(let close) = result { return end(close, now) }
        switch (operation, result) {
        case (.open, .identified(let identity)):
            self.identity = identity
            // The session may have ended before the window was registered at the hub, which reports such ends.
            waiting.insert(contentsOf: [.recheck(.loggedOut), .ready], at: 0)
        case (.ready, .ready(let counts)): becomeOpen(counts, now)
        case (.page, .page(let messages)):
            if messages == nil {
                send(.error(WindowError(.notFound, "There is no such conversation.", ref: "resume")), now)
            }
            for message in catchUp?.took(messages, limit: WindowLimits.pageSize) ?? [] { emit(.message(message), now) }
        case (.send(let message), .sent(let id, let sequence)):
            catchUp?.wrote(message.conversation, sequence)
            send(.sent(clientID: message.clientID, messageID: id, sequence: sequence), now)
        case (.reauthenticate, .identified(let new)):
            guard extend(new) else { return end(.forbidden, now) }
            waiting.insert(.recheck(.loggedOut), at: 0)
        case (.recheck, _), (.ack, _), (.send, _), (.typing, _), (.reauthenticate, _):
            if case .failed(let code, let detail) = result {
                send(.error(WindowError(code, detail, ref: operation.ref)), now)
            }
        default:
            // An operation that the window needs has failed: the client connects again.
            return end(.unavailable, now)
        }
        return finish(now)
    }

    private mutating func becomeOpen(_ counts: UnreadCounts, _ now: WindowMoment) {
        phase = .open
        lastActivity = now.steady
        notReadingSince = nil
        send(.ready(counts), now)
        if catchUp != nil {
            for conversation in counts.conversations {
                catchUp?.cover(conversation.id, upTo: conversation.lastSequence)
            }
        }
        graceUntil = now.steady &+ WindowLimits.graceNanoseconds
        let frames = early
        early = []
        for frame in frames { handle(frame, now) }
    }

    /// Takes a new token of the same consumer on the same device; returns false for another's.
    private mutating func extend(_ new: WindowIdentity) -> Bool {
        guard let old = identity, new.consumer == old.consumer,
            new.device == nil || old.device == nil || new.device == old.device
        else { return false }
        identity?.expiresAt = new.expiresAt
        hasWarned = false
        return true
    }

    private mutating func handle(_ frame: ClientFrame, _ now: WindowMoment) {
        switch frame {
        case .resume(let list): resume(list)
        case .ack(let conversation, let sequence): waiting.append(.ack(conversation, upToSequence: sequence))
        case .send(let message): waiting.append(.send(message))
        case .typing(let conversation): waiting.append(.typing(conversation))
        case .reauthenticate(let token): waiting.append(.reauthenticate(token: token))
        case .clock(let id):
            // It keeps the connection alive, and says nothing about the messages that the client has.
            return responses.append(.clock(id: id, at: now.date))
        case .wrong(let error):
            responses.append(.error(error))
            // The client may send a correct `resume` again.
            if error.ref == "resume" { return }
        }
        hasReceivedFrame = true
        sentLive = [:]
        graceUntil = nil
    }

    /// Frames that are sent together with the other actions.
    private var responses: [ServerFrame] = []

    private mutating func resume(_ list: [ClientFrame.Resumption]) {
        guard !hasReceivedFrame else {
            responses.append(.error(WindowError(.conflict, "resume must be the first frame.", ref: "resume")))
            return
        }
        guard !list.isEmpty else { return }
        var waits = catchUp ?? CatchUp()
        catchUp = nil
        for item in list {
            waits.want(item.conversation, after: item.afterSequence, sentLive: sentLive[item.conversation])
        }
        catchUp = waits
    }

    // MARK: Output

    private mutating func emit(_ kind: WindowEvent.Kind, _ now: WindowMoment) {
        switch kind {
        case .message(let message):
            if !hasReceivedFrame {
                let first = sentLive[message.conversation]?.lowerBound ?? message.sequence
                sentLive[message.conversation] = min(first, message.sequence)...message.sequence
            }
            send(.message(message), now)
        case .read(let conversation, let sequence, let unread):
            send(.read(conversation, upToSequence: sequence, unread: unread), now)
        case .resolved(let conversation, let byConsumer):
            send(.resolved(conversation, byConsumer: byConsumer), now)
        case .typing(let conversation, let byConsumer): send(.typing(conversation, byConsumer: byConsumer), now)
        }
    }

    mutating func send(_ frame: ServerFrame, _ now: WindowMoment) {
        if outstanding == 0 { stalledSince = now.steady }
        outstanding += 1
        actions.append(.send(frame))
    }

    mutating func ping() { actions.append(.ping) }

    /// Sends the frames and starts the operation that may go now, and returns the actions.
    mutating func finish(_ now: WindowMoment) -> [WindowAction] {
        for frame in responses { send(frame, now) }
        responses = []
        if case .open = phase, graceUntil == nil {
            while !isCongested, let kind = catchUp?.nextEvent() { emit(kind, now) }
            if catchUp?.isDone ?? false { catchUp = nil }
        }
        if running == nil { startNext() }
        // While the client is not read from, none of its frames can arrive.
        if wantsReading, let since = notReadingSince {
            lastActivity = min(lastActivity &+ (now.steady &- since), now.steady)
            notReadingSince = nil
        } else if !wantsReading, notReadingSince == nil {
            notReadingSince = now.steady
        }
        return take()
    }

    private mutating func startNext() {
        if !waiting.isEmpty {
            start(waiting.removeFirst())
        } else if case .open = phase, graceUntil == nil, !isCongested, let (conversation, after) = catchUp?.nextPage() {
            start(.page(conversation, afterSequence: after))
        }
    }

    private mutating func start(_ operation: WindowOperation) {
        running = operation
        actions.append(.run(operation))
    }

    private mutating func take() -> [WindowAction] {
        defer { actions = [] }
        return actions
    }

    // MARK: The end

    mutating func end(_ close: WindowClose, _ now: WindowMoment) -> [WindowAction] {
        if close == .goingAway, case .open = phase { send(.bye(reason: close.text), now) }
        actions.append(.close(close))
        // A consumer who may not see the messages has not read them.
        let isRefused = [.refused, .loggedOut].contains(close.label)
        release(.closing(until: now.steady &+ WindowLimits.closingNanoseconds), keepsAcknowledgements: !isRefused)
        return take()
    }

    mutating func cut(_ label: WindowCloseLabel) -> [WindowAction] {
        actions.append(.cut(label))
        release(.closed)
        return take()
    }

    private mutating func release(_ next: Phase, keepsAcknowledgements: Bool = true) {
        if isAlive {
            let isKnown = identity != nil && keepsAcknowledgements
            waiting = isKnown ? Self.acknowledgements(among: waiting) : []
        }
        phase = next
        early = []
        responses = []
        catchUp = nil
        sentLive = [:]
        graceUntil = nil
        finishAcknowledgements()
    }

    /// Returns the acknowledgements, once for each conversation.
    private static func acknowledgements(among operations: [WindowOperation]) -> [WindowOperation] {
        var last: [ConversationID: Int64] = [:]
        var order: [ConversationID] = []
        for case .ack(let conversation, let sequence) in operations {
            if last[conversation] == nil { order.append(conversation) }
            last[conversation] = max(last[conversation] ?? 0, sequence)
        }
        return order.map { .ack($0, upToSequence: last[$0] ?? 0) }
    }

    /// Runs the acknowledgements that came before the close; then the window counts as closed.
    ///
    /// Pushes for the other messages are held back until then.
    private mutating func finishAcknowledgements() {
        if !waiting.isEmpty {
            if running == nil { start(waiting.removeFirst()) }
            return
        }
        if case .ack? = running { return }
        guard !hasLeft else { return }
        hasLeft = true
        actions.append(.leave)
    }

    private mutating func noteActivity(_ now: WindowMoment) {
        lastActivity = now.steady
        hasPinged = false
    }

    /// Takes one frame from the client's allowance (the generic cell rate algorithm); returns false when none is left.
    private mutating func spend(_ now: WindowMoment) -> Bool {
        let interval = 1_000_000_000 / WindowLimits.framesPerSecond
        let full = max(allowanceFullAt, now.steady) + interval
        guard full - now.steady <= interval * WindowLimits.frameBurst else { return false }
        allowanceFullAt = full
        return true
    }
}

extension WindowOperation {
    /// The reference for an error about it.
    fileprivate var ref: String? {
        switch self {
        case .ack: "ack"
        case .send(let message): message.clientID.rawValue
        case .typing: "typing"
        case .reauthenticate: "reauthenticate"
        case .open, .ready, .page, .recheck: nil
        }
    }
}
