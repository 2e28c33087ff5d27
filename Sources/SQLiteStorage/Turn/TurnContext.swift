import GatewayModel
import GatewayStorage

/// What one turn has done so far.
struct TurnContext {
    /// A new row.
    struct NewRow {
        var id: Int64
        var registration: KnownRegistration
        var consumer: KnownConsumer
        var conversation: Int64?
        var message: Message?
        var kind: DeliveryKind
        var expiresAt: Timestamp
        /// Whether it waits for a window and not for its lane.
        var isHeld = false
        /// The number of its message's campaign.
        var campaign: Int64?
    }

    /// A new row that waits in the store.
    private struct Waiting {
        var id: Int64
        var lane: Int64
        var due: Timestamp
    }

    let turn: WriterTurn
    /// Whether anybody has a window open: all that the turn asks when nobody has.
    let hasWindows: Bool
    var slots: [LaneID: Int]
    /// Registrations that got an unowned row in this turn: younger rows must stay behind it.
    var waiting: Set<Int64> = []
    /// New rows that their lanes have slots for, and whose unread counts they get at the turn's end.
    var owned: [OutboxRow] = []
    var ownedConsumers: [KnownConsumer] = []
    /// Whether the turn queued a badge.
    var hasBadges = false
    private var unowned: [Waiting] = []
    /// Rows that ended in this turn without an answer; new ones among them go to no lane.
    private(set) var withdrawn: Set<Int64> = []
    /// Rows of earlier turns among them.
    private(set) var withdrawnEarlier: [WithdrawnRow] = []
    /// The turn's first new row: its numbers rise.
    private var firstNew: Int64?
    /// Unread counts that the turn moved and stored.
    var unread: [ConsumerKey: Int64] = [:]
    var changedConsumers: [KnownConsumer] = []
    var changedConversations: [KnownConversation] = []
    /// What windows are told.
    var news: [WindowNews] = []
    var held = HeldCounts()
    /// What the turn changed of rows of the log that are counted.
    var counts = LogDeltas()
    /// What the turn made for campaigns, by their numbers.
    var campaigns: [Int64: CampaignDelta] = [:]

    init(turn: WriterTurn) {
        self.turn = turn
        hasWindows = !turn.windows.isEmpty
        slots = turn.budgets.mapValues(\.slots)
    }

    /// Makes room at once for what events bring.
    mutating func expect(events: Int) {
        let most = slots.values.reduce(0) { max($0, $1) }
        owned.reserveCapacity(owned.count + min(events, most))
        ownedConsumers.reserveCapacity(owned.count + min(events, most))
        changedConsumers.reserveCapacity(changedConsumers.count + events)
        changedConversations.reserveCapacity(changedConversations.count + events)
    }

    mutating func changed(_ consumer: KnownConsumer) {
        guard !consumer.isChanged else { return }
        consumer.isChanged = true
        changedConsumers.append(consumer)
    }

    mutating func changed(_ conversation: KnownConversation) {
        guard !conversation.isChanged else { return }
        conversation.isChanged = true
        changedConversations.append(conversation)
    }

    /// Rows of the turn, and what it says of counts, follow a consumer that was merged into another.
    mutating func merged(_ key: Int64, into consumer: KnownConsumer, quietHours: QuietHours?) {
        for index in ownedConsumers.indices where ownedConsumers[index].key == key {
            ownedConsumers[index] = consumer
            owned[index].consumer = ConsumerKey(consumer.key)
            owned[index].traits = DeviceTraits(
                locale: owned[index].traits?.locale,
                timeZone: owned[index].traits?.timeZone,
                quietHours: quietHours
            )
        }
        unread[ConsumerKey(key)] = nil
        changed(consumer)
    }

    /// Tells a consumer's windows, if there are any.
    mutating func tellWindows(of consumer: KnownConsumer, _ brand: BrandID, _ kind: WindowNews.Kind) {
        guard hasWindows else { return }
        let name = ConsumerName(brand: brand, consumer: ConsumerID(trusted: consumer.name.id))
        if turn.windows.contains(name) { news.append(WindowNews(consumer: name, kind: kind)) }
    }

    mutating func noteNew(_ id: Int64) { if firstNew == nil { firstNew = id } }

    mutating func noteWithdrawn(_ id: Int64, of registration: Int64) {
        withdrawn.insert(id)
        // No lane knows the rows that were made in this turn.
        if let firstNew, id >= firstNew { return }
        withdrawnEarlier.append(WithdrawnRow(delivery: DeliveryID(id), registration: RegistrationID(registration)))
    }

    mutating func noteUnowned(_ id: Int64, of registration: KnownRegistration, due: Timestamp) {
        noteUnowned(id, of: registration.id, lane: registration.lane, due: due)
    }

    mutating func noteUnowned(_ id: Int64, of registration: Int64, lane: Int64, due: Timestamp) {
        waiting.insert(registration)
        unowned.append(Waiting(id: id, lane: lane, due: due))
    }

    /// The new rows for the lanes, at the turn's end.
    mutating func takeOwned() -> [OutboxRow] {
        var rows = owned
        owned = []
        for (index, consumer) in ownedConsumers.enumerated() { rows[index].unread = consumer.unread }
        if !withdrawn.isEmpty { rows.removeAll { withdrawn.contains($0.id.rawValue) } }
        return rows
    }

    /// When the first of the new rows that wait is due, by lane.
    var backlog: [LaneID: Timestamp] {
        var backlog: [LaneID: Timestamp] = [:]
        for row in unowned where !withdrawn.contains(row.id) {
            backlog[LaneID(row.lane)] = min(backlog[LaneID(row.lane)] ?? row.due, row.due)
        }
        return backlog
    }
}
