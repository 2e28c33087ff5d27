import GatewayModel
import GatewayStorage
import TurnRules

extension SimulatedStore {
    /// A consumer; its id is its index plus one.
    struct Consumer: Sendable {
        var brand: BrandID
        var id: ConsumerID
        /// The ids of its existing registrations, ascending.
        var registrations: [Int64] = []
        /// The ids of its conversations.
        var conversations: [Int64] = []
        var unread: Int64 = 0
        var isAnonymous = false
        var quietHours: QuietHours?
        var data: CustomerData?
        var createdAt: Timestamp
        /// The id of the consumer that it was merged into.
        var mergedInto: Int64?
        /// Whether it was erased, or the one that it was merged into.
        var isErased = false
        /// Whether its brand was deleted.
        var isDeleted = false
    }

    /// A session.
    struct Session: Sendable {
        var tokenHash: [UInt8]
        var consumer: Int64
        var device: DeviceID?
        var createdAt: Timestamp
    }

    /// A conversation; its id is its index plus one.
    struct Conversation: Sendable {
        var name: ConversationID
        var consumer: Int64
        /// Its messages, oldest first.
        var messages: [MessageLink] = []
        /// The first halves of the ids of proactive messages that were neither tapped nor cleared by a tap.
        var untapped: [Int64] = []
        var readSequence: Int64 = 0
        var unread: Int64 = 0
        /// The first half of its newest message's id.
        var lastMessage: Int64 = 0
        /// The first half of the id of the newest one that is not proactive, where proactive ones came after it.
        var lastSpoken: Int64 = 0
        /// The sequence of its newest message: the number of messages, unless a sabotage broke it.
        var lastSequence: Int64 = 0
        var isResolved = false
        /// Whether the gateway named it.
        var isOwn = false
    }

    /// A registration; its id is its index plus one, and the element is nil when it was deleted.
    struct Registration: Sendable {
        var brand: BrandID
        var app: AppID
        var device: DeviceID
        var consumer: Int64
        var lane: LaneID
        var token: String
        var pushType: PushType
        var platform: DevicePlatform
        var timeZone: String?
        var receives: Receives
        /// Whether it was imported and no push to it was accepted yet.
        var isImported: Bool
        var isActive = true
        /// The time at which its provider reported its token as dead: lookups do not find it any more.
        var stoppedAt: Timestamp?
        /// The deliveries that ended because of that.
        var stopped: [Int64] = []
        var registeredAt: Timestamp
        /// The last sighting of the device, with a resolution of an hour.
        var lastSeenAt: Timestamp
        var createdAt: Timestamp
        /// The ids of its deliveries in the outbox, ascending.
        var pending: [Int64] = []
    }

    /// A delivery in the outbox or in the delivery log; its id is its index plus one.
    struct Delivery: Sendable {
        var device: DeviceID
        var lane: LaneID
        var registration: Int64
        var consumer: Int64
        var conversation: Int64?
        var message: Message?
        var kind: DeliveryKind
        var owner: IncarnationID?
        var attempts = 0
        var expiresAt: Timestamp
        var queuedAt: Timestamp
        var state = DeliveryState.pending
        var suppressedBy: SuppressedBy?
        /// Whether it waits for a window.
        var isHeld = false
        /// Whether it ever waited for a window.
        var wasHeld = false
        /// The time until which its device had to be left alone, when it was last handed out.
        var notBefore = Timestamp(milliseconds: 0)
        /// The time at which its device's rows were due, when it was last handed out.
        var claimedAt = Timestamp(milliseconds: 0)
        /// Whether its device reported a tap; `isReceived` is set when it reported the receipt.
        var isTapped = false
        var isReceived = false
        /// Whether the row is neither in the outbox nor in the delivery log; set only by a sabotage.
        var isLost = false
        /// Whether housekeeping has removed the row, because its consumer was erased or its brand deleted.
        var isRemoved = false

        var sequence: Int64 { message?.sequence ?? 0 }
        /// The id of its message's campaign.
        var campaign: Int64?
        var queue: OutboxQueue { OutboxQueue(message: message?.kind, campaign: campaign) }

        /// Ends it; a push that was tapped or received was sent, however the row ends.
        mutating func end(_ state: DeliveryState, by suppressedBy: SuppressedBy?) {
            self.state = isTapped ? .tapped : isReceived ? .delivered : state
            self.suppressedBy = isTapped || isReceived ? nil : suppressedBy
        }
    }

    /// A queue in which rows of a device wait.
    struct WaitKey: Hashable, Sendable {
        var registration: Int64
        var queue: OutboxQueue
    }

    /// The wait of a device's rows in a queue that have no owner.
    struct Wait: Sendable {
        var lane: LaneID
        /// The due time; nil until its lane, which has the most of its rows in memory already, asks for them.
        var due: Timestamp?
        /// The time until which a provider asked to wait; only quiet hours move the due time beyond it.
        var notBefore: Timestamp
        /// The number of the rows.
        var rows: Int64
    }

    /// The key by which an event and its replays are recognized, on one day.
    struct DayKey: Hashable, Sendable {
        var day: Int64
        var brand: BrandID
        /// The consumer, the source and the id.
        var event: String
    }
}
