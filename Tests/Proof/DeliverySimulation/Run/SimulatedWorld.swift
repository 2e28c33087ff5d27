import Delivery
import GatewayModel
import GatewayStorage

/// The consumers, devices and back-ends of a run, and what they send.
struct SimulatedWorld: Sendable {
    /// The wall clock at the start.
    static let start: Int64 = 1_767_323_045_678
    static let brands = [BrandID(trusted: "acme"), BrandID(trusted: "zeta")]
    static let app = AppID(trusted: "shop")
    /// Two lanes of one brand, one of another.
    static let lanes = [
        LaneKey(brand: brands[0], app: app, pushType: .apns, environment: .production),
        LaneKey(brand: brands[0], app: app, pushType: .fcm, environment: .production),
        LaneKey(brand: brands[1], app: app, pushType: .apns, environment: .production),
    ]
    /// Returns the names of the lanes of a brand's app.
    static func lanes(of brand: BrandID) -> [LaneKey] { lanes.filter { $0.brand == brand } }
    static let messageTtlSeconds: Int64 = 604_800
    static let dedupeHours: Int64 = 72

    let plan: SimulationPlan
    /// The posted events, by the brand's index: any of them may be repeated.
    private(set) var posted: [[AgentEvent]] = [[], []]
    private var events = 0
    /// The number of consumers that have logged in without an identifier; their numbers follow those of the others.
    private var anonymous = 0
    /// The devices of those logins, by the brand's index: logins with an identifier are more frequent there than
    /// elsewhere.
    private var guests: [[(device: Int, tokenHash: [UInt8])]] = [[], []]
    private var sessions = 0

    init(_ plan: SimulationPlan) { self.plan = plan }

    /// Returns the brand of a consumer; consumers are assigned to brands in turn.
    private func brand(of consumer: Int) -> Int { consumer % Self.brands.count }

    private func name(of consumer: Int) -> ConsumerID {
        ConsumerID(trusted: consumer < plan.consumers ? "u\(consumer)" : "a\(consumer)")
    }

    /// Returns any consumer, including merged ones: back-ends may not know about the merge.
    private func consumer(_ random: inout SplitMix64) -> Int { random.below(plan.consumers + anonymous) }

    private func conversation(of consumer: Int, _ random: inout SplitMix64) -> ConversationID {
        ConversationID(trusted: "c\(consumer)-\(random.below(2))")
    }

    // MARK: Back-ends

    /// Returns the events of one request.
    mutating func piece(_ random: inout SplitMix64) -> IntakePiece {
        let consumer = consumer(&random)
        let brand = brand(of: consumer)
        var events: [AgentEvent] = []
        for _ in 0..<random.between(1, 4) {
            var event: AgentEvent
            if !posted[brand].isEmpty, random.chance(12) {
                event = posted[brand][random.below(posted[brand].count)]
                if random.chance(30) { event.bodyHash &+= 1 }
            } else {
                event = self.event(of: consumer, &random)
                posted[brand].append(event)
            }
            events.append(event)
        }
        return IntakePiece(
            brand: Self.brands[brand],
            messageTtlSeconds: Self.messageTtlSeconds,
            dedupeHours: Self.dedupeHours,
            events: events[...],
            takenAt: 0
        )
    }

    /// Returns a request whose events are all rejected, since they read an unknown conversation.
    mutating func empty(_ brand: Int) -> IntakePiece {
        var posted: [AgentEvent] = []
        for _ in 0..<4 {
            events += 1
            let id = EventID(trusted: "e\(events)")
            var event = AgentEvent(id: id, type: .messagesRead, consumer: name(of: brand))
            event.conversation = ConversationID(trusted: "nowhere")
            event.readTarget = .sequence(1)
            posted.append(event)
        }
        return IntakePiece(
            brand: Self.brands[brand],
            messageTtlSeconds: Self.messageTtlSeconds,
            dedupeHours: Self.dedupeHours,
            events: posted[...],
            takenAt: 0
        )
    }

