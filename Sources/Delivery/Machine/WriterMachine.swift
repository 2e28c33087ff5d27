package import GatewayModel
package import GatewayStorage

/// Decides what the writer does: a plain value without a clock or IO.
///
/// It knows what waits, what makes up a turn, who is answered what, when to probe a store that failed, when to rest, and how
/// a turn that broke a rule of the schema is done in parts.
///
/// Its shell asks ``next(now:)`` for a step and carries it out; after a commit it calls ``committed(_:now:)`` or
/// ``failed(_:now:)``, after a probe ``probed(_:now:)``, before it asks for the next step. At any time between it may take
/// in what callers ask, and use ``delivery`` and ``presence``. Callers are whatever the shell answers them by.
package struct WriterMachine<EventCaller: Sendable, ChangeCaller: Sendable>: Sendable {
    /// What follows from a commit or a probe.
    package typealias Effects = WriterEffects<EventCaller, ChangeCaller>

    /// How far it has come.
    package enum Phase: Sendable {
        /// Nothing is taken yet.
        case created
        /// Callers are served.
        case running
        /// Nothing is taken any more; what was taken is done.
        case stopping
    }

    /// A piece and whom to answer.
    struct WaitingPiece {
        var piece: IntakePiece
        var caller: EventCaller
    }

    /// A change and whom to answer.
    struct WaitingChange {
        var change: StoreChange
        var caller: ChangeCaller
    }

    /// The turn that is being committed.
    struct OpenTurn {
        var turn: WriterTurn
        var eventCallers: [EventCaller] = []
        var changeCallers: [ChangeCaller] = []
        /// It is done in parts.
        var split: SplitTurn?
        /// Whether a commit of it is under way; not while its next part is still to be asked for.
        var isUnderWay = true
    }

    /// How it behaves.
    package let settings: DeliverySettings
    /// What is sent, when, and what becomes of it.
    package var delivery: DeliveryMachine
    /// Who has a messaging window open.
    package var presence = Presence()
    /// What the machine lacks; while it lacks anything no event is taken.
    package var faults: Set<MachineFault> = []
    /// How far it has come.
    package private(set) var phase = Phase.created
    private(set) var incarnation = IncarnationID(0)
    /// Bounded by `maxPendingEvents` and `maxPendingBytes`.
    var accepts: FairQueue<BrandID, WaitingPiece>
    /// Bounded by `maxPendingEvents` and `maxPendingBytes`.
    var changes: FairQueue<BrandID?, WaitingChange>
    /// Devices that gave a sign of life; bounded by ``DeliverySettings/maxSightings``.
    var sightings: Set<DeviceSighting> = []
    /// How many deliveries events make.
    var rows = RowsPerEvent()
    var ids = MessageIDGenerator()
    var store = StoreStanding()
    var openTurn: OpenTurn?
    /// Whether the last turn left proactive pushes in the store for the sake of its callers.
    var yields = false

    /// Starts with nothing in memory; nothing is taken before ``start(_:now:randomPart:)``.
    ///
    /// - Parameter settings: How it behaves.
    package init(settings: DeliverySettings) {
        self.settings = settings
        delivery = DeliveryMachine(settings: settings, backlog: [:])
        accepts = FairQueue(limits: .init(size: settings.maxPendingEvents, bytes: settings.maxPendingBytes))
        changes = FairQueue(limits: .init(size: settings.maxPendingEvents, bytes: settings.maxPendingBytes))
    }

    /// Begins to take what callers ask.
    ///
    /// - Parameters:
    ///   - start: What the store found.
    ///   - now: The wall clock.
    ///   - randomPart: The part of message ids that is drawn for each; given only where a run must be the same again.
    package mutating func start(_ start: IncarnationStart, now: Timestamp, randomPart: UInt64? = nil) {
        delivery = DeliveryMachine(settings: settings, start: start, now: now)
        incarnation = start.incarnation
        ids = MessageIDGenerator(after: start.lastMessage, randomPart: randomPart)
        phase = .running
    }

    /// Takes nothing more; the store is tried at once, because it is its last chance.
    package mutating func stop() {
        phase = .stopping
        store.tryNow()
    }

    // MARK: What callers ask

    /// How many events of a brand make up a piece, so that it is no more than a turn can do.
    ///
    /// - Parameter brand: Whose events they are.
    /// - Returns: At least 1, at most ``DeliverySettings/maxEventsPerTurn``.
    package func eventsPerPiece(of brand: BrandID) -> Int {
        max(settings.maxEventsPerTurn / rows.perEvent(of: brand), 1)
    }

    /// Takes a piece of a request, if there is room.
    ///
    /// - Parameters:
    ///   - piece: The piece.
    ///   - caller: Who is answered when it is on disk or cannot be.
    /// - Returns: Why it is not taken; nil when it is.
    package mutating func accept(_ piece: IntakePiece, from caller: EventCaller) -> IntakeError? {
        if let refusal = refusal(ofChange: false) { return refusal }
        guard accepts.admits(size: piece.events.count, bytes: piece.bytes, of: piece.brand) else {
            return .overloaded(retryAfterSeconds: 1)
        }
        let waiting = WaitingPiece(piece: piece, caller: caller)
        let (count, bytes) = (piece.events.count, piece.bytes)
        let weight = count * rows.perEvent(of: piece.brand)
        accepts.append(waiting, size: count, weight: weight, bytes: bytes, of: piece.brand)
        return nil
    }

    /// Takes a change, if there is room.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - caller: Who is answered when it is on disk or cannot be.
    /// - Returns: Why it is not taken; nil when it is.
    package mutating func perform(_ change: StoreChange, for caller: ChangeCaller) -> IntakeError? {
        if let refusal = refusal(ofChange: true) { return refusal }
        let bytes = change.bytes
        guard changes.admits(size: 1, bytes: bytes, of: change.brand) else {
            return .overloaded(retryAfterSeconds: 1)
        }
        let waiting = WaitingChange(change: change, caller: caller)
        changes.append(waiting, size: 1, weight: change.weight, bytes: bytes, of: change.brand)
        return nil
    }

    /// Takes a device's sign of life, unless the store fails or too many wait: the device will be heard again.
    ///
    /// - Parameter sighting: The device, and whose it is.
    /// - Returns: Whether a turn has something new to note.
    package mutating func note(_ sighting: DeviceSighting) -> Bool {
        guard refusal(ofChange: true) == nil, sightings.count < settings.maxSightings else { return false }
        return sightings.insert(sighting).inserted
    }

    /// Why nothing can be taken now, whatever room there is.
    ///
    /// A fault of the machine keeps events away but not changes: a logout must not wait for disk space.
    ///
    /// - Parameter isChange: Whether it is a change that would be taken, and not events.
    /// - Returns: Nil when something can be.
    package func refusal(ofChange isChange: Bool) -> IntakeError? {
        guard phase == .running else { return .stopping }
        if let error = store.error { return .storage(error) }
        return isChange ? nil : faults.min { $0.rawValue < $1.rawValue }.map(IntakeError.fault)
    }

    // MARK: How it stands

    /// Events that wait for their commit.
    package var pendingEvents: Int { accepts.size }

    /// Changes that wait for their commit.
    package var pendingChanges: Int { changes.size }

    /// Why the last commit or probe failed; nil when it went well.
    package var storeError: StorageError? { store.error }

    /// Whether a turn is being committed.
    package var isInTurn: Bool { openTurn != nil }
}
