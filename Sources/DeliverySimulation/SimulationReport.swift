package import Delivery
package import GatewayModel
package import GatewayStorage

/// What became of one seed.
package struct SimulationReport: Sendable {
    /// The seed.
    package var seed: SimulationSeed
    /// A digest of everything that happened: the same seed always has the same one.
    package var digest: UInt64
    /// How much happened.
    package var counts: SimulationCounts
    /// The invariant that did not hold; nil when all did.
    package var violation: Violation?
    /// What happened, a line each; empty when nobody asked for it.
    package var trace: [String]
    /// What was asked of the store and what it answered; empty when nobody asked for it.
    package var storeSteps: [StoreStep]
    /// How each delivery ended: its number, its state and how often it was tried; empty when nobody asked for it.
    package var deliveries: [String]
}

/// One call of the store.
package enum StoreStep: Sendable {
    /// A process started.
    case begin(Timestamp, LaneRules?, IncarnationStart)
    /// The housekeeper did a batch, which removed so many rows.
    case keepHouse(HousekeepingBatch, Int)
    /// A brand was deleted, or only its app, with these lanes.
    case delete(BrandID, isBrand: Bool, [LaneID])
    /// An app was made, and its brand if that was gone; the app has these lanes.
    case putApp(BrandID, isNewBrand: Bool, [LaneID])
    /// A turn was committed.
    case commit(WriterTurn, WriterTurnResult)
}
