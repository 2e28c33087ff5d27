import GatewayModel
package import GatewayStorage
import Telemetry

/// Everything that decides about one window: what comes in and how time passes goes in, what to do comes out.
///
/// No clock, no IO, no threads; whoever holds it guards it. Messages of a conversation go out in the order of their
/// sequences, each once: news go out as they come unless something is to be read from the store first (`resume`), the
/// socket takes nothing more, or the client has not had the time to say `resume`; then they wait in ``CatchUp``.
package struct WindowMachine: Sendable {
    enum Phase {
        /// The token is looked up and the unread counts are read.
        case opening
        case open
        /// A close frame was sent; its answer is awaited until then.
        case closing(until: UInt64)
        case closed
    }

    let idleNanoseconds: UInt64
    let stallNanoseconds: UInt64
    var phase = Phase.opening
    /// Whose window it is, once that is known.
    package internal(set) var identity: WindowIdentity?
    private var actions: [WindowAction] = []
    private var running: WindowOperation?
    /// What is to be done, in this order; of a window that has ended only what was acknowledged in time.
    private var waiting: [WindowOperation] = []
    private var hasLeft = false
    /// What came before the window was open.
    private var early: [ClientFrame] = []
    private var catchUp: CatchUp?
    /// What was sent live before the first frame of the client.
    private var sentLive: [ConversationID: ClosedRange<Int64>] = [:]
    private var hasHeardFrame = false
    /// Until when live messages wait for the first frame; nil when they do not.
    var graceUntil: UInt64?
    /// Frames that the socket has not taken, and since when it has taken none.
    private(set) var outstanding = 0
    var stalledSince: UInt64 = 0
    var lastHeard: UInt64 = 0
    var hasPinged = false
    var hasWarned = false
    /// Since when the client is not read from; nil while it is.
    private(set) var notReadingSince: UInt64?
    /// When the client's allowance of frames is whole again.
    private var allowanceFullAt: UInt64 = 0

    /// Waits for ``opened(now:)``.
    ///
    /// - Parameter limits: How long it waits for its client.
    package init(limits: WindowLimits) {
        idleNanoseconds = UInt64(max(limits.idleSeconds, 2)) * 1_000_000_000
        stallNanoseconds = UInt64(max(limits.stallSeconds, 1)) * 1_000_000_000
    }

    /// Whether the client is read from: not while much waits to be done for it, or to be taken by it.
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

    /// Whether the client is still listened to; afterwards only its close frame counts.
    package var isAlive: Bool {
        switch phase {
        case .opening, .open: true
        case .closing, .closed: false
        }
    }

    // MARK: What comes in

    /// The connection is a window's.
    ///
    /// - Parameter now: The time.
    /// - Returns: What to do.
    package mutating func opened(now: WindowMoment) -> [WindowAction] {
        lastHeard = now.steady
        waiting.append(.open)
        return finish(now)
    }

    /// A message of the client was read.
    ///
    /// - Parameters:
    ///   - frame: What it says.
    ///   - now: The time.
    /// - Returns: What to do.
    package mutating func received(_ frame: ClientFrame, now: WindowMoment) -> [WindowAction] {
        guard isAlive else { return [] }
        heard(now)
        guard spend(now) else { return end(.tooManyFrames, now) }
        if isOpening { early.append(frame) } else { handle(frame) }
        return finish(now)
    }

    /// A ping or a pong of the client came.
    ///
    /// - Parameter now: The time.
    /// - Returns: What to do.
    package mutating func receivedControl(now: WindowMoment) -> [WindowAction] {
        guard isAlive else { return [] }
        heard(now)
        return spend(now) ? [] : end(.tooManyFrames, now)
    }

    /// What came cannot be read, or the shell has another reason to end the window.
    ///
    /// - Parameters:
    ///   - close: How it ends.
    ///   - now: The time.
    /// - Returns: What to do.
    package mutating func fail(_ close: WindowClose, now: WindowMoment) -> [WindowAction] {
        isAlive ? end(close, now) : []
    }

    /// The client's close frame came.
    ///
    /// - Parameter code: Its code; nil when it has none.
    /// - Returns: What to do.
    package mutating func receivedClose(code: UInt16?) -> [WindowAction] {
        switch phase {
        case .opening, .open: actions.append(.answerClose(code: code))
        case .closing: actions.append(.cut(.client))
        case .closed: return []
        }
        release(.closed)
        return take()
    }

    /// The connection is gone.
    ///
    /// - Returns: What to do.
    package mutating func lost() -> [WindowAction] {
        if case .closed = phase { return [] }
        actions.append(.cut(.gone))
        release(.closed)
        return take()
    }

    /// Takes what commits did, in their order.
    ///
    /// - Parameters:
    ///   - news: What they did.
    ///   - now: The time.
    /// - Returns: What to do.
    package mutating func news(_ news: [WindowNews.Kind], now: WindowMoment) -> [WindowAction] {
        guard isAlive else { return [] }
        for kind in news {
            if case .typing = kind {
                // It is worth nothing later.
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

    /// The socket has taken frames.
    ///
    /// - Parameters:
    ///   - frames: How many.
    ///   - now: The time.
    /// - Returns: What to do.
    package mutating func flushed(_ frames: Int, now: WindowMoment) -> [WindowAction] {
        outstanding -= frames
        stalledSince = now.steady
        return isAlive ? finish(now) : []
    }

    /// The session may have ended.
    ///
    /// - Parameters:
    ///   - close: What it means if it has.
    ///   - now: The time.
    /// - Returns: What to do.
    package mutating func recheck(_ close: WindowClose, now: WindowMoment) -> [WindowAction] {
        guard isAlive else { return [] }
        // One look is enough for all that ended before it.
        waiting.removeAll { if case .recheck = $0 { true } else { false } }
        waiting.insert(.recheck(close), at: 0)
        return finish(now)
    }

    // MARK: Operations

    /// An operation has ended.
    ///
    /// - Parameters:
    ///   - result: How it went.
    ///   - now: The time.
    /// - Returns: What to do.
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
            // Its session may have ended before the hub, which tells ends, knew of the window.
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
            // What the window cannot be without was not to be had: the client comes again.
            return end(.unavailable, now)
        }
        return finish(now)
    }

    private mutating func becomeOpen(_ counts: UnreadCounts, _ now: WindowMoment) {
        phase = .open
        lastHeard = now.steady
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
        for frame in frames { handle(frame) }
    }

    /// Takes a new token of the same consumer on the same device; false for another's.
    private mutating func extend(_ new: WindowIdentity) -> Bool {
        guard let old = identity, new.consumer == old.consumer,
            new.device == nil || old.device == nil || new.device == old.device
        else { return false }
        identity?.expiresAt = new.expiresAt
        hasWarned = false
        return true
    }

    private mutating func handle(_ frame: ClientFrame) {
        switch frame {
        case .resume(let list): resume(list)
        case .ack(let conversation, let sequence): waiting.append(.ack(conversation, upToSequence: sequence))
        case .send(let message): waiting.append(.send(message))
        case .typing(let conversation): waiting.append(.typing(conversation))
        case .reauthenticate(let token): waiting.append(.reauthenticate(token: token))
        case .wrong(let error):
            answers.append(error)
            // It may be said again as it should be.
            if error.ref == "resume" { return }
        }
        hasHeardFrame = true
        sentLive = [:]
        graceUntil = nil
    }

    /// Errors that go out with what else is to be done.
    private var answers: [WindowError] = []

    private mutating func resume(_ list: [ClientFrame.Resumption]) {
        guard !hasHeardFrame else {
            answers.append(WindowError(.conflict, "resume must be the first frame.", ref: "resume"))
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

    // MARK: What goes out

    private mutating func emit(_ kind: WindowNews.Kind, _ now: WindowMoment) {
        switch kind {
        case .message(let message):
            if !hasHeardFrame {
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

    /// Sends what may be sent, starts what may be started, and gives what is to be done.
    mutating func finish(_ now: WindowMoment) -> [WindowAction] {
        for error in answers { send(.error(error), now) }
        answers = []
        if case .open = phase, graceUntil == nil {
            while !isCongested, let kind = catchUp?.nextNews() { emit(kind, now) }
            if catchUp?.isDone ?? false { catchUp = nil }
        }
        if running == nil { startNext() }
        // While it is not read from, nothing can be heard.
        if wantsReading, let since = notReadingSince {
            lastHeard = min(lastHeard &+ (now.steady &- since), now.steady)
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
        // Whoever may not see the messages has not read them.
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
        answers = []
        catchUp = nil
        sentLive = [:]
        graceUntil = nil
        finishAcknowledgements()
    }

    /// What was acknowledged, once for each conversation.
    private static func acknowledgements(among operations: [WindowOperation]) -> [WindowOperation] {
        var last: [ConversationID: Int64] = [:]
        var order: [ConversationID] = []
        for case .ack(let conversation, let sequence) in operations {
            if last[conversation] == nil { order.append(conversation) }
            last[conversation] = max(last[conversation] ?? 0, sequence)
        }
        return order.map { .ack($0, upToSequence: last[$0] ?? 0) }
    }

    /// After the end: does what the client acknowledged before it, and then counts as closed; pushes for the rest are held
    /// back until then.
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

    private mutating func heard(_ now: WindowMoment) {
        lastHeard = now.steady
        hasPinged = false
    }

    /// Takes one of the client's frames from its allowance (the generic cell rate algorithm); false when none is left.
    private mutating func spend(_ now: WindowMoment) -> Bool {
        let interval = 1_000_000_000 / WindowLimits.framesPerSecond
        let full = max(allowanceFullAt, now.steady) + interval
        guard full - now.steady <= interval * WindowLimits.frameBurst else { return false }
        allowanceFullAt = full
        return true
    }
}

extension WindowOperation {
    /// What an error about it refers to.
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
