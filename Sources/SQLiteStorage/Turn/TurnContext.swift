import GatewayModel
import GatewayStorage

/// What one turn has read and changed so far, so that its hot path reads nothing twice.
struct TurnContext {
    /// A consumer or conversation within a brand.
    struct Name: Hashable {
        var brand: Int64
        var id: String
    }

    struct Consumer {
        var key: Int64
        var unread: Int64
        var isChanged = false
        /// Nil until they are needed.
        var registrations: [Registration]?
        /// Where events without a conversation go; nil until it is needed.
        var activeConversation: String?
    }

    struct Conversation {
        var key: Int64
        var consumer: Int64
        var lastSequence: Int64
        var unread: Int64
        var isResolved: Bool
        var isChanged = false
    }

    struct Registration {
        var id: Int64
        var lane: Int64
        var token: String
        var platform: DevicePlatform
        var receives: Receives
        var device: String
    }

    /// A new row that the lane has a slot for.
    struct Owned {
        var id: Int64
        var registration: Registration
        var consumer: Int64
        var conversation: Int64?
        var message: Message?
        var kind: DeliveryKind
        var expiresAt: Timestamp
    }

    let turn: WriterTurn
    var slots: [LaneID: Int]
    /// Registrations that got an unowned row in this turn: younger rows must stay behind it.
    var waiting: Set<Int64> = []
    var owned: [Owned] = []
    var unowned: [LaneID: Backlog] = [:]
    var unread: [ConsumerKey: Int64] = [:]
    var consumers: [Name: Consumer] = [:]
    var conversations: [Name: Conversation] = [:]

    init(turn: WriterTurn) {
        self.turn = turn
        slots = turn.budgets.mapValues(\.slots)
    }

    mutating func noteUnowned(lane: Int64, due: Timestamp) {
        let old = unowned[LaneID(lane)] ?? Backlog(count: 0, nextDue: due)
        unowned[LaneID(lane)] = Backlog(count: old.count + 1, nextDue: min(old.nextDue, due))
    }
}
