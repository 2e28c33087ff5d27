import GatewayModel
import GatewayStorage

extension DeliveryService {
    typealias AcceptOutcome = Result<[IntakeResult], IntakeError>
    typealias ChangeOutcome = Result<StoreChangeResult, IntakeError>

    /// What lies behind the lock.
    struct State {
        /// How far the core has come.
        enum Phase {
            case created
            case running
            case stopping
        }

        var machine: DeliveryMachine
        var presence = Presence()
        var incarnation = IncarnationID(0)
        var phase = Phase.created
        /// Bounded by `maxPendingEvents` and `maxPendingBytes`.
        var accepts: FairQueue<BrandID, PendingAccept>
        /// Bounded by `maxPendingEvents`.
        var changes: FairQueue<BrandID?, PendingChange>
        /// Devices that gave a sign of life; bounded by ``maxSightings``.
        var seen: Set<DeviceSighting> = []
        var ids = MessageIDGenerator()
        var store = StoreStanding()
        var faults: Set<MachineFault> = []
        /// Turns that were put together, and how many of these have ended.
        var turns: (begun: UInt64, ended: UInt64) = (0, 0)
        /// Who waits for a turn to end: at most one for each window that opens.
        var settling: [CheckedContinuation<Void, Never>] = []
        /// The writer while it sleeps.
        var writer: CheckedContinuation<Void, Never>?
        /// Something arrived while the writer was awake.
        var isSignalled = false

        /// More signs of life than these wait for no turn, about a megabyte: the next within the hour tells the same.
        static let maxSightings = 10_000

        init(settings: DeliverySettings) {
            machine = DeliveryMachine(settings: settings, backlog: [:])
            accepts = FairQueue(limits: .init(size: settings.maxPendingEvents, bytes: settings.maxPendingBytes))
            changes = FairQueue(limits: .init(size: settings.maxPendingEvents, bytes: settings.maxPendingBytes))
        }

        /// Why nothing can be taken now, whatever room there is.
        ///
        /// A fault of the machine keeps events away but not changes: a logout must not wait for disk space.
        func refusal(ofChange isChange: Bool) -> IntakeError? {
            guard phase == .running else { return .stopping }
            if let error = store.error { return .storage(error) }
            return isChange ? nil : faults.min { $0.rawValue < $1.rawValue }.map(IntakeError.fault)
        }
    }

    /// A piece of a request whose events wait for their commit.
    struct PendingAccept {
        var brand: Brand
        var events: ArraySlice<AgentEvent>
        var bytes: Int
        /// When it was taken, on the monotonic clock.
        var takenAt: UInt64
        var continuation: CheckedContinuation<AcceptOutcome, Never>?

        init(brand: Brand, events: ArraySlice<AgentEvent>, takenAt: UInt64) {
            self.takenAt = takenAt
            self.brand = brand
            self.events = events
            // What a waiting event holds beyond its texts is about 400 bytes.
            self.bytes = events.reduce(0) { $0 + 400 + $1.text.utf8.count + ($1.data?.text.utf8.count ?? 0) }
        }
    }

    /// A change that waits for its commit.
    struct PendingChange {
        var change: StoreChange
        var continuation: CheckedContinuation<ChangeOutcome, Never>
    }

    /// What one commit carries, with whom to answer.
    struct PendingTurn {
        var turn: WriterTurn
        var accepts: [PendingAccept] = []
        var changes: [PendingChange] = []
    }
}
