package import GatewayModel

/// The gateway's storage.
///
/// An engine (SQLite, PostgreSQL) implements it; business rules stay above it.
///
/// Invariants that every engine keeps, each within one transaction, and that `StorageContract` tests:
/// - An event is counted once: (brand, source, id) is unique for the brand's `dedupeHours`.
/// - `sequence` is dense from 1 within a conversation, in commit order. The last sequence never falls, so the number of
///   a message that housekeeping has removed is not reused.
/// - A consumer's unread equals the number of its stored messages that count (``GatewayModel/Message/countsAsUnread``)
///   and lie above their conversation's read mark. A read mark never moves back and never past the last sequence.
/// - The outbox holds exactly the deliveries that are not finished; a finished one is in the delivery log and nowhere
///   else. A row is owned by one incarnation or by none.
/// - The rows of one registration are handed out in the order of their ids: a row with an older unowned sibling is
///   never owned. A row that is requeued with a later due time moves its younger unowned siblings' due times with it. A
///   delivery that is retried (``StoreChange/retry(_:)``) returns with its old id, unowned: younger owned ones stay
///   owned, younger ones that wait follow it.
/// - An agent's message to a device for which the turn's ``WriterTurn/windows`` hold is written as held: owned by the
///   incarnation, but in no lane, not handed out, and without delaying other rows. It becomes an unowned row with its
///   old id, as after a retry, by one of three: a turn that names its consumer in ``WriterTurn/releases`` while no
///   window holds it any more, a merge of its consumer under the same condition, or the next start. Otherwise it ends
///   like any unfinished row, except by a read: then it ends as `suppressed`, by `window_open`.
/// - Of one registration's rows with one collapse key only the newest is pending; the same holds for its badge rows. A
///   new row is queued behind the others as any row is (not owned when an older one waits unowned, not due before it).
///   It then ends those that it replaces as `cancelled`, by `collapsed`, owned ones too.
/// - Rows of earlier turns that a turn ends without a provider's response (read, collapsed, unregistered, token moved)
///   are named in ``WriterTurnResult/withdrawn``. Rows of the same turn are only not handed out; their slots stay
///   taken.
/// - A consumer that was merged into another (``StoreChange/openSession(_:_:)``, ``StoreChange/merge(_:)``) owns
///   nothing any more: every call that names it means the other, and every result names the other.
/// - A session replaces or ends another consumer's registration only with proof of that registration's present token,
///   whatever device it names; the transaction decides that.
/// - When a call returns, its changes have been synced to disk.
///
/// Any thread or task may call; calls never block the caller's thread. Write calls are serialised by the engine.
package protocol GatewayStore: Sendable {
    // MARK: Start and stop

    /// Returns the times in the data, with which a start compares its clock.
    ///
    /// - Returns: The mark, and the times of the newest message, incarnation and audit entry.
    /// - Throws: `StorageError`.
    func storedTime() async throws(StorageError) -> StoredTime

    /// Stores the gateway's time for the next start.
    ///
    /// - Parameters:
    ///   - mark: The new mark, which replaces the stored one.
    ///   - audit: The audit entry, written in the same transaction; nil writes none.
    /// - Throws: `StorageError`.
    func keep(_ mark: ClockMark, audit: AuditEntry?) async throws(StorageError)

    /// Starts an incarnation: requeues every row that earlier incarnations of a dead process owned, held ones too.
    ///
    /// Such rows are due now or earlier. Other rows keep only two waits: the one that a provider asked for their
    /// device, and the end of quiet hours that still hold. Quiet hours that have changed since and a clock that was set
    /// back delay nothing. A wait of more than ``IncarnationStart/longestWaitMilliseconds`` was written by a wrong
    /// clock, and is over. Then, within a registration, no row is due before one with a lower id.
    ///
    /// A device is not written when all its rows wait for the end of quiet hours that still hold.
    ///
    /// - Parameters:
    ///   - now: The time of the start.
    ///   - quietUntil: The end of the quiet hours that hold for a device.
    /// - Returns: The new incarnation and the lanes with rows that wait.
    /// - Throws: `StorageError`.
    func begin(now: Timestamp, quietUntil: @escaping QuietUntil) async throws(StorageError) -> IncarnationStart

    /// Finishes running calls and closes; later calls throw ``StorageError/closed``.
    func close() async

    /// Reads a small value, to check that the store responds.
    ///
    /// - Throws: `StorageError`.
    func probe() async throws(StorageError)

    /// Writes a small value and syncs it, to check that the store accepts writes again after an error.
    ///
    /// - Throws: `StorageError`.
    func probeWriting() async throws(StorageError)

    // MARK: The writer's turn

    /// Runs one turn of the writer in one transaction: outcomes, releases, changes, accepts, then claims, in this
    /// order.
    ///
    /// All or nothing: when it throws, nothing of the turn is stored, and the caller may retry its parts one by one.
    ///
    /// - Parameter turn: The work that was queued while the last turn ran.
    /// - Returns: A result for each part, in the order of the turn.
    /// - Throws: `StorageError`.
    func commit(_ turn: WriterTurn) async throws(StorageError) -> WriterTurnResult

    /// Runs one small batch of housekeeping, in a transaction of its own.
    ///
    /// Candidates are searched concurrently with the writer; only their removal holds it. A pass (batches from a nil
    /// position until the next is nil) removes everything that its work names. One exception: rows that a clock change
    /// has put out of order may stay until those with lower ids are old enough too.
    ///
    /// - Parameter batch: The work and its limit.
    /// - Returns: The removed rows and the position at which to continue.
    /// - Throws: `StorageError`; then the batch has changed nothing.
    func runHousekeeping(_ batch: HousekeepingBatch) async throws(StorageError) -> HousekeepingProgress

    // MARK: Brands, apps, credentials

    /// Stores a new brand.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - audit: The audit entry, written in the same transaction; nil writes none.
    /// - Throws: `StorageError`, ``StorageError/duplicate`` when the id is taken.
    func insertBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError)

    /// Replaces a brand's name, settings and webhook.
    ///
    /// A new webhook begins at the end of the feed; a changed one is tried at once.
    ///
    /// - Parameters:
    ///   - brand: The brand as it should be.
    ///   - audit: The audit entry, written in the same transaction; nil writes none.
    /// - Returns: False when no brand has its id.
    /// - Throws: `StorageError`.
    func updateBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError) -> Bool

    /// Deletes a brand with everything that belongs to it.
    ///
    /// From then on nothing of it is found, not even by a new brand with the same id.
    /// ``HousekeepingBatch/Work/deletedBrands`` removes its rows.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - audit: The audit entry, written in the same transaction; nil writes none. The audit trail itself stays.
    /// - Returns: The removed lanes; nil when there is no such brand.
    /// - Throws: `StorageError`.
    func deleteBrand(_ brand: BrandID, audit: AuditEntry?) async throws(StorageError) -> [LaneID]?

    /// Returns all brands, by id.
    ///
    /// - Returns: All of them: an instance has few.
    /// - Throws: `StorageError`.
    func brands() async throws(StorageError) -> [Brand]

    /// Stores an app, new or changed, and creates its lanes.
    ///
    /// - Parameters:
    ///   - app: The app with its sealed settings.
    ///   - lanes: The lanes that its settings allow; each gets a permanent number.
    ///   - audit: The audit entry, written in the same transaction; nil writes none.
    /// - Returns: True when the app is new.
    /// - Throws: `StorageError`.
    func putApp(_ app: StoredApp, lanes: [LaneKey], audit: AuditEntry?) async throws(StorageError) -> Bool

    /// Deletes an app.
    ///
    /// From then on no registration of it is found, registered or pushed to, not even by a new app with the same id,
    /// which has lanes of its own. ``HousekeepingBatch/Work/deletedApps`` ends the registrations and their pending
    /// deliveries; until then the deliveries are listed in their present state.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - app: The app.
    ///   - audit: The audit entry, written in the same transaction; nil writes none.
    /// - Returns: The removed lanes; nil when there is no such app.
    /// - Throws: `StorageError`.
    func deleteApp(
        brand: BrandID,
        app: AppID,
        audit: AuditEntry?
    ) async throws(StorageError) -> [LaneID]?

    /// Returns all apps of all brands.
    ///
    /// - Returns: All of them: an instance has few.
    /// - Throws: `StorageError`.
    func apps() async throws(StorageError) -> [StoredApp]

    /// Returns all lanes.
    ///
    /// - Returns: The key of each lane's number.
    /// - Throws: `StorageError`.
    func lanes() async throws(StorageError) -> [LaneID: LaneKey]

    /// Stores a new credential.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - audit: The audit entry, written in the same transaction; nil writes none.
    /// - Throws: `StorageError`, ``StorageError/duplicate`` when its id, or its name among SDK keys, is taken in the
    ///   instance, even by a revoked credential.
    func insertCredential(_ credential: StoredCredential, audit: AuditEntry?) async throws(StorageError)

    /// Marks a credential as revoked; the sessions that it opened end with it, and it opens no more.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The credential.
    ///   - now: The time of the change.
    ///   - audit: The audit entry, written in the same transaction; nil writes none.
    /// - Returns: False when the brand has no such credential that is not revoked already.
    /// - Throws: `StorageError`.
    func revokeCredential(
        brand: BrandID,
        id: String,
        now: Timestamp,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool

    /// Returns all credentials of all brands that are not revoked.
    ///
    /// - Returns: All of them: an instance has few.
    /// - Throws: `StorageError`.
    func credentials() async throws(StorageError) -> [StoredCredential]

    /// Replaces all sealed secrets in one transaction, and reads them again before the commit.
    ///
    /// Nothing else may write meanwhile: a secret that is stored later is sealed by its writer. In the same transaction
    /// the audit trail of each brand gets an entry ``AuditAction/masterKeyRotated`` of the process. Without any sealed
    /// secret nothing is done and nothing is written.
    ///
    /// - Parameters:
    ///   - now: The time for the audit trail.
    ///   - reseal: Seals a secret under the new key; called once for each, on a thread of the engine. Nil aborts.
    ///   - verify: Checks a secret as it is now stored, after all were replaced; false aborts.
    /// - Returns: The numbers of replaced secrets.
    /// - Throws: `StorageError`, ``StorageError/constraint(detail:)`` when a function aborted; then nothing is changed.
    ///   After another error either nothing or everything is replaced: the next opening of the store shows which.
    func resealSecrets(
        at now: Timestamp,
        _ reseal: @escaping @Sendable (SealedSecret) -> [UInt8]?,
        verify: @escaping @Sendable (SealedSecret) -> Bool
    ) async throws(StorageError) -> ResealedCounts

    // MARK: Idempotency keys

    /// Records a running request with an idempotency key, and deletes some requests from before a moment.
    ///
    /// - Parameters:
    ///   - record: The request, without a response.
    ///   - oldest: Requests from this moment or before count as deleted; nil deletes none.
    /// - Returns: The record of an earlier request with the same key, in which case nothing was written; nil for the
    ///   first.
    /// - Throws: `StorageError`.
    func beginIdempotent(
        _ record: IdempotencyRecord,
        forgetting oldest: Timestamp?
    ) async throws(StorageError) -> IdempotencyRecord?

    /// Stores the response of a recorded request, or deletes the record when the request changed nothing.
    ///
    /// - Parameters:
    ///   - key: The request's ``IdempotencyRecord/key``.
    ///   - response: The response; nil deletes the record.
    /// - Throws: `StorageError`.
    func endIdempotent(key: [UInt8], response: IdempotencyRecord.Response?) async throws(StorageError)

    // MARK: Codes

    /// Records that an authorization code was presented, so that no node accepts it again, and deletes some of those
    /// that are past ``RedeemedCode/lifetimeMilliseconds``.
    ///
    /// - Parameter code: The code, as a hash, stored from now on.
    /// - Returns: True the first time; false when it was burnt before, and then nothing is changed.
    /// - Throws: `StorageError`; the code may be burnt then.
    func markCodeUsed(_ code: RedeemedCode) async throws(StorageError) -> Bool

    // MARK: Audit

    /// Writes an audit entry in a transaction of its own.
    ///
    /// - Parameter entry: The entry; one of a deleted brand is not written.
    /// - Throws: `StorageError`.
    func appendAudit(_ entry: AuditEntry) async throws(StorageError)

    /// Returns a part of the audit trail, newest first.
    ///
    /// - Parameter query: The part to return.
    /// - Returns: The entries; fewer than the query's limit when there are no more.
    /// - Throws: `StorageError`.
    func audit(_ query: AuditQuery) async throws(StorageError) -> [AuditRecord]

    // MARK: Reads

    /// Returns the session of a token.
    ///
    /// - Parameter tokenHash: SHA-256 of the token, 32 bytes.
    /// - Returns: Nil when there is none, or its credential is revoked; an expired one is returned as long as it is
    ///   stored.
    /// - Throws: `StorageError`.
    func session(tokenHash: [UInt8]) async throws(StorageError) -> StoredSession?

    /// Registers a listener for sessions that ended, whichever gateway on this data ended them.
    ///
    /// - Parameter listener: Called after the commit, on a thread of the engine: must not block and must not call the
    ///   store. On the gateway that ended them it is called before the commit's call returns, on others within a
    ///   second. Sessions that were looked up before that must be looked up again.
    func onSessionEnd(_ listener: @escaping @Sendable (SessionEnd) -> Void)

    /// Registers a listener for calls of any caller that find damaged data.
    ///
    /// - Parameter listener: Called with the error before the call throws it, on a thread of the engine: must not block
    ///   and must not call the store.
    func onDamage(_ listener: @escaping @Sendable (StorageError) -> Void)

    /// Returns a consumer.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The consumer.
    /// - Returns: Nil when the brand has never seen it.
    /// - Throws: `StorageError`.
    func consumer(brand: BrandID, id: ConsumerID) async throws(StorageError) -> StoredConsumer?

    /// Returns a consumer with its stored facts other than conversations, devices and deliveries.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The consumer.
    /// - Returns: Nil when the brand has never seen it.
    /// - Throws: `StorageError`.
    func consumerRecord(brand: BrandID, id: ConsumerID) async throws(StorageError) -> ConsumerRecord?

    /// Returns a consumer's conversations, oldest first. Those without messages are included, except resolved ones
    /// whose messages are past their retention (``HousekeepingBatch/Work/conversations(before:)``).
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    ///   - after: Only conversations after this one.
    ///   - limit: At most this many.
    /// - Returns: Nil when the brand has never seen the consumer.
    /// - Throws: `StorageError`.
    func conversations(
        brand: BrandID,
        consumer: ConsumerID,
        after: ConversationKey?,
        limit: Int
    ) async throws(StorageError) -> [StoredConversation]?

    /// Returns the conversation of an event that names none: the unresolved conversation with the newest message.
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

    /// Returns messages of one conversation in order, with their taps.
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

    /// Returns a consumer's unread count, over open and closed conversations (R87).
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    /// - Returns: The total, and the conversations with messages, at most ``UnreadCounts/maxConversations``.
    /// - Throws: `StorageError`.
    func unread(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> UnreadCounts

    /// Returns messages of one conversation in order.
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

    /// Returns a consumer's proactive messages that were neither tapped nor cleared and are within their look-back
    /// (R115).
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    ///   - before: Only messages before this one (a cursor); nil begins with the newest.
    ///   - now: The time to which look-backs are compared.
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

    /// Returns a registration.
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

    /// Returns a consumer's registrations, oldest first.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    /// - Returns: All of them: a consumer has few.
    /// - Throws: `StorageError`.
    func registrations(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> [DeviceRegistration]

    /// Returns deliveries by filter, newest first, from the outbox and the delivery log.
    ///
    /// The work for a page is bounded, whatever the delivery log holds of this brand or others. With one filter, or
    /// with one and a time range, a page of finished deliveries is full unless it is the last. With several filters,
    /// and where the outbox holds many rows, a page may be shorter than the limit, even empty, with another after it. A
    /// delivery that finishes between two pages keeps its place. A cursor stays valid when its delivery is removed.
    ///
    /// - Parameter query: The filter and the page.
    /// - Returns: A page.
    /// - Throws: `StorageError`.
    func deliveries(_ query: DeliveryQuery) async throws(StorageError) -> DeliveryPage

    /// Returns one delivery with all its attempts, oldest first.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The delivery.
    /// - Returns: Nil when the brand has no such delivery.
    /// - Throws: `StorageError`.
    func delivery(brand: BrandID, id: DeliveryID) async throws(StorageError) -> DeliveryDetail?

    /// Returns changes of finished deliveries in the order in which they happened, for readers that follow them.
    ///
    /// Each delivery appears once, at its newest change: one that changes again moves to the end. Changes are numbered
    /// in commit order, so that none ever appears below one that was read. Changes of deliveries that were removed, or
    /// that are tried again, are gone.
    ///
    /// - Parameters:
    ///   - query: The filter; its cursor is ignored, and its limit counts the returned changes.
    ///   - position: The change after which to begin; 0 begins at the oldest stored one.
    /// - Returns: The changes, oldest first, and the position reached: at most about 1,000 changes are read per call.
    /// - Throws: `StorageError`.
    func deliveryChanges(_ query: DeliveryQuery, after position: Int64) async throws(StorageError) -> DeliveryChanges

    /// Returns the position of the newest change of a brand's finished deliveries.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: 0 when there is none.
    /// - Throws: `StorageError`.
    func lastDeliveryChange(brand: BrandID) async throws(StorageError) -> Int64

    /// Returns counts of the deliveries that were queued in a window that ends now, by their present state.
    ///
    /// The work is bounded, whatever the delivery log holds.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - window: The window.
    ///   - now: The end of the window.
    /// - Returns: The counts; all 0 for an unknown brand.
    /// - Throws: `StorageError`.
    func deliveryStats(
        brand: BrandID,
        window: StatsWindow,
        now: Timestamp
    ) async throws(StorageError) -> DeliveryStats

    /// Returns the statistics of a campaign.
    ///
    /// The work is bounded, whatever the delivery log holds.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The campaign.
    /// - Returns: Nil when the brand has no message of it, or its last one is past its retention.
    /// - Throws: `StorageError`.
    func campaign(brand: BrandID, id: CampaignID) async throws(StorageError) -> CampaignStats?

    /// Returns the statistics of a brand's campaigns, those with the newest first message first.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - before: Only campaigns after this one, by ``CampaignStats/number``; nil begins with the newest.
    ///   - limit: At most this many.
    /// - Returns: An empty list for an unknown brand.
    /// - Throws: `StorageError`.
    func campaigns(brand: BrandID, before: Int64?, limit: Int) async throws(StorageError) -> [CampaignStats]

    // MARK: Outbound feed

    /// Registers a listener for new outbound items that can be read.
    ///
    /// - Parameter listener: Called after the commit with the brand and the number of new items, on a thread of the
    ///   engine: must not block and must not call the store.
    func onOutbound(_ listener: @escaping @Sendable (BrandID, Int) -> Void)

    /// Finds a subscription, or creates it.
    ///
    /// From then on items are stored for the brand; a brand without a reader stores none.
    ///
    /// - Parameters:
    ///   - id: The brand.
    ///   - subscription: Its name.
    ///   - fromStart: Whether a new one begins with the oldest stored item, and not at the end.
    ///   - owner: The service account that owns a new one, and an existing one whose owner is still `formerOwner`; nil
    ///     changes no owner.
    ///   - formerOwner: The owner that the caller found, whose account is deleted; nil for one without an owner.
    ///   - now: The time of the change.
    /// - Returns: The subscription as it is now, or the reason why there is none.
    /// - Throws: `StorageError`.
    func openSubscription(
        brand id: BrandID,
        _ subscription: SubscriptionID,
        fromStart: Bool,
        owner: String?,
        formerOwner: String?,
        now: Timestamp
    ) async throws(StorageError) -> SubscriptionOpening

    /// Returns a brand's subscriptions.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: All of them, and the end of the feed; empty when there is no such brand.
    /// - Throws: `StorageError`.
    func subscriptions(brand: BrandID) async throws(StorageError) -> OutboundOverview

    /// Moves a subscription's mark forward; a mark that is further already stays.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - subscription: The subscription.
    ///   - upTo: The last position that was read.
    ///   - now: The time of the change.
    /// - Returns: The present mark, or the reason why it was not moved.
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
    ///   - audit: The audit entry, written in the same transaction; nil writes none.
    /// - Returns: False when there is none.
    /// - Throws: `StorageError`.
    func deleteSubscription(
        brand: BrandID,
        _ subscription: SubscriptionID,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool

    /// Returns items of a brand's outbound feed in order.
    ///
    /// It never skips an item that an open transaction may still store.
    ///
    /// - Parameter query: The items to return.
    /// - Returns: A page; an empty one when there is no such brand.
    /// - Throws: `StorageError`.
    func outbound(_ query: OutboundQuery) async throws(StorageError) -> OutboundPage

    /// Returns the state of a brand's webhook. It is created with the webhook's settings, at the end of the feed, and
    /// deleted with them.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: Nil when it has none.
    /// - Throws: `StorageError`.
    func webhookState(brand: BrandID) async throws(StorageError) -> WebhookState?

    /// Stores the state of a brand's webhook, unless its settings or its mark have changed meanwhile.
    ///
    /// - Parameters:
    ///   - state: The state, with the revision on which it is based.
    ///   - brand: The brand.
    /// - Returns: False when the revision has changed; then nothing is stored.
    /// - Throws: `StorageError`.
    func putWebhookState(_ state: WebhookState, brand: BrandID) async throws(StorageError) -> Bool

    /// Sets a webhook's mark, so that the items after it are posted again. It is tried at once, also when it was
    /// switched off.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - after: The position; beyond the end means the end.
    ///   - audit: The audit entry, written in the same transaction.
    /// - Returns: Its new state; nil when the brand has none.
    /// - Throws: `StorageError`.
    func replayWebhook(brand: BrandID, after: Int64, audit: AuditEntry?) async throws(StorageError) -> WebhookState?
}

extension GatewayStore {
    /// Starts an incarnation without quiet hours.
    ///
    /// - Parameter now: The time of the start.
    /// - Returns: The new incarnation and the lanes with rows that wait.
    /// - Throws: `StorageError`.
    package func begin(now: Timestamp) async throws(StorageError) -> IncarnationStart {
        try await begin(now: now) { _, _ in nil }
    }
}
