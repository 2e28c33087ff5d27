package import Delivery
package import GatewayModel
package import GatewayStorage

/// The result of one seed.
package struct SimulationReport: Sendable {
    /// The seed.
    package var seed: SimulationSeed
    /// A digest of everything that happened: the same for every run of a seed.
    package var digest: UInt64
    /// The counts.
    package var counts: SimulationCounts
    /// The violation; nil when all invariants held.
    package var violation: Violation?
    /// The trace, one line for each event; empty when it was not requested.
    package var trace: [String]
    /// The calls of the store with their results; empty when they were not requested.
    package var storeSteps: [StoreStep]
    /// The end of each delivery: its id, its state and its number of attempts; empty when it was not requested.
    package var deliveries: [String]
}

/// One call of the store.
package enum StoreStep: Sendable {
    /// A process started.
    case begin(Timestamp, LaneRules?, IncarnationStart)
    /// The housekeeper ran a batch, which removed this many rows.
    case runHousekeeping(HousekeepingBatch, Int)
    /// A brand was deleted, or only its app, with these lanes.
    case delete(BrandID, isBrand: Bool, [LaneID])
    /// An app was created, and its brand if that was deleted; the app has these lanes.
    case putApp(BrandID, isNewBrand: Bool, [LaneID])
    /// A turn was committed.
    case commit(WriterTurn, WriterTurnResult)
}
