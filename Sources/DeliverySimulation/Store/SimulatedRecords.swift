import GatewayModel
import GatewayStorage

extension SimulatedStore {
    /// A consumer; its number is its place plus one.
    struct Consumer: Sendable {
        var brand: BrandID
        var id: ConsumerID
        /// The numbers of its registrations that are there, rising.
        var registrations: [Int64] = []
        /// The numbers of its conversations.
        var conversations: [Int64] = []
        var unread: Int64 = 0
        var isAnonymous = false
        var quietHours: QuietHours?
        var createdAt: Timestamp
        /// The number of the one that it was merged into.
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

    /// A conversation; its number is its place plus one.
    struct Conversation: Sendable {
        var name: ConversationID
        var consumer: Int64
        /// Whether each message counts, in order.
        var counts: [Bool] = []
        /// The sequences of proactive messages that are shown, rising.
        var proactive: [Int64] = []
        /// Proactive messages that were neither tapped nor cleared by a tap.
        var untapped: [MessageID] = []
        var readSequence: Int64 = 0
        var unread: Int64 = 0
        /// The first half of its newest message's id.
        var lastMessage: UInt64 = 0
        /// The sequence of its newest message: the number of messages, if nobody has broken it.
        var lastSequence: Int64 = 0
    }

    /// A registration; its number is its place plus one, and the place is empty when it is gone.
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
        var isActive = true
        /// When its provider called its token dead: nobody knows it any more.
        var stoppedAt: Timestamp?
        /// What ended because of that.
        var stopped: [Int64] = []
        var registeredAt: Timestamp
        /// The device's last sign of life, by the hour.
        var lastSeenAt: Timestamp
        var createdAt: Timestamp
        /// The numbers of its deliveries in the outbox, rising.
        var pending: [Int64] = []
    }

    /// A delivery in the outbox or in the log; its number is its place plus one.
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
        /// Whether it ever did.
        var wasHeld = false
        /// Until when its device had to be left alone, as it was last handed out.
        var notBefore = Timestamp(milliseconds: 0)
        /// When its device's rows were due, as it was last handed out.
        var claimedAt = Timestamp(milliseconds: 0)
        /// Its device says that it was tapped, or that it came.
        var isTapped = false
        var isReceived = false
        /// Only sabotage sets it: the row is neither in the outbox nor in the log.
        var isLost = false
        /// Housekeeping has removed the row, because its consumer was erased or its brand deleted.
        var isRemoved = false

        var sequence: Int64 { message?.sequence ?? 0 }
        /// The number of its message's campaign.
        var campaign: Int64?
        var queue: OutboxQueue { OutboxQueue(message: message?.kind, campaign: campaign) }
    }

    /// Rows of a device that went back to the store.
    struct GivenBack: Sendable {
        var lane: LaneID
        var due: Timestamp
        /// Until then the provider wants none.
        var notBefore = Timestamp(milliseconds: 0)
        var queues: Set<OutboxQueue> = []
    }

    /// A queue in which rows of a device wait.
    struct WaitKey: Hashable, Sendable {
        var registration: Int64
        var queue: OutboxQueue
    }

    /// Until when a device's rows in a queue wait that nobody owns.
    struct Wait: Sendable {
        var lane: LaneID
        /// Nil until its lane, which has as many of its rows in memory as it may, asks for them.
        var due: Timestamp?
        /// Until then a provider wants none; only quiet hours put the due time behind it.
        var notBefore: Timestamp
    }

    /// What is remembered of an event's first coming.
    struct FirstComing: Sendable {
        var hash: UInt64
        var message: Message?
    }

    /// What tells an event from its replays, on one day.
    struct DayKey: Hashable, Sendable {
        var day: Int64
        var brand: BrandID
        var event: String
    }

    /// What one turn has done so far.
    struct Context {
        var now: Timestamp
        var incarnation: IncarnationID
        var budgets: LaneBudgets
        var rowsInMemory: [RegistrationID: Int]
        /// Rows that the turn took into memory, by registration.
        var ownedOf: [Int64: Int] = [:]
        var windows: OpenWindows
        var news: [WindowNews] = []
        var held = HeldCounts()
        var owned: [Int64] = []
        /// Consumers whose unread count moved.
        var changed: Set<Int64> = []
        /// Registrations that outcomes have stopped, by their lanes.
        var stopped: [LaneID: [RegistrationID]] = [:]
    }
}
