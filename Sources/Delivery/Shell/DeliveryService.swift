package import GatewayModel
package import GatewayStorage
package import Logging
import ServiceLifecycle

/// The delivery core: takes events and changes, commits them in turns, and feeds the lanes.
///
/// Any thread or task may call. ``run()`` does the work until the service group stops it.
package final class DeliveryService: Service, Sendable {
    /// Makes the core; nothing is read or written before ``start()``.
    ///
    /// - Parameters:
    ///   - store: Where everything is kept.
    ///   - directory: What lanes are made from.
    ///   - settings: How the core behaves.
    ///   - clock: Where time is read from.
    ///   - logger: For what operators should know.
    package init(
        store: any GatewayStore,
        directory: any LaneDirectory,
        settings: DeliverySettings,
        clock: any GatewayClock,
        logger: Logger
    ) {}

    /// Starts an incarnation and takes back what earlier ones left unfinished; call once, before ``run()``.
    ///
    /// - Returns: What was found.
    /// - Throws: `StorageError`.
    package func start() async throws(StorageError) -> IncarnationStart {
        throw .closed
    }

    /// Commits turns and feeds the lanes until the service group shuts down; then drains, gives back what is left and
    /// returns.
    package func run() async throws {}

    /// Takes the events of one request, in pieces of at most ``DeliverySettings/maxEventsPerTurn``; returns when they
    /// are on disk.
    ///
    /// - Parameters:
    ///   - brand: Whose events they are.
    ///   - events: 1 to 10,000 events, validated.
    /// - Returns: What became of each, in order. A later piece that found no room is `failed`, earlier ones stay.
    /// - Throws: `IntakeError` when nothing of the request was taken.
    package func accept(brand: Brand, events: [AgentEvent]) async throws(IntakeError) -> [IntakeResult] {
        throw .stopping
    }

    /// Does one change in the writer's next turn; returns when it is on disk and the lanes have been told.
    ///
    /// - Parameter change: The change.
    /// - Returns: What it did.
    /// - Throws: `IntakeError`.
    package func perform(_ change: StoreChange) async throws(IntakeError) -> StoreChangeResult {
        throw .stopping
    }

    /// Makes the providers of lanes anew, because a credential, an endpoint or the brand's name or preview changed.
    ///
    /// - Parameter lanes: The lanes.
    package func lanesChanged(_ lanes: [LaneID]) {}

    /// Forgets lanes whose app or brand is gone; their rows are gone from the store already.
    ///
    /// - Parameter lanes: The lanes.
    package func lanesRemoved(_ lanes: [LaneID]) {}

    /// How the core stands, for `readyz`.
    package var health: DeliveryHealth { DeliveryHealth(isAccepting: false, storeError: nil, pendingEvents: 0) }
}
