package import GatewayModel

/// Everything that the gateway keeps.
///
/// An engine (SQLite, PostgreSQL) implements it; business rules stay above it.
///
/// Invariants that every engine keeps, each within one transaction, and that `StorageContract` tests:
/// - An event is counted once: (brand, source, id) is unique for the brand's `dedupeHours`.
/// - `sequence` is dense from 1 within a conversation, in the order of commits; the last sequence never falls, so the
///   number of a message that housekeeping has removed is not given again.
/// - A consumer's unread equals the number of its messages that are kept, count (agent, not silent) and lie above their
///   conversation's read mark; a read mark never moves back and never past the last sequence.
/// - The outbox holds exactly the deliveries that are not finished; a finished one is in the delivery log and nowhere
///   else. A row is owned by one incarnation or by none.
/// - The rows of one registration are handed out in the order of their ids: a row with an older unowned sibling is
///   never owned, and a row that is given back with a later due time moves its younger unowned siblings' due times
///   with it. A delivery that is retried (``StoreChange/retry(_:)``) comes back with its old id, unowned: younger ones that
///   are owned stay so, younger ones that wait follow it.
/// - An agent's message to a device for which the turn's ``WriterTurn/windows`` hold is written as held: owned by the
///   incarnation, but in no lane, handed out to nobody and in nobody's way. A turn that names its consumer in
///   ``WriterTurn/releases`` while no window holds it any more, a merge of its consumer under the same condition, and the
///   next start make it an unowned row as a retry does, with its old id. Otherwise it ends like any row that is not
///   finished, but for a read: then as `suppressed`, by `window_open`.
/// - Of one registration's rows with one collapse key only the newest is pending, and of its badge rows likewise: a new
///   row is queued behind the others as any row is (not owned when an older one waits unowned, not due before it), and
///   then ends those that it takes the place of as `cancelled`, by `collapsed`, owned ones too.
/// - Rows of earlier turns that a turn ends without an answer (read, collapsed, unregistered, token moved) are named in
///   ``WriterTurnResult/withdrawn``; rows of the same turn are only never handed out, and the slots that they took stay
///   taken.
/// - A consumer that was merged into another (``StoreChange/openSession(_:_:)``,
///   ``StoreChange/merge(_:)``) has nothing of its own any more: every call that names it means the other, and every answer
///   names the other.
/// - A session replaces or ends another consumer's registration only with proof of that registration's present token,
///   whatever device it names; that is decided in the transaction.
/// - When a call returns, what it did has been synced to disk.
///
/// Any thread or task may call; calls never block the caller's thread. Writing calls are serialised by the engine.
package protocol GatewayStore: Sendable {
    // MARK: Start and stop

    /// The times that the data shows, for a start to compare its clock with.
    ///
    /// - Returns: The mark, and the times of the newest message, incarnation and audit entry.
    /// - Throws: `StorageError`.
    func storedTime() async throws(StorageError) -> StoredTime

    /// Keeps the gateway's time for the next start.
    ///
    /// - Parameters:
    ///   - mark: Replaces the one that is kept.
    ///   - audit: What the audit trail says of it, in the same transaction; nil says nothing.
    /// - Throws: `StorageError`.
    func keep(_ mark: ClockMark, audit: AuditEntry?) async throws(StorageError)

    /// Starts an incarnation: takes back every row that earlier incarnations of a dead process owned, held ones too.
    ///
    /// Such rows are due no later than now. Others wait for what a provider asked of their device, or for the end of quiet
    /// hours that still hold, and for nothing else: neither quiet hours that are others by now nor a clock that was set back
    /// put them off. A wait of more than ``IncarnationStart/longestWaitMilliseconds`` was written by a clock that was wrong,
    /// and is over. Then, by registration in the order of ids, no row is due before an older one.
    ///
    /// A device all of whose rows wait for the end of quiet hours that still hold is not written.
    ///
    /// - Parameters:
    ///   - now: The time of the start.
    ///   - quietUntil: Until when it is quiet for a device.
    /// - Returns: The new incarnation and the lanes with rows that wait.
    /// - Throws: `StorageError`.
    func begin(now: Timestamp, quietUntil: @escaping QuietUntil) async throws(StorageError) -> IncarnationStart

    /// Finishes what runs and closes; later calls throw ``StorageError/closed``.
    func close() async

    /// Reads something small, to say whether the store answers.
    ///
    /// - Throws: `StorageError`.
    func probe() async throws(StorageError)

    /// Writes something small and syncs it, to say whether the store takes writes again after a fault.
    ///
    /// - Throws: `StorageError`.
    func probeWriting() async throws(StorageError)

    // MARK: The writer's turn

    /// Does one turn of the writer in one transaction: outcomes, releases, changes, accepts, then claims, in
    /// this order.
    ///
    /// All or nothing: when it throws, nothing of the turn is stored, and the caller may try its parts one by one.
    ///
    /// - Parameter turn: What waited while the last turn ran.
    /// - Returns: A result for each part, in the order of the turn.
    /// - Throws: `StorageError`.
    func commit(_ turn: WriterTurn) async throws(StorageError) -> WriterTurnResult

    /// Does one small batch of clearing away, in a transaction of its own.
    ///
    /// Candidates are looked for beside the writer; only their removal holds it. A pass (batches from a nil position until
    /// the next is nil) removes everything that its work names, except that rows which a clock that moved has put out of
    /// order may stay until those before them in the order of ids are old enough too.
    ///
    /// - Parameter batch: What to do and how much of it.
    /// - Returns: What was done and where to go on.
    /// - Throws: `StorageError`; nothing of the batch is done then.
    func keepHouse(_ batch: HousekeepingBatch) async throws(StorageError) -> HousekeepingProgress

    // MARK: Brands, apps, credentials

    /// Stores a new brand.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - audit: What the audit trail says of it, in the same transaction; nil says nothing.
    /// - Throws: `StorageError`, ``StorageError/duplicate`` when the id is taken.
    func insertBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError)

    /// Replaces a brand's name, settings and webhook.
    ///
    /// A webhook that is new begins at the end of the feed; one that changed is tried at once.
    ///
    /// - Parameters:
    ///   - brand: The brand as it should be.
    ///   - audit: What the audit trail says of it, in the same transaction; nil says nothing.
    /// - Returns: False when there is none with its id.
    /// - Throws: `StorageError`.
    func updateBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError) -> Bool

    /// Deletes a brand with everything that is its own.
    ///
    /// None of it can be found any more from then on, also not by a brand that is made anew with its id; what it leaves
    /// behind is removed by ``HousekeepingBatch/Work/deletedBrands``.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - audit: What the audit trail says of it, in the same transaction; nil says nothing. The trail itself stays.
    /// - Returns: The lanes that are gone; nil when there is no such brand.
    /// - Throws: `StorageError`.
    func deleteBrand(_ brand: BrandID, audit: AuditEntry?) async throws(StorageError) -> [LaneID]?

    /// All brands, by id.
    ///
    /// - Returns: All of them: an instance has few.
    /// - Throws: `StorageError`.
    func brands() async throws(StorageError) -> [Brand]

    /// Stores an app, new or changed, and makes its lanes.
    ///
    /// - Parameters:
    ///   - app: The app with its sealed settings.
    ///   - lanes: The lanes that its settings allow; each gets a number that it keeps.
    ///   - audit: What the audit trail says of it, in the same transaction; nil says nothing.
    /// - Returns: True when the app is new.
    /// - Throws: `StorageError`.
    func putApp(_ app: StoredApp, lanes: [LaneKey], audit: AuditEntry?) async throws(StorageError) -> Bool

    /// Deletes an app.
    ///
    /// From then on no registration of it is found, registered or pushed to, also not by an app that is made anew with its id: that
    /// has lanes of its own. The registrations and what is pending for them are ended by ``HousekeepingBatch/Work/deletedApps``;
    /// until then their deliveries are listed as they stand.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - app: The app.
    ///   - audit: What the audit trail says of it, in the same transaction; nil says nothing.
    /// - Returns: The lanes that are gone; nil when there is no such app.
    /// - Throws: `StorageError`.
    func deleteApp(
        brand: BrandID,
        app: AppID,
        audit: AuditEntry?
    ) async throws(StorageError) -> [LaneID]?

    /// All apps of all brands.
    ///
    /// - Returns: All of them: an instance has few.
    /// - Throws: `StorageError`.
    func apps() async throws(StorageError) -> [StoredApp]

    /// All lanes.
    ///
    /// - Returns: The name of each lane's number.
    /// - Throws: `StorageError`.
    func lanes() async throws(StorageError) -> [LaneID: LaneKey]

    /// Stores a new credential.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - audit: What the audit trail says of it, in the same transaction; nil says nothing.
    /// - Throws: `StorageError`, ``StorageError/duplicate`` when its id, or its name among SDK keys, is taken in the
    ///   instance, be it by one that is revoked.
    func insertCredential(_ credential: StoredCredential, audit: AuditEntry?) async throws(StorageError)

    /// Marks a credential as revoked; the sessions that it opened end with it, and it opens no more.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The credential.
    ///   - now: The time of the change.
    ///   - audit: What the audit trail says of it, in the same transaction; nil says nothing.
    /// - Returns: False when the brand has no such credential that is not revoked already.
    /// - Throws: `StorageError`.
    func revokeCredential(
        brand: BrandID,
        id: String,
        now: Timestamp,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool

    /// All credentials of all brands that are not revoked.
    ///
    /// - Returns: All of them: an instance has few.
    /// - Throws: `StorageError`.
    func credentials() async throws(StorageError) -> [StoredCredential]

    /// Replaces everything that is sealed, in one transaction, and reads it again before the commit.
    ///
    /// A secret that comes into being later is sealed by who stores it: nothing else may write meanwhile. The audit trail
    /// of each brand says, in the same transaction, that the process did ``AuditAction/masterKeyRotated``; where nothing is
    /// sealed it says nothing, as nothing is done.
    ///
    /// - Parameters:
    ///   - now: When, for the audit trail.
    ///   - reseal: Seals a secret anew; called once for each, on a thread of the engine. Nil gives up.
    ///   - verify: Looks at a secret as it is stored now, after all were replaced; false gives up.
    /// - Returns: How many there were.
    /// - Throws: `StorageError`, ``StorageError/constraint(detail:)`` when a function gave up; nothing is changed then. After
    ///   another error everything is as it was or everything is replaced: the next opening of the store tells.
    func resealSecrets(
        at now: Timestamp,
        _ reseal: @escaping @Sendable (SealedSecret) -> [UInt8]?,
        verify: @escaping @Sendable (SealedSecret) -> Bool
    ) async throws(StorageError) -> ResealedCounts

    // MARK: Idempotency keys

    /// Notes that a request with an idempotency key runs, and forgets some of those that came before a moment.
    ///
    /// - Parameters:
    ///   - record: The request, without an answer.
    ///   - oldest: Requests that came at or before this moment count as forgotten; nil forgets none.
    /// - Returns: What is kept of an earlier one with the same key, and then nothing was noted; nil when it is the first.
    /// - Throws: `StorageError`.
    func beginIdempotent(
        _ record: IdempotencyRecord,
        forgetting oldest: Timestamp?
    ) async throws(StorageError) -> IdempotencyRecord?

    /// Keeps the answer of a request that was noted, or forgets the request when it did nothing.
    ///
    /// - Parameters:
    ///   - key: The request's ``IdempotencyRecord/key``.
    ///   - answer: The answer; nil forgets the request.
    /// - Throws: `StorageError`.
    func endIdempotent(key: [UInt8], answer: IdempotencyRecord.Answer?) async throws(StorageError)

    // MARK: Codes

    /// Notes that an authorization code was presented, so that it is never presented again on any node, and forgets some
    /// of those that are past ``RedeemedCode/lifetimeMilliseconds``.
    ///
    /// - Parameter code: The code, as a hash, kept from now on.
    /// - Returns: True the first time; false when it was burnt before, and then nothing is changed.
    /// - Throws: `StorageError`; the code may be burnt then.
    func burnCode(_ code: RedeemedCode) async throws(StorageError) -> Bool

    // MARK: Audit

    /// Writes something down that was done in a transaction of its own.
    ///
    /// - Parameter entry: What was done; nothing is written when it has a brand that is gone.
    /// - Throws: `StorageError`.
    func appendAudit(_ entry: AuditEntry) async throws(StorageError)

    /// A part of the audit trail, newest first.
    ///
    /// - Parameter query: Which part.
    /// - Returns: The entries; fewer than the query's limit when there are no more.
    /// - Throws: `StorageError`.
    func audit(_ query: AuditQuery) async throws(StorageError) -> [AuditRecord]

    // MARK: Reads

    /// The session of a token.
    ///
    /// - Parameter tokenHash: SHA-256 of the token, 32 bytes.
    /// - Returns: Nil when there is none, or its credential is revoked; an expired one is returned as long as it is kept.
    /// - Throws: `StorageError`.
    func session(tokenHash: [UInt8]) async throws(StorageError) -> StoredSession?

    /// Asks to be told of sessions that ended, whichever gateway on this data ended them.
    ///
    /// - Parameter listener: Called after the commit, on a thread of the engine: must not block and must not call the store.
    ///   On the gateway that ended them it is called before the commit's call returns, on others within a second.
    ///   What was looked up before that is to be looked up again.
    func onSessionEnd(_ listener: @escaping @Sendable (SessionEnd) -> Void)

    /// Asks to be told when a call meets damaged data, whoever made the call.
    ///
    /// - Parameter listener: Called with the error that the call throws, before it does, on a thread of the engine: must not block
    ///   and must not call the store.
    func onDamage(_ listener: @escaping @Sendable (StorageError) -> Void)

    /// A consumer.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The consumer.
    /// - Returns: Nil when the brand has never seen it.
    /// - Throws: `StorageError`.
    func consumer(brand: BrandID, id: ConsumerID) async throws(StorageError) -> StoredConsumer?

    /// A consumer with what is kept of it beside its conversations, devices and deliveries.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The consumer.
    /// - Returns: Nil when the brand has never seen it.
    /// - Throws: `StorageError`.
    func consumerRecord(brand: BrandID, id: ConsumerID) async throws(StorageError) -> ConsumerRecord?

    /// A consumer's conversations, oldest first, those without messages among them but for resolved ones whose messages are
    /// past their retention (``HousekeepingBatch/Work/conversations(before:)``).
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    ///   - after: Only conversations behind this one.
    ///   - limit: At most this many.
    /// - Returns: Nil when the brand has never seen the consumer.
    /// - Throws: `StorageError`.
    func conversations(
        brand: BrandID,
        consumer: ConsumerID,
        after: ConversationKey?,
        limit: Int
    ) async throws(StorageError) -> [StoredConversation]?

    /// The conversation that an event without one would go to: of those that are not resolved the one with the newest message.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    /// - Returns: Nil when there is none, or the brand has never seen the consumer.
    /// - Throws: `StorageError`.
    func activeConversation(
        brand: BrandID,
        consumer: ConsumerID
    ) async throws(StorageError) -> ConversationID?

    /// Messages of one conversation in order, with their taps.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer whose conversation it is.
    ///   - conversation: The conversation.
    ///   - afterSequence: Only messages above it.
    ///   - limit: At most this many.
    /// - Returns: Nil when the conversation is unknown or another consumer's.
    /// - Throws: `StorageError`.
    func messageRecords(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID,
        afterSequence: Int64,
        limit: Int
    ) async throws(StorageError) -> [MessageRecord]?

    /// A consumer's unread count, over open and closed conversations (R87).
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    /// - Returns: The total, and the conversations with messages, at most ``UnreadCounts/maxConversations``.
    /// - Throws: `StorageError`.
    func unread(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> UnreadCounts

    /// Messages of one conversation in order.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer whose conversation it is.
    ///   - conversation: The conversation; nil reads all of the consumer's conversations in the order of acceptance and
    ///     ignores `afterSequence`.
    ///   - afterSequence: Only messages above it.
    ///   - after: Only messages after this one (a cursor for the form without a conversation).
    ///   - limit: At most this many.
    /// - Returns: Nil when the conversation is unknown or another consumer's.
    /// - Throws: `StorageError`.
    func messages(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID?,
        afterSequence: Int64,
        after: MessageID?,
        limit: Int
    ) async throws(StorageError) -> [Message]?

    /// A consumer's proactive messages that were neither tapped nor cleared and are not past their look-back (R115).
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    ///   - before: Only messages before this one (a cursor); nil begins with the newest.
    ///   - now: The time that look-backs are held against.
    ///   - limit: At most this many.
    /// - Returns: The messages, newest first; empty when the brand has never seen the consumer.
    /// - Throws: `StorageError`.
    func pendingProactive(
        brand: BrandID,
        consumer: ConsumerID,
        before: MessageID?,
        now: Timestamp,
        limit: Int
    ) async throws(StorageError) -> [Message]

    /// A registration.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - app: The app.
    ///   - device: The device.
    /// - Returns: Nil when there is none.
    /// - Throws: `StorageError`.
    func registration(
        brand: BrandID,
        app: AppID,
        device: DeviceID
    ) async throws(StorageError) -> DeviceRegistration?

    /// A consumer's registrations, oldest first.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    /// - Returns: All of them: a consumer has few.
    /// - Throws: `StorageError`.
    func registrations(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> [DeviceRegistration]

    /// Deliveries by filter, newest first, from the outbox and the delivery log.
    ///
    /// The work for a page has a bound, whatever the log holds of this brand or others. With one filter, or with one and
    /// a window of time, a page of finished deliveries is full unless it is the last. With several filters, and where
    /// the outbox holds many rows, a page may be shorter than asked, even empty, with another behind it. A delivery that
    /// finishes between two pages keeps its place; a cursor stays good when its delivery is removed.
    ///
    /// - Parameter query: The filter and the page.
    /// - Returns: A page.
    /// - Throws: `StorageError`.
    func deliveries(_ query: DeliveryQuery) async throws(StorageError) -> DeliveryPage

    /// One delivery with all its attempts, oldest first.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The delivery.
    /// - Returns: Nil when the brand has no such delivery.
    /// - Throws: `StorageError`.
    func delivery(brand: BrandID, id: DeliveryID) async throws(StorageError) -> DeliveryDetail?

    /// What became of deliveries that are finished, in the order in which it did, for readers that follow.
    ///
    /// Each delivery is named once, at its newest change: one that changes again moves to the end. Changes are numbered
    /// in the order of commits, so that none ever appears below one that was read. Those of deliveries that were removed,
    /// or that are tried again, are gone.
    ///
    /// - Parameters:
    ///   - query: The filter; its cursor is ignored, and its limit counts what is returned.
    ///   - position: The change after which to begin; 0 begins at the oldest kept.
    /// - Returns: The changes, oldest first, and how far was looked: at most about 1,000 changes a call.
    /// - Throws: `StorageError`.
    func deliveryChanges(_ query: DeliveryQuery, after position: Int64) async throws(StorageError) -> DeliveryChanges

    /// The position behind the newest change of a brand's finished deliveries.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: 0 when there is none.
    /// - Throws: `StorageError`.
    func lastDeliveryChange(brand: BrandID) async throws(StorageError) -> Int64

    /// Counts of the deliveries that were queued in a window that ends now, as they stand now.
    ///
    /// The work for it has a bound, whatever the log holds.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - window: The window.
    ///   - now: The end of the window.
    /// - Returns: The counts; all 0 for a brand that is unknown.
    /// - Throws: `StorageError`.
    func deliveryStats(
        brand: BrandID,
        window: StatsWindow,
        now: Timestamp
    ) async throws(StorageError) -> DeliveryStats

    /// What became of a campaign.
    ///
    /// The work for it has a bound, whatever the log holds.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The campaign.
    /// - Returns: Nil when the brand has no message of it, or its last one is older than what is kept.
    /// - Throws: `StorageError`.
    func campaign(brand: BrandID, id: CampaignID) async throws(StorageError) -> CampaignStats?

    /// What became of a brand's campaigns: those whose first message is the newest come first.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - before: Only campaigns behind this one, by ``CampaignStats/number``; nil begins with the newest.
    ///   - limit: At most so many.
    /// - Returns: None of a brand that is not known.
    /// - Throws: `StorageError`.
    func campaigns(brand: BrandID, before: Int64?, limit: Int) async throws(StorageError) -> [CampaignStats]

    // MARK: Outbound feed

    /// Asks to be told of new outbound items when they can be read.
    ///
    /// - Parameter listener: Called after the commit with the brand and how many items are new, on a thread of the engine:
    ///   must not block and must not call the store.
    func onOutbound(_ listener: @escaping @Sendable (BrandID, Int) -> Void)

    /// Finds a subscription, or makes it.
    ///
    /// From then on items are kept for the brand; a brand that nobody reads stores none.
    ///
    /// - Parameters:
    ///   - id: The brand.
    ///   - subscription: Its name.
    ///   - fromStart: Whether a new one begins with what is kept, and not at the end.
    ///   - owner: The service account that owns a new one, and one that is there whose owner is still `formerOwner`; nil
    ///     changes no owner.
    ///   - formerOwner: The owner that the caller found, whose account is gone; nil for one without an owner.
    ///   - now: The time of the change.
    /// - Returns: The subscription as it is now, or why there is none.
    /// - Throws: `StorageError`.
    func openSubscription(
        brand id: BrandID,
        _ subscription: SubscriptionID,
        fromStart: Bool,
        owner: String?,
        formerOwner: String?,
        now: Timestamp
    ) async throws(StorageError) -> SubscriptionOpening

    /// A brand's subscriptions.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: All of them, and where the feed ends; empty when there is no such brand.
    /// - Throws: `StorageError`.
    func subscriptions(brand: BrandID) async throws(StorageError) -> OutboundOverview

    /// Moves a subscription's mark forward; one that lies further already stays.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - subscription: The subscription.
    ///   - upTo: The last position that was read.
    ///   - now: The time of the change.
    /// - Returns: Where the mark is, or why it was not moved.
    /// - Throws: `StorageError`.
    func acknowledge(
        brand: BrandID,
        _ subscription: SubscriptionID,
        upTo: Int64,
        now: Timestamp
    ) async throws(StorageError) -> SubscriptionAck

    /// Deletes a subscription.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - subscription: The subscription.
    ///   - audit: What the audit trail says of it, in the same transaction; nil says nothing.
    /// - Returns: False when there is none.
    /// - Throws: `StorageError`.
    func deleteSubscription(
        brand: BrandID,
        _ subscription: SubscriptionID,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool

    /// Items of a brand's outbound feed in order.
    ///
    /// Never steps over an item that a transaction that is still open may yet store.
    ///
    /// - Parameter query: Which items.
    /// - Returns: A page; an empty one when there is no such brand.
    /// - Throws: `StorageError`.
    func outbound(_ query: OutboundQuery) async throws(StorageError) -> OutboundPage

    /// How far a brand's webhook is; made with the webhook's settings, at the end of the feed, and gone with them.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: Nil when it has none.
    /// - Throws: `StorageError`.
    func webhookState(brand: BrandID) async throws(StorageError) -> WebhookState?

    /// Stores how far a brand's webhook is, unless its settings or its mark were changed by somebody else meanwhile.
    ///
    /// - Parameters:
    ///   - state: How far it is, with the revision that it was decided on.
    ///   - brand: The brand.
    /// - Returns: False when the revision is another one by now; nothing is stored then.
    /// - Throws: `StorageError`.
    func putWebhookState(_ state: WebhookState, brand: BrandID) async throws(StorageError) -> Bool

    /// Sets a webhook's mark, so that what lies behind it is posted again; it is tried at once, also when it was switched
    /// off.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - after: The position; beyond the end is the end.
    ///   - audit: What the trail says of it; written with it.
    /// - Returns: How it stands now; nil when the brand has none.
    /// - Throws: `StorageError`.
    func replayWebhook(brand: BrandID, after: Int64, audit: AuditEntry?) async throws(StorageError) -> WebhookState?
}

extension GatewayStore {
    /// Starts an incarnation where it is quiet for nobody.
    ///
    /// - Parameter now: The time of the start.
    /// - Returns: The new incarnation and the lanes with rows that wait.
    /// - Throws: `StorageError`.
    package func begin(now: Timestamp) async throws(StorageError) -> IncarnationStart {
        try await begin(now: now) { _, _ in nil }
    }
}
