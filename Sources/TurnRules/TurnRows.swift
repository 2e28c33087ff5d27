package import GatewayModel
package import GatewayStorage

/// The rows that the rules of a turn read and write: what a storage engine implements.
///
/// The rules are the extensions of this protocol: they decide, and know neither tables nor statements. A requirement
/// reads what one lookup finds, or writes absolute values; it decides nothing, except where one statement changes rows
/// that were not read: its comment says how. Everything is called in one transaction, in the order of the turn; the
/// engine rolls back after an error. Numbers of rows are the store's own.
///
/// Mutating, because rows in memory are a value; an engine whose writer is a class calls the rules on a variable that
/// refers to it.
package protocol TurnRows {
    /// The error of a row that cannot be read or written; `Never` for rows in memory.
    associatedtype Failure: Error

    // MARK: Turns

    /// Stores the lanes that are suspended from now on, or no longer.
    mutating func store(suspensions: [LaneID: Bool], at now: Timestamp) throws(Failure)

    /// Stores what was counted in the turn: by the engine, and for campaigns.
    mutating func storeCounts(of context: TurnContext) throws(Failure)

    /// Adds the read marks to badges that are about to be sent; everything is flushed.
    mutating func addReadMarks(to rows: inout [OutboxRow], now: Timestamp) throws(Failure)

    /// Returns the number of a lane's registrations, stopped ones included.
    mutating func devices(of lane: LaneID) throws(Failure) -> Int

    /// Writes an audit entry; nothing when it is nil.
    mutating func write(_ entry: AuditEntry?) throws(Failure)

    // MARK: Consumers

    /// Returns the number of a brand; nil when there is none.
    mutating func brandKey(_ brand: BrandID) throws(Failure) -> Int64?

    /// Returns the consumer of a name, or the one that it was merged into; nil when there is none.
    ///
    /// The same object for the whole turn, with the turn's changes.
    mutating func consumer(_ name: BrandedName) throws(Failure) -> KnownConsumer?

    /// Inserts a consumer that does not exist.
    mutating func makeConsumer(
        _ name: BrandedName,
        isAnonymous: Bool,
        at now: Timestamp
    ) throws(Failure) -> KnownConsumer

    /// Removes a consumer from the engine's memory, unless an event used it there.
    mutating func forgetUnused(_ name: BrandedName)

    /// Returns the registrations of a consumer that are pushed to, in the order of their numbers.
    mutating func registrations(of consumer: Int64) throws(Failure) -> [KnownRegistration]

    /// Whether a consumer has no identifier of its brand.
    mutating func isAnonymous(_ consumer: Int64) throws(Failure) -> Bool

    /// Returns a consumer's own quiet hours.
    mutating func quietHours(of consumer: Int64) throws(Failure) -> QuietHours?

    /// Stores the members of a profile that are not nil; a consumer is no longer anonymous once it is said not to be.
    mutating func update(_ profile: ConsumerProfile, isAnonymous: Bool, of consumer: Int64) throws(Failure)

    /// Stores a back-end's change of a profile.
    mutating func store(_ change: ProfileChange, of consumer: Int64) throws(Failure)

    /// Returns a consumer as it is stored; everything is flushed.
    mutating func storedConsumer(_ key: Int64) throws(Failure) -> StoredConsumer?

    /// Returns the names of the anonymous consumers whose merge a login proves.
    mutating func anonymousConsumers(
        of session: StoredSession,
        _ terms: LoginTerms,
        brand: Int64,
        at now: Timestamp
    ) throws(Failure) -> [BrandedName]

    /// Returns the names that lead to a consumer since merges, those of the youngest consumers first; at most
    /// ``KnownConsumer/mergedLimit``.
    mutating func mergedNames(of consumer: Int64) throws(Failure) -> [String]

    /// Returns a consumer's properties and consents; nil when it has none.
    mutating func customer(_ consumer: Int64) throws(Failure) -> CustomerData?

    /// Stores a consumer's properties and consents.
    mutating func store(_ data: CustomerData, of consumer: Int64, at now: Timestamp) throws(Failure)

    /// Moves a consumer's conversations, registrations and inbox to another, and deletes its profile and its data; its
    /// name and those that lead to it lead to the other.
    ///
    /// No conversation of one has an id of the other; what is archived under such an id is deleted.
    mutating func move(_ source: KnownConsumer, into consumer: KnownConsumer) throws(Failure)

    /// Deletes a consumer without registrations and sessions, and those that were merged into it.
    mutating func erase(_ consumer: KnownConsumer, of brand: BrandID) throws(Failure)

    // MARK: Sessions

    /// Whether a credential of a brand exists and is not revoked.
    mutating func isInForce(_ credential: String, brand: Int64) throws(Failure) -> Bool

    /// Stores a value for single use; false when it was presented before.
    mutating func markUsed(_ code: RedeemedCode, at now: Timestamp) throws(Failure) -> Bool

    /// Inserts a session; one with a time to be kept is proof for a merge until then.
    mutating func insert(
        _ session: StoredSession,
        of consumer: KnownConsumer,
        keptUntil: Timestamp?
    ) throws(Failure)

    /// Counts a session that a service account opened.
    mutating func countMinted(by account: String, brand: Int64, _ id: BrandID, at time: Timestamp) throws(Failure)

    /// Whether a session belongs to a consumer and has not ended.
    mutating func isLive(_ session: [UInt8], of consumer: Int64?, at now: Timestamp) throws(Failure) -> Bool

    /// Whether a session is bound to another device.
    mutating func isBound(_ session: [UInt8], elsewhereThan device: DeviceID) throws(Failure) -> Bool

    /// Binds a session to its device, if it is bound to none; returns the number of bound sessions.
    mutating func bind(_ session: [UInt8], to device: DeviceID) throws(Failure) -> Int

    /// Ends all sessions of a consumer, and returns their number.
    mutating func endSessions(of consumer: Int64) throws(Failure) -> Int

    /// Ends the sessions of a consumer that may be used on a device: all of them for nil; returns their number.
    ///
    /// One that is bound to no device may be used on any.
    mutating func endSessions(of consumer: Int64, on device: DeviceID?) throws(Failure) -> Int

    /// Ends the sessions that a consumer had opened before one, and returns their number.
    mutating func endSessions(of consumer: Int64, before session: [UInt8]) throws(Failure) -> Int

    /// Ends the oldest sessions of a consumer beyond a number, and returns how many.
    mutating func endOldestSessions(of consumer: Int64, beyond most: Int) throws(Failure) -> Int

    /// Ends a session, and returns its facts; nil when there is none.
    mutating func endSession(_ tokenHash: [UInt8]) throws(Failure) -> EndedSession?

    /// Keeps an anonymous consumer of which a session has ended before its time, so that it can still be merged.
    mutating func keepAnonymous(_ consumer: Int64, from now: Timestamp) throws(Failure)

    // MARK: Registrations

    /// Returns the number of the lane of a device; nil when its app does not exist, or has no such lane.
    mutating func lane(of device: DeviceToRegister, brand: Int64) throws(Failure) -> Int64?

    /// Stores that a device was seen, if it was last seen at this moment or before.
    mutating func see(_ device: DeviceID, of consumer: Int64, at now: Timestamp, last: Timestamp) throws(Failure)

    /// Returns the last check for a brand's stale devices, and the moment before which inactivity does not count.
    mutating func staleLook(of brand: Int64) throws(Failure) -> (lookedAt: Timestamp, heardFrom: Timestamp)?

    /// Stores a check for a brand's stale devices.
    mutating func storeStaleLook(of brand: Int64, at now: Timestamp, heardFrom: Timestamp) throws(Failure)

    /// Returns a brand's registrations whose devices were not seen since a moment, the longest inactive first.
    mutating func staleRegistrations(
        of brand: Int64,
        notSeenSince moment: Timestamp,
        limit: Int
    ) throws(Failure) -> [Int64]

    /// Returns registrations, in the order of their numbers.
    mutating func storedRegistrations(_ lookup: RegistrationLookup) throws(Failure) -> [StoredRegistration]

    /// Returns the registration with a token, unless it is hidden; one that gets no pushes receives none.
    mutating func owner(of token: AgentEvent.TokenName, brand: Int64) throws(Failure) -> TokenOwner?

    /// Inserts a registration, and returns its number.
    mutating func insert(
        _ device: DeviceToRegister,
        of owner: KnownConsumer,
        lane: Int64,
        at now: Timestamp
    ) throws(Failure) -> Int64

    /// Stores the facts with which a device registers again: its registration is active, however it was before.
    mutating func renew(_ kept: StoredRegistration, as device: DeviceToRegister, at now: Timestamp) throws(Failure)

    /// Stores the kinds of pushes of a registration that has fewer, and publishes why.
    mutating func narrow(_ narrowed: StoredRegistration, _ reason: UnregisterReason, at now: Timestamp) throws(Failure)

    /// Deletes a registration without rows, and publishes the reason unless it is nil.
    mutating func delete(_ ended: StoredRegistration, _ reason: UnregisterReason?, at now: Timestamp) throws(Failure)

    /// Stores that a registration gets no pushes.
    mutating func quarantine(_ registration: StoredRegistration) throws(Failure)

    /// Stores that a registration is no longer marked as imported.
    mutating func confirm(_ registration: StoredRegistration) throws(Failure)

    /// Stores that a registration is stopped, with its rows and the delivery that failed, which may be in the log.
    mutating func stop(
        _ registration: StoredRegistration,
        _ failed: (id: Int64, expiresAt: Timestamp)?,
        at now: Timestamp
    ) throws(Failure)

    /// Makes a stopped registration active, and returns the deliveries that were stored with it, newest first.
    mutating func restore(_ registration: StoredRegistration) throws(Failure) -> [(id: Int64, expiresAt: Timestamp)]

    /// Returns the stopped registrations of a request, in the order in which they were stopped.
    mutating func stoppedDevices(_ request: StoppedDeviceRequest) throws(Failure) -> [Int64]

    /// Returns the time at which the first of a lane's stopped registrations was stopped.
    mutating func firstStop(of lane: LaneID) throws(Failure) -> Timestamp?

    // MARK: Conversations

    /// Returns the conversation of a consumer with an id; nil when it has none.
    ///
    /// The same object as long as it has changes to be stored.
    mutating func conversation(
        _ name: BrandedName,
        of consumer: KnownConsumer
    ) throws(Failure) -> KnownConversation?

    /// Returns the conversations of a consumer whose ids another has too, with messages or archived, in the order of
    /// their numbers.
    mutating func namesakes(
        of source: KnownConsumer,
        in consumer: KnownConsumer
    ) throws(Failure) -> [(conversation: Int64, id: String)]

    /// Stores another id of a conversation, which its consumer does not have; its consumer is about to be merged.
    mutating func rename(_ conversation: Int64, to id: String) throws(Failure)

    /// Inserts a conversation that does not exist.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - consumer: Its consumer.
    ///   - own: The first half of the gateway's id that named it; nil when a back-end did.
    /// - Returns: The conversation, without messages.
    /// - Throws: The engine's error.
    mutating func insertConversation(
        _ name: BrandedName,
        of consumer: KnownConsumer,
        own: Int64?
    ) throws(Failure) -> KnownConversation

    /// Returns the name of the unresolved conversation with a consumer's newest message that is not proactive;
    /// everything is flushed.
    mutating func newestConversation(of consumer: Int64) throws(Failure) -> String?

    /// Stores the conversations of ``TurnContext/takeChanged()``.
    mutating func flush(_ context: inout TurnContext) throws(Failure)

    /// Stores the time at which a read of a conversation was sent to the consumer's other devices.
    mutating func storeReadSent(_ conversation: Int64, at now: Timestamp) throws(Failure)

    // MARK: Messages

    /// Inserts a message whose conversation has counted it.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - key: The first half of its id.
    ///   - previous: The key of the message before it; 0 when it is the first.
    ///   - conversation: The number of its conversation.
    /// - Throws: The engine's error.
    mutating func insert(
        _ message: Message,
        key: Int64,
        after previous: Int64,
        conversation: Int64
    ) throws(Failure)

    /// Adds a proactive message to those that wait to be tapped.
    mutating func notePending(_ message: Int64, in conversation: Int64) throws(Failure)

    /// Removes a message from those that wait to be tapped.
    mutating func forgetPending(_ message: Int64, in conversation: Int64) throws(Failure)

    /// Returns a consumer's messages that wait to be tapped, with their conversations.
    mutating func pendingProactive(of consumer: Int64) throws(Failure) -> [(conversation: Int64, message: Int64)]

    /// Visits messages of a conversation, newest first, as long as the body returns true.
    ///
    /// - Parameters:
    ///   - sequence: The first message is at most here; nil begins with the newest.
    ///   - conversation: The conversation.
    ///   - body: Returns whether the message before is visited too.
    /// - Throws: The engine's error.
    mutating func visit(
        upTo sequence: Int64?,
        of conversation: KnownConversation,
        _ body: (MessageLink) -> Bool
    ) throws(Failure)

    /// Returns the sequence of a message; nil when the conversation has none of this id.
    mutating func sequence(ofMessage id: MessageID, in conversation: Int64) throws(Failure) -> Int64?

    /// Returns the facts of a message that decide whether it is pushed again; everything is flushed.
    mutating func message(
        _ key: Int64
    ) throws(Failure) -> (kind: MessageKind, collapseKey: String?, consentCategory: String?, isRead: Bool)?

    /// Returns a consumer's message under the name by which it is asked for, and its conversation; nil when it is not
    /// the consumer's.
    mutating func message(
        _ id: MessageID,
        of consumer: Int64,
        named name: ConsumerName
    ) throws(Failure) -> (message: Message, conversation: Int64)?

    /// Returns the number of a campaign; a new name gets one.
    mutating func campaign(_ name: BrandedName, at now: Timestamp) throws(Failure) -> Int64

    // MARK: Taps and receipts

    /// Returns when a message was first tapped.
    mutating func firstTap(of message: Int64) throws(Failure) -> Timestamp?

    /// Stores the first tap of a message, also in the outbox's rows of it for the consumer's device.
    mutating func store(_ tap: TapRequest, of consumer: Int64) throws(Failure)

    /// Stores a tap in the log's deliveries of its message to its device: they are tapped.
    mutating func storeInLog(_ tap: TapRequest) throws(Failure)

    /// Counts a message of a campaign that was tapped for the first time.
    mutating func noteTapped(_ campaign: String, brand: Int64) throws(Failure)

    /// Stores a receipt in the deliveries of its message to a consumer's device, also in those that it got from a
    /// consumer that was merged into it; false when there is none.
    ///
    /// A delivery in the log is delivered, unless it is tapped. A repeated receipt changes nothing.
    mutating func record(_ receipt: DeviceReceipt, of consumer: Int64) throws(Failure) -> Bool

    // MARK: Consumers' messages

    /// Returns the facts of the first arrival of an app's request.
    mutating func firstArrival(_ request: ClientRequest, hours: Int64) throws(Failure) -> FirstArrival?

    /// Stores the id of an app's request that has not arrived before, with the message that it makes.
    mutating func remember(_ request: ClientRequest, message: Int64) throws(Failure)

    /// Returns the consumers that were merged into one, the youngest first.
    mutating func mergedConsumers(into consumer: Int64, limit: Int) throws(Failure) -> [Int64]

    /// Returns the message that a consumer wrote; nil when it is removed.
    mutating func written(_ message: Int64) throws(Failure) -> StoredConsumerMessage?

    /// Returns the number of a consumer's conversations that the gateway named; not counted beyond the limit.
    mutating func ownConversations(of consumer: Int64, limit: Int) throws(Failure) -> Int

    // MARK: Replays

    /// Stores an event's id under its consumer's name, or returns the facts of its first arrival.
    ///
    /// The event may have come under another name of the same consumer: the name that it has is searched first, then
    /// the others in their order.
    ///
    /// - Parameters:
    ///   - event: The key of the event.
    ///   - hash: The hash of its content.
    ///   - message: The key of the message that it makes; nil when it makes none.
    ///   - hours: The retention of events' ids: ``EventKey/oldestDay(_:hours:)``.
    /// - Returns: Nil when the id was new.
    /// - Throws: The engine's error.
    mutating func remember(
        _ event: EventKey,
        hash: UInt64,
        message: Int64?,
        hours: Int64
    ) throws(Failure) -> FirstArrival?

    /// Deletes the id that was stored last.
    mutating func forget(_ event: EventKey) throws(Failure)

    /// Returns the result for a replay of the event that made a message, with the present unread count and without
    /// deliveries; nil when the message or its consumer is removed.
    ///
    /// Everything is flushed.
    mutating func accepted(_ message: Int64) throws(Failure) -> AcceptedEvent?

    // MARK: Outbox

    /// Returns the number of the next delivery; never one that was used.
    mutating func newDelivery() throws(Failure) -> Int64

    /// Inserts a row into the outbox.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - owner: The incarnation that has it in memory or holds it; nil when it waits.
    ///   - now: When it was queued.
    /// - Throws: The engine's error.
    mutating func insert(
        _ row: TurnContext.NewRow,
        owner: IncarnationID?,
        at now: Timestamp
    ) throws(Failure)

    /// Returns the older rows of a device that a new row replaces, oldest first: badges for a badge, those with the
    /// same collapse key for a message.
    mutating func rowsReplaced(by row: TurnContext.NewRow) throws(Failure) -> [Int64]

    /// Returns the rows of a conversation's messages up to a sequence, of all registrations of a consumer.
    mutating func rows(
        of consumer: Int64,
        conversation: Int64,
        upTo sequence: Int64
    ) throws(Failure) -> [(id: Int64, isHeld: Bool)]

    /// Returns the rows of a message, of all registrations of a consumer.
    mutating func rows(of consumer: Int64, message: Int64) throws(Failure) -> [Int64]

    /// Returns the rows of a consumer's messages that need a consent, with the category.
    mutating func rowsWithConsent(of consumer: Int64) throws(Failure) -> [(id: Int64, category: String)]

    /// Returns rows of a registration, in the order of their numbers.
    mutating func rows(_ part: RegistrationRows, of registration: Int64) throws(Failure) -> [Int64]

    /// Makes the rows of a registration that are held for windows unowned, and returns their number.
    mutating func releaseHeld(of registration: Int64) throws(Failure) -> Int

    /// Moves a row to the delivery log, with the facts of its last try; nil when it is not in the outbox.
    ///
    /// A row whose tap or receipt is stored gets the state of those instead.
    mutating func moveToLog(
        _ id: Int64,
        state: DeliveryState,
        by suppressedBy: SuppressedBy?,
        at now: Timestamp
    ) throws(Failure) -> MovedRow?

    /// Returns a delivery in the outbox or the log; nil when there is none, or its consumer was erased.
    mutating func storedDelivery(_ id: Int64) throws(Failure) -> StoredDelivery?

    /// Whether a newer row of a registration replaces a delivery, or its device got a newer one with its collapse key.
    mutating func isReplaced(
        _ id: Int64,
        message: Int64?,
        _ collapseKey: String?,
        on registration: Int64
    ) throws(Failure) -> Bool

    /// Moves a delivery of the log back to the outbox, without an owner.
    mutating func reopen(
        _ id: Int64,
        for registration: KnownRegistration,
        _ queue: OutboxQueue,
        until expiresAt: Timestamp
    ) throws(Failure)

    /// Returns when a row of the outbox expires.
    mutating func expiry(of id: Int64) throws(Failure) -> Timestamp?

    /// Copies the rows of different pushes with a response, at most ``FinishedPush/most``, to the log; false, and none is
    /// copied, when not all are in the outbox.
    ///
    /// A row whose tap or receipt is stored gets the state of those instead.
    mutating func copyToLog(_ pushes: [FinishedPush]) throws(Failure) -> Bool

    /// Deletes the row of a push that was copied to the log, and stores its last attempt if it is not the only one;
    /// returns the row's place if it had no owner.
    mutating func removeRow(of push: FinishedPush) throws(Failure) -> MovedRow?

    /// Adds the response to a push of a delivery that is in the log already: it was cancelled in flight.
    ///
    /// A cancelled one whose push was accepted is accepted; a tap or a receipt is never lowered.
    mutating func recordLate(
        _ id: Int64,
        _ response: PushResponse,
        isAccepted: Bool,
        providerID: String?
    ) throws(Failure)

    /// Stores an attempt that another may follow; false when the row is not in the outbox.
    mutating func storeAttempt(of id: Int64, _ response: PushResponse) throws(Failure) -> Bool

    /// Takes the owner from a row of the outbox, and adds attempts; nil when it is not there.
    mutating func disown(_ id: Int64, attempts: Int) throws(Failure) -> MovedRow?

    // MARK: Waiting rows

    /// Returns the waits of a registration's rows, one for each queue in which it has some.
    mutating func waits(of registration: Int64) throws(Failure) -> [WaitingRows]

    /// Inserts or replaces the wait of a queue.
    mutating func store(_ wait: WaitingRows, of registration: Int64) throws(Failure)

    /// Stores the number of a queue's waiting rows, whose wait is stored and otherwise unchanged.
    mutating func store(rows: Int64, of registration: Int64, _ queue: OutboxQueue) throws(Failure)

    /// Deletes the wait of a queue that has no waiting rows any more.
    mutating func removeWait(of registration: Int64, _ queue: OutboxQueue) throws(Failure)

    /// Stores the number of a queue's waiting rows, which are not due until their lane recalls them.
    mutating func setAside(rows: Int64, of registration: Int64, _ queue: OutboxQueue) throws(Failure)

    /// Makes devices due in a queue of a lane that wait only for quiet hours: now, or when their provider wants them.
    ///
    /// Returns them with that time, in milliseconds since 1970; of more than the limit, those that are due first.
    mutating func makeDue(
        _ queue: OutboxQueue,
        of lane: LaneID,
        limit: Int,
        at now: Timestamp
    ) throws(Failure) -> [(registration: Int64, due: Int64)]

    /// Returns the devices whose rows in the queue of a claim are due, those that are due first, with their numbers of
    /// rows; at most as many as the claim's limit.
    mutating func dueDevices(
        _ request: ClaimRequest,
        at now: Timestamp
    ) throws(Failure) -> [(registration: Int64, rows: Int)]

    /// Gives the oldest waiting rows of a device in a queue an owner, and appends them; returns their number.
    ///
    /// Those of a deleted brand get one, too, but are not appended.
    mutating func claim(
        upTo limit: Int,
        of registration: Int64,
        _ queue: OutboxQueue,
        for owner: IncarnationID,
        into rows: inout [OutboxRow]
    ) throws(Failure) -> Int

    /// Returns when the first rows of a lane's queue are due that have no owner and are not set aside.
    mutating func nextDue(of lane: LaneID, _ queue: OutboxQueue) throws(Failure) -> Timestamp?

    /// Whether more than this many waiting rows of a queue are of messages that count as unread: one push may sum them.
    mutating func hasMoreToSum(than limit: Int, _ registration: Int64, _ queue: OutboxQueue) throws(Failure) -> Bool

    /// Returns the lane of a registration; nil when it has ended.
    mutating func lane(of registration: Int64) throws(Failure) -> Int64?

    // MARK: Housekeeping

    /// Returns the expiry of a row that has expired, and that no lane has; with the wait of its queue if it has no owner.
    mutating func expired(
        _ id: Int64,
        at now: Timestamp
    ) throws(Failure) -> (expiresAt: Timestamp, due: Timestamp?, notBefore: Timestamp)?

    /// Returns the number of the first deleted lane that may still have registrations.
    mutating func firstDeletedLane() throws(Failure) -> Int64?

    /// Returns the number of a registration of a lane; nil when it has none.
    mutating func firstRegistration(of lane: Int64) throws(Failure) -> Int64?

    /// Returns rows of a registration, queue by queue, the oldest first.
    mutating func rows(of registration: Int64, limit: Int) throws(Failure) -> [Int64]

    /// Forgets a deleted lane without registrations.
    mutating func forgetDeletedLane(_ lane: Int64) throws(Failure)

    // MARK: Outbound feed

    /// Publishes an item to a brand's readers, if it has any.
    mutating func publish(
        _ brand: Int64,
        at now: Timestamp,
        _ fact: @autoclosure () -> OutboundFact
    ) throws(Failure)

    /// Publishes a delivery that was just moved to the log as failed or expired.
    mutating func publishFailed(_ delivery: Int64, at now: Timestamp) throws(Failure)
}

/// A delivery with the numbers of its brand, its present consumer and its campaign, and the key of its message, which a
/// badge does not have.
package typealias StoredDelivery = (
    brand: Int64, app: AppID, device: DeviceID, consumer: Int64, message: Int64?, campaign: Int64?,
    state: DeliveryState, suppressedBy: SuppressedBy?
)

/// The place of a row before it was moved from the outbox to the delivery log, or lost its owner.
package struct MovedRow: Sendable {
    /// The number of its registration.
    package var registration: Int64
    /// Its queue.
    package var queue: OutboxQueue
    /// Whether no incarnation owned it: it was one of ``WaitingRows``.
    package var isWaiting: Bool

    /// Creates the place of a row.
    package init(registration: Int64, queue: OutboxQueue, isWaiting: Bool) {
        self.registration = registration
        self.queue = queue
        self.isWaiting = isWaiting
    }
}