    private mutating func event(of consumer: Int, _ random: inout SplitMix64) -> AgentEvent {
        events += 1
        // Sometimes the name of another consumer's conversation: a merge may bring both together.
        let owner = random.chance(4) ? self.consumer(&random) : consumer
        let kind = random.below(100)
        let type: EventType = kind < 12 ? .messagesRead : kind < 25 ? .proactiveMessage : .agentMessage
        var event = AgentEvent(id: EventID(trusted: "e\(events)"), type: type, consumer: name(of: consumer))
        event.bodyHash = 1
        if type == .messagesRead || random.chance(80) { event.conversation = conversation(of: owner, &random) }
        if type == .messagesRead {
            event.readTarget = .sequence(Int64(random.below(12)))
            return event
        }
        if type == .proactiveMessage {
            event.kind = .proactive
            if random.chance(60) { event.campaign = random.chance(50) ? "spring" : "autumn" }
        }
        event.silent = random.chance(10)
        event.priority = events.isMultiple(of: 3) ? .high : .normal
        if events.isMultiple(of: 4) { event.sound = "s\(events)" }
        if random.chance(plan.shortLived) { event.ttlSeconds = Int64(random.between(1, 40)) }
        if random.chance(plan.collapsing) { event.collapseKey = random.chance(50) ? "k1" : "k2" }
        return event
    }

    // MARK: Logins

    /// Returns a login on a device: of a new consumer without an identifier, who usually registers it, or of one with
    /// an identifier.
    mutating func login(_ random: inout SplitMix64, now: Timestamp) -> [StoreChange] {
        random.chance(50) ? anonymousLogin(&random, now: now) : [identifiedLogin(&random, now: now)]
    }

    private mutating func anonymousLogin(_ random: inout SplitMix64, now: Timestamp) -> [StoreChange] {
        let consumer = plan.consumers + anonymous
        let brand = brand(of: consumer)
        let device = random.below(plan.devices)
        anonymous += 1
        let login = session(of: consumer, on: device, LoginTerms(), &random, now: now)
        if case .openSession(let session, _) = login { guests[brand].append((device, session.tokenHash)) }
        var changes: [StoreChange] = [
            .upsertConsumer(
                brand: Self.brands[brand],
                id: name(of: consumer),
                anonymous: true,
                profile: ConsumerProfile()
            ), login,
        ]
        if random.chance(60) { changes.append(registration(of: device, for: consumer, &random)) }
        return changes
    }

    private mutating func identifiedLogin(_ random: inout SplitMix64, now: Timestamp) -> StoreChange {
        let consumer = random.below(plan.consumers)
        let known = guests[brand(of: consumer)]
        var terms = LoginTerms(anonymousMerge: random.chance(50) ? .device : .token)
        var device = random.below(plan.devices)
        if !known.isEmpty, random.chance(80) {
            let guest = known[random.below(known.count)]
            device = guest.device
            terms.anonymousToken = guest.tokenHash
        }
        if random.chance(60) { terms.currentToken = PushTokenProof(forms: [Array("t\(device)".utf8)]) }
        return session(of: consumer, on: random.chance(90) ? device : nil, terms, &random, now: now)
    }

    private mutating func session(
        of consumer: Int,
        on device: Int?,
        _ terms: LoginTerms,
        _ random: inout SplitMix64,
        now: Timestamp
    ) -> StoreChange {
        sessions += 1
        let session = StoredSession(
            tokenHash: Self.tokenHash(sessions),
            brand: Self.brands[brand(of: consumer)],
            consumer: name(of: consumer),
            device: device.map { DeviceID(trusted: "d\($0)") },
            expiresAt: now.adding(seconds: 3600),
            createdAt: now
        )
        var terms = terms
        terms.singleDevice = random.chance(20)
        return .openSession(session, terms)
    }

