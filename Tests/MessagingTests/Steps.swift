import GatewayModel
import GatewayStorage
import Messaging
import Telemetry

/// A state machine with a clock that tests move, and its actions as words.
struct Steps {
    var machine: WindowMachine
    var now = WindowMoment(steady: 1_000_000_000_000, date: Timestamp(milliseconds: 1_767_323_045_678))
    /// Whether the socket flushes frames at once.
    var isReading = true

    static let consumer = ConsumerName(brand: BrandID(trusted: "acme"), consumer: ConsumerID(trusted: "u-1"))

    init(idleSeconds: Int64 = 60) { machine = WindowMachine(limits: WindowLimits(idleSeconds: idleSeconds)) }

    /// Returns an open window, with conversations that have the given numbers of messages.
    static func open(_ conversations: [String: Int64] = [:], lifeSeconds: Int64 = 3600) -> Steps {
        var steps = Steps()
        _ = steps.run { $0.opened(now: $1) }
        _ = steps.identified(lifeSeconds: lifeSeconds)
        _ = steps.ready(conversations)
        return steps
    }

    /// Returns an open window whose client has sent its first frame.
    static func settled(_ conversations: [String: Int64] = [:]) -> Steps {
        var steps = open(conversations)
        _ = steps.says(.resume([]))
        return steps
    }

    func identity(_ consumer: String = "u-1", device: String? = nil, lifeSeconds: Int64 = 3600) -> WindowIdentity {
        WindowIdentity(
            consumer: ConsumerName(brand: BrandID(trusted: "acme"), consumer: ConsumerID(trusted: consumer)),
            device: device.map { DeviceID(trusted: $0) },
            expiresAt: now.date.adding(seconds: lifeSeconds)
        )
    }

    /// Completes the authentication and the check of the session.
    mutating func identified(lifeSeconds: Int64 = 3600) -> [String] {
        completed(.identified(identity(lifeSeconds: lifeSeconds))) + completed(.done)
    }

    mutating func pass(_ seconds: Double) -> [String] {
        now.steady += UInt64(seconds * 1_000_000_000)
        now.date = now.date.adding(milliseconds: Int64(seconds * 1000))
        return run { $0.timePassed(now: $1) }
    }

    mutating func ready(_ conversations: [String: Int64]) -> [String] {
        completed(
            .ready(
                UnreadCounts(
                    total: 0,
                    conversations: conversations.map {
                        ConversationUnread(id: Self.conversation($0), unread: 0, lastSequence: $1, readSequence: 0)
                    }
                )
            )
        )
    }

    mutating func completed(_ result: WindowResult) -> [String] { run { $0.completed(result, now: $1) } }
    mutating func says(_ frame: ClientFrame) -> [String] { run { $0.received(frame, now: $1) } }
    /// Receives a pong of the client.
    mutating func stirs() -> [String] { run { $0.receivedControl(now: $1) } }
    mutating func receive(_ windowEvents: WindowEvent.Kind...) -> [String] { run { $0.receive(windowEvents, now: $1) } }
    mutating func takes(_ frames: Int) -> [String] { run { $0.flushed(frames, now: $1) } }

    /// Completes a read of a conversation's messages.
    mutating func page(_ id: String, _ sequences: ClosedRange<Int64>?) -> [String] {
        completed(.page(sequences.map { $0.map { Self.message(id, $0) } } ?? []))
    }

    mutating func run(_ step: (inout WindowMachine, WindowMoment) -> [WindowAction]) -> [String] {
        let actions = step(&machine, now)
        var words = actions.map(Self.word)
        let frames = actions.count { if case .send = $0 { true } else { false } }
        if isReading, frames > 0 { words += run { $0.flushed(frames, now: $1) } }
        return words
    }

    static func conversation(_ id: String) -> ConversationID { ConversationID(trusted: id) }

    static func message(_ conversation: String, _ sequence: Int64) -> Message {
        Message(
            id: MessageID(high: 1, low: UInt64(sequence)),
            brand: consumer.brand,
            consumer: consumer.consumer,
            conversation: Self.conversation(conversation),
            dialog: nil,
            sequence: sequence,
            sourceSequence: nil,
            kind: .agent,
            agentID: nil,
            agentNickname: nil,
            text: "hello",
            title: nil,
            data: nil,
            link: PlatformLinks(),
            priority: .high,
            collapseKey: nil,
            category: nil,
            sound: nil,
            silent: false,
            acceptedAt: Timestamp(milliseconds: 0),
            sentAt: Timestamp(milliseconds: 0),
            expiresAt: Timestamp(milliseconds: 0),
            lookBackUntil: nil,
            campaign: nil,
            consentCategory: nil
        )
    }

    private static func word(_ action: WindowAction) -> String {
        switch action {
        case .send(let frame): word(frame)
        case .ping: "ping"
        case .run(let operation): "run " + word(operation)
        case .close(let close): "close \(close.code) \(close.text)"
        case .echoClose(let code): "answer \(code.map { "\($0)" } ?? "none")"
        case .cut(let label): "cut \(label.rawValue)"
        case .leave: "leave"
        }
    }

    private static func word(_ frame: ServerFrame) -> String {
        switch frame {
        case .ready: "ready"
        case .message(let message): "\(message.conversation.rawValue)#\(message.sequence)"
        case .read(let conversation, let sequence, _): "read \(conversation.rawValue)#\(sequence)"
        case .resolved(let conversation, _): "resolved \(conversation.rawValue)"
        case .typing(let conversation, let byConsumer):
            "typing \(conversation.rawValue) \(byConsumer ? "consumer" : "agent")"
        case .sent(let clientID, _, _): "sent \(clientID)"
        case .error(let error): "error \(error.code.rawValue) \(error.ref ?? "-")"
        case .clock(let id, let date): "clock \(id) \(date.milliseconds)"
        case .tokenExpiring(let seconds): "expiring \(seconds)"
        case .bye(let reason): "bye \(reason)"
        }
    }

    private static func word(_ operation: WindowOperation) -> String {
        switch operation {
        case .open: "open"
        case .ready: "ready"
        case .page(let conversation, let after): "page \(conversation.rawValue)>\(after)"
        case .ack(let conversation, let sequence): "ack \(conversation.rawValue)#\(sequence)"
        case .send(let message): "send \(message.clientID)"
        case .typing(let conversation): "typing \(conversation.rawValue)"
        case .reauthenticate: "reauthenticate"
        case .recheck(let close): "recheck \(close.code)"
        }
    }
}
