import GatewayModel
import GatewayStorage

/// The expected content and results of a store: the only model of them, and the oracle of the random walk.
///
/// Written from the HTTP contract and the comments of `GatewayStore`, not from an engine or its rules. It is naive on
/// purpose: it counts all messages for each result, and has neither counters nor caches.
struct ContractModel {
    struct Consumer: Equatable {
        var isAnonymous = false
        var name: String?
        /// The conversation of proactive messages that name none.
        var proactive: String?
    }

    struct MessageEntry {
        var id: MessageID
        var sequence: Int64
        var kind: MessageKind
        var silent = false
        var collapseKey: String?
        var acceptedAt: Timestamp
        var expiresAt: Timestamp
        var lookBackUntil: Timestamp?
        var tappedAt: Timestamp?
        /// Whether it is a proactive message that was neither tapped nor cleared.
        var isPending = false

        var countsAsUnread: Bool { kind == .agent && !silent }
    }

    struct Conversation {
        /// Its id, which another consumer's conversation may have too.
        var name: String
        var consumer: String
        /// Its messages in order, without those that were removed.
        var messages: [MessageEntry] = []
        var last: Int64 = 0
        var mark: Int64 = 0
        var isResolved = true
        /// The position of its opening or of its newest message that is not proactive among all of these.
        var newest = 0

        var unread: Int64 { Int64(messages.count { $0.sequence > mark && $0.countsAsUnread }) }
    }

    struct Registration {
        enum State: String {
            case active, quarantined, stopped
        }

        var device: String
        var consumer: String
        var token: String
        var pushType: PushType
        var lane: LaneID
        var receives: Receives
        var registeredAt: Timestamp
        var createdAt: Timestamp
        var state = State.active
        var stoppedAt: Timestamp?
        /// The expiry of the deliveries that its stop has ended.
        var stoppedRows: [DeliveryID: Timestamp] = [:]
    }

    /// A delivery.
    struct Row {
        enum Place {
            case waiting, lane, window
        }

        var registration: RegistrationID
        var device: String
        var consumer: String
        var pushType: PushType
        /// The number of its message's conversation; nil for a badge.
        var conversation: Int64?
        var sequence: Int64 = 0
        var kind: MessageKind?
        var message: MessageID?
        var collapseKey: String?
        var expiresAt: Timestamp
        var queuedAt: Timestamp
        var place = Place.waiting
        var attempts = 0
        /// The state of a finished one.
        var end: DeliveryState?
        var suppressedBy: SuppressedBy?
        /// The facts of its last try.
        var status: Int?
        var reason: String?
        var sentAt: Timestamp?
        var badge: Int64?
        var providerID: String?
        /// When it ended without a response.
        var finishedAt: Timestamp?
        var tappedAt: Timestamp?
        var deliveredAt: Timestamp?
        var displayedAt: Timestamp?
        var dismissedAt: Timestamp?

        var wanted: Receives { kind == nil || kind == .agent ? .agent : .proactive }

        var state: DeliveryState {
            if let end { return end }
            return switch place {
            case .lane: .sending
            case .window: .held
            case .waiting: attempts > 0 ? .retrying : .pending
            }
        }

