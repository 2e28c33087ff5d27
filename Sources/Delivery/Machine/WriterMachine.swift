package import GatewayModel
package import GatewayStorage

/// Decides what the writer does: a state machine as a value type, without a clock or IO.
///
/// It holds what waits, builds turns, decides the result of each caller, when to probe a store that failed and when to
/// wait, and how a turn that violated a constraint is committed in parts.
///
/// The shell calls ``next(now:)`` for a step and carries it out; after a commit it calls ``committed(_:now:)`` or
/// ``failed(_:now:)``, after a probe ``probed(_:now:)``, before the next step. At any time between, it may add callers'
/// requests, and use ``delivery`` and ``presence``. The type of a caller is the shell's choice: whatever it resumes
/// callers with.
package struct WriterMachine<EventCaller: Sendable, ChangeCaller: Sendable>: Sendable {
    /// The effects of a commit or a probe.
    package typealias Effects = WriterEffects<EventCaller, ChangeCaller>

    /// The phase of the writer's life.
    package enum Phase: Sendable {
        /// Nothing is taken yet.
        case created
        /// Callers are served.
        case running
        /// Nothing more is taken; what was taken is completed.
        case stopping
    }

    /// A piece and its caller.
    struct WaitingPiece {
        var piece: IntakePiece
        var caller: EventCaller
    }

    /// A change and its caller.
    struct WaitingChange {
        var change: StoreChange
        var caller: ChangeCaller
    }

    /// The turn that is being committed.
    struct OpenTurn {
        var turn: WriterTurn
        var eventCallers: [EventCaller] = []
        var changeCallers: [ChangeCaller] = []
        /// The parts, when it is committed in parts.
        var split: SplitTurn?
        /// Whether a commit of it is under way; false while the next part has not been asked for yet.
        var isUnderWay = true
    }

    /// The settings.
    package let settings: DeliverySettings
    /// The state machine of deliveries.
    package var delivery: DeliveryMachine
    /// The open messaging windows.
    package var presence = Presence()
    /// The host's faults; while there is any, no event is taken.
    package var faults: Set<HostFault> = []
    /// The phase of the writer's life.
    package private(set) var phase = Phase.created
    private(set) var incarnation = IncarnationID(0)
    /// Bounded by `maxPendingEvents` and `maxPendingBytes`.
    var accepts: FairQueue<BrandID, WaitingPiece>
    /// Bounded by `maxPendingEvents` and `maxPendingBytes`.
    var changes: FairQueue<BrandID?, WaitingChange>
    /// Devices that gave a sign of life; bounded by ``DeliverySettings/maxSightings``.
    var sightings: Set<DeviceSighting> = []
    /// An estimate of the deliveries that events make.
    var rows = RowsPerEvent()
    var ids = MessageIDGenerator()
    var store = StoreHealth()
    var openTurn: OpenTurn?
    /// Whether the last turn left proactive pushes in the store because callers waited.
    var yields = false

    /// Creates a writer with nothing in memory; nothing is taken before ``start(_:randomPart:)``.
    package init(settings: DeliverySettings) {
        self.settings = settings
        delivery = DeliveryMachine(settings: settings, backlog: [:])
        accepts = FairQueue(limits: .init(size: settings.maxPendingEvents, bytes: settings.maxPendingBytes))
        changes = FairQueue(limits: .init(size: settings.maxPendingEvents, bytes: settings.maxPendingBytes))
    }

    /// Begins to take callers' requests; the random part of message ids is given only where a run must be reproducible.
    package mutating func start(_ start: IncarnationStart, randomPart: UInt64? = nil) {
        delivery = DeliveryMachine(settings: settings, start: start)
        incarnation = start.incarnation
        ids = MessageIDGenerator(after: start.lastMessage, randomPart: randomPart)
        phase = .running
    }

    /// Takes nothing more; the store is tried at once, because it is the last chance before the process ends.
    package mutating func stop() {
        phase = .stopping
        store.tryNow()
    }

    // MARK: Requests

    /// Returns the number of a brand's events in a piece, so that it fits into one turn: 1 to
    /// ``DeliverySettings/maxEventsPerTurn``.
    package func eventsPerPiece(of brand: BrandID) -> Int {
        max(settings.maxEventsPerTurn / rows.perEvent(of: brand), 1)
    }

    /// Takes a piece of a request, if there is room; returns the reason why it is not taken.
    ///
    /// The caller gets the result when it is on disk or has failed.
    package mutating func accept(_ piece: IntakePiece, from caller: EventCaller) -> IntakeError? {
        if let rejection = rejection(ofChange: false) { return rejection }
        guard accepts.admits(size: piece.events.count, bytes: piece.bytes, of: piece.brand) else {
            return .overloaded(retryAfterSeconds: 1)
        }
        let waiting = WaitingPiece(piece: piece, caller: caller)
        let (count, bytes) = (piece.events.count, piece.bytes)
        let weight = count * rows.perEvent(of: piece.brand)
        accepts.append(waiting, size: count, weight: weight, bytes: bytes, of: piece.brand)
        return nil
    }

    /// Takes a change, if there is room; returns the reason why it is not taken.
    ///
    /// The caller gets the result when it is on disk or has failed.
    package mutating func perform(_ change: StoreChange, for caller: ChangeCaller) -> IntakeError? {
        if let rejection = rejection(ofChange: true) { return rejection }
        let bytes = change.bytes
        guard changes.admits(size: 1, bytes: bytes, of: change.brand) else {
            return .overloaded(retryAfterSeconds: 1)
        }
        let waiting = WaitingChange(change: change, caller: caller)
        changes.append(waiting, size: 1, weight: change.weight, bytes: bytes, of: change.brand)
        return nil
    }

    /// Takes a device's sighting, unless the store fails or too many wait: the device will be seen again; returns
    /// whether a turn has something new to note.
    package mutating func note(_ sighting: DeviceSighting) -> Bool {
        guard rejection(ofChange: true) == nil, sightings.count < settings.maxSightings else { return false }
        return sightings.insert(sighting).inserted
    }

    /// Returns why nothing can be taken now, whatever room there is; nil when something can be taken.
    ///
    /// A fault of the host stops events but not changes: a logout must not wait for disk space.
    package func rejection(ofChange isChange: Bool) -> IntakeError? {
        guard phase == .running else { return .stopping }
        if let error = store.error { return .storage(error) }
        return isChange ? nil : faults.min { $0.rawValue < $1.rawValue }.map(IntakeError.fault)
    }

    // MARK: State

    /// Events that wait for their commit.
    package var pendingEvents: Int { accepts.size }

    /// Changes that wait for their commit.
    package var pendingChanges: Int { changes.size }

    /// The error of the last commit or probe; nil when it succeeded.
    package var storeError: StorageError? { store.error }

    /// Whether a turn is being committed.
    package var isInTurn: Bool { openTurn != nil }
}
