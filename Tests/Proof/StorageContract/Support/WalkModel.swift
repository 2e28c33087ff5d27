import GatewayModel
import GatewayStorage

/// The expected content of a store, in the simplest form.
struct WalkModel {
    struct Conversation {
        var name: String
        var consumer: String
        /// Whether each message counts, in order.
        var counts: [Bool] = []
        /// Sequences of removed messages; they no longer count.
        var gone: Set<Int64> = []
        var mark = 0
        var isResolved = false
        /// The position of its newest message that is not proactive among all messages.
        var newest = 0

        var unread: Int64 { Int64(counts.dropFirst(mark).count { $0 }) }
    }

    struct Registration {
        var device: String
        var consumer: String
        var token: String
        var receives: Receives
        var isActive = true
    }

    /// A delivery that is not finished.
    struct Row {
        var registration: RegistrationID
        var device: String
        var consumer: String
        /// The thread; nil for a badge.
        var conversation: String?
        var sequence: Int64
        var kind: MessageKind?
        var collapseKey: String?
        var message: MessageID?
        var expiresAt: Timestamp
        /// Whether it was handed out.
        var isHeld: Bool
        /// Whether it waits for a window and not for its lane.
        var isForWindow = false

        /// Whether this row replaces an older one.
        func takesPlace(of older: Row) -> Bool {
            guard older.registration == registration else { return false }
            if kind == nil { return older.kind == nil }
            return collapseKey != nil && older.collapseKey == collapseKey
        }
    }

    struct Session {
        var token: [UInt8]
        var consumer: String
        var device: String?
        var createdAt: Timestamp
    }

    struct Made {
        var id: MessageID
        /// The thread.
        var conversation: String
        var sequence: Int64
        var kind: MessageKind
        var collapseKey: String?
        var acceptedAt: Timestamp
        var expiresAt: Timestamp
    }

    /// An event's id under the name of its consumer that it had.
    struct EventName: Hashable {
        var consumer: String
        var id: String
    }

    /// The conversations by thread: their first consumer and its name for them, which stays the same after a merge.
    var conversations: [String: Conversation] = [:]
    var registrations: [RegistrationID: Registration] = [:]
    var open: [DeliveryID: Row] = [:]
    /// Every row, as it was created or last retried.
    var rows: [DeliveryID: Row] = [:]
    var sessions: [Session] = []
    var anonymous: Set<String> = []
    /// Consumers that were merged into another.
    var merged: [String: String] = [:]
    var finished: Set<DeliveryID> = []
    var queuedAt: [DeliveryID: Timestamp] = [:]
    /// The number of deliveries that were removed from the log.
    var removed = 0
    /// Every stored event, with its message.
    var events: [EventName: Made?] = [:]
    var made: [MessageID: Made] = [:]
    private var messages = 0

    /// Returns the consumer that a name means.
    func name(_ consumer: String) -> String { merged[consumer] ?? consumer }

    /// Returns the thread of a consumer's conversation; nil when it has none of this name.
    func thread(_ name: String, of consumer: String) -> String? {
        conversations.first { $0.value.consumer == consumer && $0.value.name == name }?.key
    }

    /// Returns what is stored of an event under any name of its consumer; nil when it is new.
    func first(_ event: AgentEvent) -> Made?? {
        let owner = name(event.consumer.rawValue)
        // Their numbers rise in the order in which they were created.
        let others = merged.keys.filter { merged[$0] == owner }.sorted { Self.number($0) > Self.number($1) }.prefix(20)
        for consumer in [event.consumer.rawValue, owner] + others {
            if let known = events[EventName(consumer: consumer, id: event.id.rawValue)] { return .some(known) }
        }
        return nil
    }

    private static func number(_ consumer: String) -> Int { Int(consumer.dropFirst(2)) ?? 0 }

    func unread(_ consumer: String) -> Int64 {
        conversations.values.reduce(0) { $0 + ($1.consumer == consumer ? $1.unread : 0) }
    }

    func active(_ consumer: String) -> String? {
        conversations.filter { $0.value.consumer == consumer && !$0.value.isResolved }
            .max { $0.value.newest < $1.value.newest }?.value.name
    }