        /// Whether this row replaces an older one.
        func replaces(_ older: Row) -> Bool {
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

    /// The id of an event and the name of its consumer that it had.
    struct EventName: Hashable {
        var consumer: String
        var id: String
    }

    /// A consumer's message by the id of its client.
    struct Sent {
        var consumer: String
        var message: MessageID
        var conversation: String
        var text: String
        var sequence: Int64
    }

    /// The results of a turn that are not results of one change.
    struct Turn {
        var now: Timestamp
        var windows = OpenWindows()
        /// The number of the first delivery that the turn creates.
        var firstNew: DeliveryID
        /// Earlier deliveries that ended without a provider's response.
        var withdrawn: Set<DeliveryID> = []
        var held = HeldCounts()
        var windowEvents: [String] = []
        /// The new items of the outbound feed.
        var feed: [String] = []
        var stopped: Set<RegistrationID> = []
        /// Consumers that were erased.
        var erased: Set<String> = []
        /// The number of conversations that got another id because their consumers were merged.
        var renamed = 0
        /// Consumers with a session that ended or was bound to its device.
        var ends: Set<String> = []
    }

    var consumers: [String: Consumer] = [:]
    /// Consumers that were merged into another.
    var merged: [String: String] = [:]
    /// The place of each consumer in the order in which they were created, by its own name.
    var places: [String: Int] = [:]
    /// Conversations by their numbers, which rise by one.
    var conversations: [Int64: Conversation] = [:]
    var registrations: [RegistrationID: Registration] = [:]
    var sessions: [Session] = []
    var open: [DeliveryID: Row] = [:]
    var finished: [DeliveryID: Row] = [:]
    var newest = DeliveryID(0)
    /// Every stored event, with its message.
    var events: [EventName: (message: MessageID?, hash: UInt64)] = [:]
    var sent: [String: Sent] = [:]
    var turn = Turn(now: Timestamp(milliseconds: 0), firstNew: DeliveryID(1))
    let lanes: [PushType: LaneID]
    private let brand: BrandID
    private var spoken = 0
    private var newestConversation: Int64 = 0
    private var newestPlace = 0

    init(brand: BrandID, lanes: [PushType: LaneID]) {
        self.brand = brand
        self.lanes = lanes
    }

    /// Returns the numbers of a lane's rows that nobody owns, by class; an absent class has none.
    func waitingRows(of lane: LaneID) -> [PushClass: Int64] {
        let rows = open.values.filter { $0.place == .waiting && registrations[$0.registration]?.lane == lane }
        return Dictionary(grouping: rows) { OutboxQueue(message: $0.kind, campaign: nil).pushClass }
            .mapValues { Int64($0.count) }
    }

    mutating func begin(_ now: Timestamp, _ windows: OpenWindows) {
        turn = Turn(now: now, windows: windows, firstNew: DeliveryID(newest.rawValue + 1))
    }

    // MARK: Lookups

    /// Returns the consumer that a name means.
    func name(_ consumer: String) -> String { merged[consumer] ?? consumer }

    /// Returns the consumer of an id; nil for an unknown one.
    func known(_ consumer: ConsumerID) -> String? {
        let own = name(consumer.rawValue)
        return consumers[own] == nil ? nil : own
    }

    func unread(_ consumer: String) -> Int64 {
        conversations.values.reduce(0) { $0 + ($1.consumer == consumer ? $1.unread : 0) }
    }

    /// Returns the names under which events of a consumer are known: its own, and those of at most 20 consumers that
    /// were merged into it, the youngest first.
    func names(of consumer: String) -> [String] {
        let others = merged.filter { $0.value == consumer }.keys
        return [consumer] + others.sorted { places[$0, default: 0] > places[$1, default: 0] }.prefix(20)
    }

    /// Returns the number of the active conversation of a consumer.
    func active(_ consumer: String) -> Int64? {
        conversations.filter { $0.value.consumer == consumer && !$0.value.isResolved }
            .max { $0.value.newest < $1.value.newest }?.key
    }

    func find(_ message: MessageID) -> (conversation: Int64, entry: MessageEntry)? {
        for (number, conversation) in conversations {
            if let entry = conversation.messages.first(where: { $0.id == message }) { return (number, entry) }
        }
        return nil
    }

    /// Returns the proactive messages that a consumer may still tap, newest first.
    func pending(_ consumer: String, at now: Timestamp) -> [MessageID] {
        conversations.values.filter { $0.consumer == consumer }.flatMap(\.messages)
            .filter { $0.isPending && ($0.lookBackUntil.map { $0 >= now } ?? true) }
            .map(\.id).sorted(by: >)
    }

    /// Returns the registrations to which a consumer's messages are pushed, oldest first.
    func receivers(_ consumer: String, _ wanted: Receives) -> [RegistrationID] {
        registrations.filter {
            $0.value.consumer == consumer && $0.value.state == .active && $0.value.receives.contains(wanted)
        }.keys.sorted { $0.rawValue < $1.rawValue }
    }

    /// Returns the number of a consumer's conversation; nil when it has none with this id.
    func number(_ id: String?, of consumer: String?) -> Int64? {
        conversations.first { $0.value.consumer == consumer && $0.value.name == id }?.key
    }

    // MARK: Messages

    mutating func meet(_ consumer: String, isAnonymous: Bool = false) {
        guard consumers[consumer] == nil else { return }
        consumers[consumer] = Consumer(isAnonymous: isAnonymous)
        newestPlace += 1
        places[consumer] = newestPlace
    }

    /// Returns the number of a consumer's conversation with an id, which is a new, closed one when it has none.
    mutating func make(_ id: String, of consumer: String) -> Int64 {
        if let known = number(id, of: consumer) { return known }
        newestConversation += 1
        conversations[newestConversation] = Conversation(name: id, consumer: consumer)
        return newestConversation
    }

    /// Makes a conversation the newest of its consumer, and opens one that is closed.
    mutating func activate(_ number: Int64) {
        guard let found = conversations[number] else { return }
        spoken += 1
        conversations[number]?.newest = spoken
        guard found.isResolved else { return }
        conversations[number]?.isResolved = false
        turn.feed.append(
            #"conversation.opened {"consumer":"\#(found.consumer)","conversation":"\#(found.name)"}"#
        )
    }

    mutating func resolve(_ number: Int64, byConsumer: Bool) {
        guard let found = conversations[number], !found.isResolved else { return }
        conversations[number]?.isResolved = true
        let by = byConsumer ? "consumer" : "agent"
        turn.feed.append(
            #"conversation.resolved {"consumer":"\#(found.consumer)","conversation":"\#(found.name)","by":"\#(by)"}"#
        )
        notify(found.consumer, "resolved \(found.name) \(byConsumer)")
    }

    /// Adds the next message of a conversation; returns its sequence.
    mutating func append(_ entry: MessageEntry, to number: Int64) -> Int64 {
        guard var target = conversations[number] else { return 0 }
        target.last += 1
        var entry = entry
        entry.sequence = target.last
        target.messages.append(entry)
        conversations[number] = target
        notify(target.consumer, "message \(target.name) \(entry.sequence) \(entry.kind.rawValue)")
        return entry.sequence
    }

    mutating func notify(_ consumer: String, _ event: String) {
        if turn.windows.contains(windowName(consumer)) { turn.windowEvents.append("\(consumer) \(event)") }
    }

    func windowName(_ consumer: String) -> ConsumerName {
        ConsumerName(brand: brand, consumer: ConsumerID(trusted: consumer))
    }

    /// Returns the sequence of a target; nil when it names nothing in the conversation.
    private func sequence(of target: ReadTarget, in conversation: Conversation) -> Int64? {
        switch target {
        case .sequence(let sequence): sequence
        case .message(let id): conversation.messages.first { $0.id == id }?.sequence
        case .sourceSequence: nil
        }
    }

    /// Moves a mark forward; false when the target names nothing.
    mutating func read(_ number: Int64, _ target: ReadTarget, on device: DeviceID?) -> Bool {
        guard let before = conversations[number], let asked = sequence(of: target, in: before) else { return false }
        let consumer = before.consumer
        let mark = min(asked, before.last)
        guard mark > before.mark else { return true }
        conversations[number]?.mark = mark
        for (delivery, row) in open where row.conversation == number && row.sequence <= mark {
            let isHeld = row.place == .window
            if isHeld { turn.held.suppressed += 1 }
            withdraw(delivery, isHeld ? .suppressed : .cancelled, isHeld ? .windowOpen : .read)
        }
        notify(consumer, "read \(before.name) \(mark) \(unread(consumer))")
        // Only messages with notifications are removed from the other devices.
        let floor = max(before.mark, mark - ReadMark.messagesLookedAt)
        let isShown =
            conversations[number]?.unread != before.unread
            || before.messages.contains {
                $0.sequence > floor && $0.sequence <= mark && $0.kind == .proactive && !$0.silent
            }
        guard isShown else { return true }
        for registration in receivers(consumer, .agent) where registrations[registration]?.device != device?.rawValue {
            push(nil, in: nil, to: registration, until: turn.now.adding(seconds: ReadMark.sentForSeconds))
        }
        return true
    }

    // MARK: Deliveries

    /// Adds a delivery of a message, or of a badge.
    mutating func push(
        _ message: MessageEntry?,
        in conversation: Int64?,
        to registration: RegistrationID,
        until end: Timestamp
    ) {
        guard let device = registrations[registration] else { return }
        newest = DeliveryID(newest.rawValue + 1)
        var row = Row(
            registration: registration,
            device: device.device,
            consumer: device.consumer,
            pushType: device.pushType,
            conversation: conversation,
            kind: message?.kind,
            message: message?.id,
            collapseKey: message?.collapseKey,
            expiresAt: end,
            queuedAt: turn.now
        )
        row.sequence = message?.sequence ?? 0
        if message?.kind == .agent, isHeld(row) {
            row.place = .window
            turn.held.made += 1
        }
        let id = newest
        open[id] = row
        for (older, other) in open where older < id && row.replaces(other) { withdraw(older, .cancelled, .collapsed) }
    }

    func isHeld(_ row: Row) -> Bool {
        turn.windows.holds(windowName(name(row.consumer)), device: DeviceID(trusted: row.device))
    }

    /// Ends a delivery without a provider's response; a tap or a receipt shows that it was made.
    mutating func withdraw(_ id: DeliveryID, _ state: DeliveryState, _ reason: SuppressedBy?) {
        guard var row = open.removeValue(forKey: id) else { return }
        row.end = row.tappedAt != nil ? .tapped : row.deliveredAt != nil ? .delivered : state
        row.suppressedBy = row.end == state ? reason : nil
        row.finishedAt = turn.now
        finished[id] = row
        if id < turn.firstNew { turn.withdrawn.insert(id) }
        reportFailure(id, row)
    }

    mutating func withdraw(
        _ registration: RegistrationID,
        _ state: DeliveryState,
        _ reason: SuppressedBy?,
        where isEnded: (Row) -> Bool = { _ in true }
    ) {
        for (id, row) in open where row.registration == registration && isEnded(row) { withdraw(id, state, reason) }
    }

    mutating func reportFailure(_ id: DeliveryID, _ row: Row) {
        guard row.state == .failed || row.state == .expired else { return }
        let message = row.message.map { #""messageId":"\#($0)","# } ?? ""
        turn.feed.append(
            #"delivery.failed {"deliveryId":"\#(id)",\#(message)"consumer":"\#(name(row.consumer))","app":"shop","#
                + #""deviceId":"\#(row.device)","provider":"\#(row.pushType.rawValue)","state":"\#(row.state.rawValue)""#
        )
    }

    /// Releases to their lanes the rows of a consumer that no window holds any more.
    mutating func release(_ consumer: String) {
        for (id, row) in open where row.place == .window && name(row.consumer) == consumer && !isHeld(row) {
            open[id]?.place = .waiting
            turn.held.released += 1
        }
    }

    /// Whether every older open row of the registration in its queue is held already, by the walk or for a window.
    func mayBeHanded(_ id: DeliveryID) -> Bool {
        guard let row = open[id], row.place == .waiting else { return false }
        return !open.contains {
            $0.key < id && $0.value.registration == row.registration && $0.value.kind == row.kind
                && $0.value.place == .waiting
        }
    }

    // MARK: Retries

    mutating func retry(_ request: RetryRequest) -> String {
        guard let row = finished[request.delivery] else {
            guard let row = open[request.delivery] else { return "not found" }
            return "not retried \(RetryRejection.state(row.state))"
        }
        guard row.state == .failed || row.state == .expired else {
            return "not retried \(RetryRejection.state(row.state))"
        }
        let found = registrations.first {
            $0.value.device == row.device && $0.value.consumer == name(row.consumer) && $0.value.state != .stopped
        }
        guard let found else { return "not retried \(RetryRejection.registrationGone)" }
        guard found.value.state == .active else { return "not retried \(RetryRejection.registrationQuarantined)" }
        let end = turn.now.adding(seconds: request.ttlSeconds)
        guard let rejection = reopen(request.delivery, row, on: found.key, until: end) else { return "retried" }
        return "not retried \(rejection)"
    }

    /// Requeues a finished delivery, unless something forbids it.
    mutating func reopen(
        _ id: DeliveryID,
        _ row: Row,
        on registration: RegistrationID,
        until end: Timestamp
    ) -> RetryRejection? {
        if let message = row.message {
            guard let found = find(message) else { return .messageGone }
            if found.entry.sequence <= conversations[found.conversation]?.mark ?? 0 { return .read }
        }
        guard registrations[registration]?.receives.contains(row.wanted) == true else { return .notReceived }
        var again = row
        again.registration = registration
        if open.contains(where: { $0.key > id && again.replacedBy($0.value) }) { return .collapsed }
        if isShown(insteadOf: id, row) { return .collapsed }
        again.expiresAt = end
        again.place = .waiting
        again.end = nil
        again.suppressedBy = nil
        again.badge = nil
        again.providerID = nil
        again.finishedAt = nil
        finished[id] = nil
        open[id] = again
        return nil
    }

    /// Whether the device got a newer delivery with the same collapse key.
    private func isShown(insteadOf id: DeliveryID, _ row: Row) -> Bool {
        guard let key = row.collapseKey else { return false }
        return finished.contains { other, newer in
            guard other > id, newer.device == row.device, newer.collapseKey == key, let message = newer.message
            else { return false }
            let wasSent = newer.state == .accepted || newer.state == .delivered || newer.state == .tapped
            return wasSent && find(message) != nil && name(newer.consumer) == name(row.consumer)
        }
    }
}

extension ContractModel.Row {
    fileprivate func replacedBy(_ newer: Self) -> Bool { newer.replaces(self) }
}
