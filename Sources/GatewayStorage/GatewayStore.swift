/// The gateway's storage.
///
/// An engine (SQLite, PostgreSQL) implements it; business rules stay above it, and ask for the parts that they call.
///
/// Invariants that every engine keeps, each within one transaction, and that `StorageContract` tests:
/// - An event is counted once: (brand, source, id) is unique for the brand's `dedupeHours`.
/// - `sequence` is dense from 1 within a conversation, in commit order. The last sequence never falls, so the number of
///   a message that housekeeping has removed is not reused.
/// - A consumer's unread equals the number of its stored messages that count (``GatewayModel/Message/countsAsUnread``)
///   and lie above their conversation's read mark. A read mark never moves back and never past the last sequence.
/// - The outbox holds exactly the deliveries that are not finished; a finished one is in the delivery log and nowhere
///   else. A row is owned by one incarnation or by none.
/// - A turn of an earlier incarnation than the newest stores nothing and fails with ``StorageError/locked(detail:)``: a
///   late outcome does not end a row that a later incarnation may have claimed.
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
///   are named in ``TurnUpdates/withdrawn``. Rows of the same turn are only not handed out; their slots stay taken.
/// - A consumer that was merged into another (``StoreChange/openSession(_:_:)``, ``StoreChange/merge(_:)``) owns
///   nothing any more: every call that names it means the other, and every result names the other.
/// - A session replaces or ends another consumer's registration only with proof of that registration's present token,
///   whatever device it names; the transaction decides that.
/// - A message that needs a consent (``GatewayModel/AgentEvent/consent``) which its consumer does not give is stored;
///   its deliveries end at once as `cancelled`, by `no_consent`. A consent that is withdrawn ends those that wait.
/// - When a call returns, its changes have been synced to disk.
///
/// Any thread or task may call; calls never block the caller's thread. Write calls are serialised by the engine.
package protocol GatewayStore: TurnStore, HealthStore, ClockStore, HousekeepingStore, TenantStore, AuditStore,
    SessionStore, CodeStore, IdempotencyStore, ConsumerStore, CustomerStore, DeliveryLogStore, SearchStore, FeedStore,
    SubscriptionStore, WebhookStore, OperatorStore, DeliveryLinkStore
{
    /// Finishes running calls and closes; later calls throw ``StorageError/closed``.
    func close() async
}
