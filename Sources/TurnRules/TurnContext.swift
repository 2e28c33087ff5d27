package import GatewayModel
package import GatewayStorage

/// The state of one running turn.
package struct TurnContext {
    /// A new row.
    package struct NewRow {
        /// The number of the delivery.
        package var id: Int64
        /// The registration that it is for.
        package var registration: KnownRegistration
        /// The consumer of the registration.
        package var consumer: KnownConsumer
        /// The number of the message's conversation; nil for a badge.
        package var conversation: Int64?
        /// The message; nil for a badge.
        package var message: Message?
        /// The payload.
        package var kind: DeliveryKind
        /// The moment after which it is not sent any more.
        package var expiresAt: Timestamp
        /// Whether it waits for a window and not for its lane.
        package var isHeld = false
        /// The number of its message's campaign.
        package var campaign: Int64?
        /// Whether the message was stored with an earlier event: newer messages may have pushes with lower numbers.
        package var isAgain = false

        /// The queue of its lane.
        package var queue: OutboxQueue { OutboxQueue(message: message?.kind, campaign: campaign) }
    }

    /// Rows of a device that were requeued.
    struct RequeuedRows {
        var due: Int64
        /// The time until which the provider wants none.
        var notBefore: Int64
        /// The number of rows, by their queues.
        var rows: [OutboxQueue: Int64] = [:]
    }

    /// The turn.
    package let turn: WriterTurn
    /// Whether any window is open: the only check of a turn when none is.
    let hasWindows: Bool
    /// The rows that lanes can still take into memory.
    var budgets: LaneBudgets
    /// Registrations that got an unowned row in this turn, with the first queue of such rows: newer rows of the queue,
    /// and of those that leave after it, must stay behind.
    private var waiting: [Int64: OutboxQueue] = [:]
    /// New rows with a slot in their lanes; they get their unread counts at the turn's end.
    private var owned: [OutboxRow] = []
    /// The consumers of ``owned``.
    private var ownedConsumers: [KnownConsumer] = []
    /// Whether the turn queued a badge.
    var hasBadges = false
    /// The time at which the first of the rows is due that wait since this turn, by queue.
    private(set) var backlog: [LaneQueue: Timestamp] = [:]
    /// Requeued rows, by registration, that are not stored in `waiting` yet.
    var requeuedRows: [Int64: RequeuedRows] = [:]
    /// The number of rows that the turn took into memory, by registration.
    private var ownedOf: [Int64: Int] = [:]
    /// Rows that ended in this turn without a provider's response; new ones among them go to no lane.
    package private(set) var withdrawn: Set<Int64> = []
    /// The turn's first new row: its numbers rise.
    private var firstNew: Int64?
    /// The changes that others keep in memory; an unread count is among them once it is stored.
    private(set) var updates = TurnUpdates()
    private var changedConsumers: [KnownConsumer] = []
    private var changedConversations: [KnownConversation] = []
    /// The numbers of rows that were held for windows, released and suppressed.
    var held = HeldCounts()
    /// Registrations that outcomes of the turn have stopped, by their lanes.
    private(set) var stopped: [Int64: (registrations: [RegistrationID], imported: Set<RegistrationID>)] = [:]
    /// The turn's new rows of campaigns, by their numbers.
    package internal(set) var campaigns: [Int64: CampaignDelta] = [:]

    /// Begins a turn.
    ///
    /// - Parameter turn: The turn.
    package init(turn: WriterTurn) {
        self.turn = turn
        hasWindows = !turn.windows.isEmpty
        budgets = turn.budgets
    }

    /// Reserves capacity for the events.
    mutating func expect(events: Int) {
        let most = budgets.mostSlots
        owned.reserveCapacity(owned.count + min(events, most))
        ownedConsumers.reserveCapacity(owned.count + min(events, most))
        changedConsumers.reserveCapacity(changedConsumers.count + events)
        changedConversations.reserveCapacity(changedConversations.count + events)
    }

    /// Records that a consumer's unread count has changed.
    mutating func changed(_ consumer: KnownConsumer) {
        guard !consumer.isChanged else { return }
        consumer.isChanged = true
        changedConsumers.append(consumer)
    }

    /// Records that values of a conversation are to be stored.
    mutating func changed(_ conversation: KnownConversation) {
        guard !conversation.isChanged else { return }
        conversation.isChanged = true
        changedConversations.append(conversation)
    }

    /// Returns the conversations to store, and adds the changed unread counts to ``updates``.
    ///
    /// Each conversation once, however many events it got: for ``TurnRows/flush(_:)``.
    ///
    /// - Returns: The conversations that changed since the last call.
    package mutating func takeChanged() -> [KnownConversation] {
        updates.unread.reserveCapacity(updates.unread.count + changedConsumers.count)
        for consumer in changedConsumers {
            consumer.isChanged = false
            updates.unread[ConsumerKey(consumer.key)] = consumer.unread
        }
        changedConsumers.removeAll(keepingCapacity: true)
        let conversations = changedConversations
        for conversation in conversations { conversation.isChanged = false }
        changedConversations = []
        return conversations
    }

    /// Moves rows and counts of the turn to the consumer into which another was merged.
    mutating func merged(_ key: Int64, into consumer: KnownConsumer, quietHours: QuietHours?) {
        for index in ownedConsumers.indices where ownedConsumers[index].key == key {
            ownedConsumers[index] = consumer
            owned[index].consumer = ConsumerKey(consumer.key)
        }
        set(quietHours, of: consumer.key)
        updates.unread[ConsumerKey(key)] = nil
        changed(consumer)
    }

    /// Gives a device's rows of the turn the facts with which it registered again.
    ///
    /// A badge of the turn is sent at its end, with the token and the facts of the device at that time.
    mutating func renew(_ registration: Int64, as device: DeviceToRegister) {
        for index in owned.indices where owned[index].registration.rawValue == registration {
            owned[index].token = device.token
            owned[index].platform = device.platform
            owned[index].traits = DeviceTraits(
                locale: device.locale,
                timeZone: device.timeZone,
                quietHours: owned[index].traits?.quietHours
            )
        }
    }

    /// Sets the quiet hours of a consumer's rows of the turn to the present ones.
    mutating func set(_ quietHours: QuietHours?, of key: Int64) {
        for index in ownedConsumers.indices where ownedConsumers[index].key == key {
            owned[index].traits = DeviceTraits(
                locale: owned[index].traits?.locale,
                timeZone: owned[index].traits?.timeZone,
                quietHours: quietHours
            )
        }
    }

    /// Whether a consumer's agents' messages to a device are held for a window (Architecture page, 7).
    func holds(_ brand: BrandID, _ consumer: KnownConsumer, _ registration: KnownRegistration) -> Bool {
        turn.windows.holds(
            ConsumerName(brand: brand, consumer: ConsumerID(trusted: consumer.name.id)),
            device: DeviceID(trusted: registration.device)
        )
    }

    /// Adds a change for a consumer's windows, if there are any, with the window that caused it.
    mutating func notifyWindows(
        of consumer: KnownConsumer,
        _ brand: BrandID,
        _ kind: WindowEvent.Kind,
        from origin: WindowID? = nil
    ) {
        guard hasWindows else { return }
        let name = ConsumerName(brand: brand, consumer: ConsumerID(trusted: consumer.name.id))
        guard turn.windows.contains(name) else { return }
        updates.windowEvents.append(WindowEvent(consumer: name, kind: kind, origin: origin))
    }

    /// Records a change of registrations.
    mutating func note(_ update: RegistrationUpdate) { updates.registrations.append(update) }

    /// Records that sessions of a consumer have ended or changed.
    mutating func noteEnd(_ brand: BrandID, _ consumer: ConsumerID) {
        updates.endedSessions.append(ConsumerName(brand: brand, consumer: consumer))
    }

    /// Records a new row that a lane sends from memory.
    mutating func add(owned row: OutboxRow, of consumer: KnownConsumer) {
        owned.append(row)
        ownedConsumers.append(consumer)
    }

    /// Records the number of a new row.
    mutating func noteNew(_ id: Int64) { if firstNew == nil { firstNew = id } }

    /// Records a row that ended without a provider's response.
    mutating func noteWithdrawn(_ id: Int64, of registration: Int64) {
        withdrawn.insert(id)
        // No lane has the rows that were created in this turn.
        if let firstNew, id >= firstNew { return }
        updates.withdrawn.append(WithdrawnRow(delivery: DeliveryID(id), registration: RegistrationID(registration)))
    }

    /// Records that an outcome has stopped a device.
    mutating func noteStopped(_ registration: StoredRegistration) {
        let id = RegistrationID(registration.id)
        stopped[registration.lane, default: ([], [])].registrations.append(id)
        if registration.isImported { stopped[registration.lane]?.imported.insert(id) }
    }

    /// Records a requeued row; its device's rows are not due before this time, whatever their queue.
    ///
    /// - Parameters:
    ///   - registration: The number of its registration.
    ///   - queue: Its queue.
    ///   - due: The time, in milliseconds since 1970.
    ///   - isAsked: Whether it is a provider that wants none before.
    mutating func requeue(_ registration: Int64, queue: OutboxQueue, due: Int64, isAsked: Bool) {
        waiting[registration] = .agent
        let notBefore = isAsked ? due : 0
        var back = requeuedRows[registration] ?? RequeuedRows(due: due, notBefore: notBefore)
        back.due = max(back.due, due)
        back.notBefore = max(back.notBefore, notBefore)
        back.rows[queue, default: 0] += 1
        requeuedRows[registration] = back
    }

    /// Records that rows of a device wait in the store.
    mutating func noteWaiting(_ registration: Int64, lane: Int64, queue: OutboxQueue, due: Int64?) {
        waiting[registration] = min(waiting[registration] ?? queue, queue)
        guard let due else { return }
        let place = LaneQueue(LaneID(lane), queue)
        backlog[place] = min(backlog[place] ?? Timestamp(milliseconds: due), Timestamp(milliseconds: due))
    }

    /// Returns the queues of a lane in which rows wait since this turn.
    func queues(waitingFor lane: LaneID) -> [OutboxQueue] { backlog.keys.filter { $0.lane == lane }.map(\.queue) }

    /// Records that none of a device's rows waits in a queue any more.
    mutating func noteNoneWaiting(_ registration: Int64, _ queue: OutboxQueue) {
        if waiting[registration] == queue { waiting[registration] = nil }
    }

    /// Whether a row must stay behind another of its device that waits since this turn.
    func waits(_ registration: Int64, _ queue: OutboxQueue) -> Bool {
        waiting[registration].map { $0 <= queue } ?? false
    }

    /// Whether a device has room in memory for another row.
    func hasRoom(for registration: Int64, _ queue: OutboxQueue, _ limit: DeviceLimit?) -> Bool {
        guard let limit else { return true }
        return rowsInMemory(of: registration) < limit.most(queue.pushClass)
    }

    /// Returns the upper bound of a device's rows in memory, with those of this turn; at least 1.
    func rowsInMemory(of registration: Int64) -> Int {
        (turn.rowsInMemory[RegistrationID(registration)] ?? 1) + (ownedOf[registration] ?? 0)
    }

    /// Records rows that the turn took into memory.
    mutating func noteOwned(_ count: Int = 1, of registration: Int64) {
        ownedOf[registration, default: 0] += count
    }

    /// Returns the new rows for the lanes, at the turn's end.
    mutating func takeOwned() -> [OutboxRow] {
        var rows = owned
        owned = []
        for (index, consumer) in ownedConsumers.enumerated() { rows[index].unread = consumer.unread }
        if !withdrawn.isEmpty { rows.removeAll { withdrawn.contains($0.id.rawValue) } }
        return rows
    }
}