    private static func tokenHash(_ session: Int) -> [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: session >> ($0 % 4 * 8)) }
    }

    /// Returns a session's logout, or a back-end's for a consumer.
    func sessionEnd(_ random: inout SplitMix64) -> StoreChange {
        let scope: UnregisterScope = [.all, .agent, .none][random.below(3)]
        if random.chance(60) {
            return .endSession(tokenHash: Self.tokenHash(random.between(1, max(sessions, 1))), unregister: scope)
        }
        let consumer = consumer(&random)
        return .endSessions(
            brand: Self.brands[brand(of: consumer)],
            consumer: name(of: consumer),
            device: random.chance(70) ? DeviceID(trusted: "d\(random.below(plan.devices))") : nil,
            unregister: scope
        )
    }

    /// Returns a back-end's request to merge two consumers.
    func merge(_ random: inout SplitMix64) -> StoreChange {
        let (into, from) = (consumer(&random), consumer(&random))
        return .merge(
            MergeRequest(brand: Self.brands[brand(of: into)], consumer: name(of: into), from: name(of: from))
        )
    }

    /// Returns a back-end's request to erase a consumer.
    func erasure(_ random: inout SplitMix64) -> StoreChange {
        let consumer = consumer(&random)
        let brand = Self.brands[brand(of: consumer)]
        return .erase(ErasureRequest(brand: brand, consumer: name(of: consumer), audit: nil))
    }

    // MARK: Devices

    /// Returns a registration of a device; tokens are few, so that some move.
    func registration(of device: Int, _ random: inout SplitMix64) -> StoreChange {
        registration(of: device, for: consumer(&random), &random)
    }

    private func registration(of device: Int, for consumer: Int, _ random: inout SplitMix64) -> StoreChange {
        let brand = brand(of: consumer)
        let pushType: PushType = brand == 0 && device.isMultiple(of: 2) ? .fcm : .apns
        var receives: Receives = .all
        if random.chance(15) { receives = random.chance(50) ? .agent : .proactive }
        var registration =
            DeviceToRegister(
                brand: Self.brands[brand],
                app: Self.app,
                device: DeviceID(trusted: "d\(device)"),
                consumer: name(of: consumer),
                token: "t\(random.chance(60) ? device : random.below(plan.devices + 1))",
                pushType: pushType,
                environment: .production,
                // Behind FCM there are Apple devices too.
                platform: pushType == .fcm && device == 0 ? .android : .ios,
                receives: receives
            )
        if plan.hasOwnHours, random.chance(40) {
            registration.timeZone = random.chance(50) ? SimulationPlan.farZone : "UTC"
        }
        registration.isImported = plan.hasImports && random.chance(40)
        return .register(registration)
    }

    /// Returns a change of a consumer's quiet hours: its own, none, the brand's, or no change.
    func profile(_ random: inout SplitMix64) -> StoreChange {
        let consumer = consumer(&random)
        var change = ProfileChange(brand: Self.brands[brand(of: consumer)], consumer: name(of: consumer))
        switch random.below(10) {
        case 0: break
        case 1..<3: change.quietHours = .some(nil)
        case 3..<5: change.quietHours = .off
        default:
            let zone = random.chance(30) ? SimulationPlan.farZone : nil
            change.quietHours = SimulationPlan.quietHours(timeZone: zone, &random)
        }
        return .changeProfile(change)
    }

    /// Returns the consumer and the device of a window that opens.
    func window(_ random: inout SplitMix64) -> (ConsumerName, DeviceID?) {
        let consumer = consumer(&random)
        let device = random.chance(70) ? DeviceID(trusted: "d\(random.below(plan.devices))") : nil
        return (ConsumerName(brand: Self.brands[brand(of: consumer)], consumer: name(of: consumer)), device)
    }

    func read(_ random: inout SplitMix64) -> StoreChange {
        let consumer = consumer(&random)
        let device = random.chance(50) ? DeviceID(trusted: "d\(random.below(plan.devices))") : nil
        return .read(
            ReadRequest(
                brand: Self.brands[brand(of: consumer)],
                consumer: name(of: consumer),
                conversation: conversation(of: random.chance(80) ? consumer : self.consumer(&random), &random),
                target: .sequence(Int64(random.below(14))),
                device: device
            )
        )
    }

    func logout(_ random: inout SplitMix64) -> StoreChange {
        let consumer = consumer(&random)
        return .unregister(
            brand: Self.brands[brand(of: consumer)],
            consumer: name(of: consumer),
            app: nil,
            device: random.chance(60) ? DeviceID(trusted: "d\(random.below(plan.devices))") : nil,
            scope: random.chance(60) ? .all : .agent
        )
    }
}