    func receivers(_ consumer: String, _ kind: MessageKind) -> Int {
        let wanted: Receives = kind == .agent ? .agent : .proactive
        return registrations.values.count {
            $0.consumer == consumer && $0.isActive && $0.receives.contains(wanted)
        }
    }

    mutating func add(_ event: AgentEvent, _ id: MessageID, to conversation: String, at now: Timestamp) -> Made {
        messages += 1
        let owner = name(event.consumer.rawValue)
        let thread = thread(conversation, of: owner) ?? "\(owner)/\(conversation)"
        let known = conversations[thread]
        var target = known ?? Conversation(name: conversation, consumer: owner)
        target.counts.append(event.kind == .agent && !event.silent)
        // A proactive message opens no conversation and makes none active.
        if event.kind == .agent {
            target.isResolved = false
            target.newest = messages
        } else if known == nil {
            target.isResolved = true
        }
        conversations[thread] = target
        let message = Made(
            id: id,
            conversation: thread,
            sequence: Int64(target.counts.count),
            kind: event.kind,
            collapseKey: event.collapseKey,
            acceptedAt: now,
            expiresAt: now.adding(seconds: event.ttlSeconds ?? ContractFixture.settings.messageTtlSeconds)
        )
        made[id] = message
        store(event, message)
        return message
    }

    /// Stores an event, with the message that it made.
    mutating func store(_ event: AgentEvent, _ message: Made?) {
        events[EventName(consumer: event.consumer.rawValue, id: event.id.rawValue)] = .some(message)
    }

    /// Removes old messages without a pending delivery; returns their number.
    mutating func removeMessages(before: Timestamp) -> Int {
        let pending = Set(open.values.compactMap(\.message))
        let old = made.values.filter { $0.acceptedAt < before && !pending.contains($0.id) }
        for message in old {
            made[message.id] = nil
            conversations[message.conversation]?.gone.insert(message.sequence)
            conversations[message.conversation]?.counts[Int(message.sequence) - 1] = false
        }
        return old.count
    }

    /// Moves a mark; the rows of read messages end.
    mutating func read(_ thread: String, upTo target: Int64) {
        guard var read = conversations[thread] else { return }
        read.mark = max(read.mark, min(Int(target), read.counts.count))
        conversations[thread] = read
        finish { $0.conversation == thread && $0.sequence <= read.mark }
    }

    mutating func end(_ ended: [RegistrationID]) {
        for registration in ended {
            registrations[registration] = nil
            finish { $0.registration == registration }
        }
    }

    mutating func narrow(_ registration: RegistrationID) {
        registrations[registration]?.receives.remove(.agent)
        finish { $0.registration == registration && ($0.kind == nil || $0.kind == .agent) }
    }

    mutating func withdrawProactive(_ registration: RegistrationID) {
        finish { $0.registration == registration && ($0.kind == .proactive || $0.kind == .c2m) }
    }

    mutating func finish(_ isEnded: (Row) -> Bool) {
        for (id, row) in open where isEnded(row) {
            open[id] = nil
            rows[id] = row
            finished.insert(id)
        }
    }

    mutating func releaseAll() {
        for id in open.keys {
            open[id]?.isHeld = false
            open[id]?.isForWindow = false
        }
    }

    /// Releases to their lanes the rows that no window of a consumer holds any more; returns their number.
    mutating func release(_ consumer: ConsumerName, _ windows: OpenWindows) -> Int {
        let owner = name(consumer.consumer.rawValue)
        let own = ConsumerName(brand: consumer.brand, consumer: ConsumerID(trusted: owner))
        var released = 0
        for (id, row) in open where row.isForWindow && registrations[row.registration]?.consumer == owner {
            guard !windows.holds(own, device: DeviceID(trusted: row.device)) else { continue }
            open[id]?.isForWindow = false
            released += 1
        }
        return released
    }

    /// Whether every older open row of the registration is held already, by the walk or for a window.
    func mayBeHanded(_ id: DeliveryID) -> Bool {
        guard let row = open[id], !row.isHeld, !row.isForWindow else { return false }
        return !open.contains {
            $0.key < id && $0.value.registration == row.registration && $0.value.kind == row.kind && !$0.value.isHeld
                && !$0.value.isForWindow
        }
    }
}
