package import GatewayModel
package import GatewayStorage
package import TurnRules

/// A store on an SQL engine.
///
/// The roles of a ``GatewayStorage/GatewayStore`` that are not on the hot path are implemented here once, for every
/// engine. They call connections through protocols, which costs far less than the statements that follow.
package protocol SQLStore: Sendable {
    /// Runs on a connection that reads, in one snapshot.
    ///
    /// - Parameter work: Reads; called once, on a thread of the engine.
    /// - Returns: The function's result.
    /// - Throws: `StorageError`.
    func inSnapshot<Value: Sendable>(
        _ work: @escaping @Sendable (any SQLReader) throws -> Value
    ) async throws(StorageError) -> Value

    /// Runs in a transaction of its own, and returns when that is synced.
    ///
    /// - Parameter work: Reads and writes; called once, on a thread of the engine. When it throws, nothing is changed.
    /// - Returns: The function's result.
    /// - Throws: `StorageError`.
    func inTransaction<Value: Sendable>(
        _ work: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value
}

/// A running write transaction, with the writer's memory.
package protocol SQLTransaction: AnyObject {
    /// The type of its connection.
    associatedtype SQL: SQLConnection

    /// The connection.
    var db: SQL { get }

    /// The sessions that the transaction has ended; the listeners are notified after the commit.
    var endedSessions: Set<SessionEnd> { get set }

    /// Returns the key of a brand; nil when there is none.
    func brandKey(_ brand: BrandID) throws -> Int64?

    /// Empties the writer's memory.
    func forgetAll()

    /// Forgets a consumer's registrations, which have changed.
    func forgetRegistrations(of consumer: Int64)

    /// Forgets the numbers of campaigns, of which some were removed.
    func forgetCampaigns()

    /// Forgets a conversation that was removed.
    func forget(conversation: Int64, of consumer: BrandedName)

    /// Forgets a consumer that was removed, or merged into another.
    func forget(_ consumer: KnownConsumer, mergedInto other: KnownConsumer?)

    /// Whether any brand has a reader; rare work checks this before it looks for the brand.
    func hasReaders() throws -> Bool

    /// Publishes an item to a brand's readers, if it has any.
    func publish(_ brand: Int64, at now: Timestamp, _ fact: @autoclosure () -> OutboundFact) throws

    /// Forgets the readers of outbound feeds; called when a subscription or a webhook was added or removed.
    func readersChanged()

    // MARK: Rows of the hot path that housekeeping removes

    /// Stores the newest delivery's number and the newest message's key, before such rows are deleted.
    func keepHighMark() throws

    /// Removes deliveries from the log, with their attempts; returns the number of those that were still there.
    func removeDeliveries(_ ids: [Int64]) throws -> Int

    /// Returns a consumer's deliveries in the log that its messages do not lead to.
    func loggedDeliveries(of consumer: Int64, brand: Int64, limit: Int) throws -> [Int64]

    /// Returns the keys of a conversation's newest messages, the newest first.
    func newestMessages(in conversation: Int64, limit: Int) throws -> [Int64]

    /// Removes a message, and links those around it.
    func removeMessage(_ key: Int64) throws

    /// Removes ids of a deleted brand's events and requests, and returns their number.
    func removeEventIDs(ofDeleted brand: Int64, limit: Int) throws -> Int

    /// Removes ids of a consumer's requests, and returns their number.
    func removeClientIDs(of consumer: Int64, brand: Int64, limit: Int) throws -> Int
}
