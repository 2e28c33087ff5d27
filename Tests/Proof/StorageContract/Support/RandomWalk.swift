import GatewayModel
import GatewayStorage
import TestSupport
import Testing

/// Random turns on a store and on a model of it, compared after every turn.
struct RandomWalk {
    let f: ContractFixture
    var random: SplitMix
    var model = WalkModel()
    /// Rows that were handed out and have no response yet, cancelled ones included.
    private(set) var held: [OutboxRow] = []
    private var newest = DeliveryID(0)
    var consumers = (0..<6).map { "u-\($0)" }
    /// The number of opened sessions: each has another token.
    var logins = 0
    /// Windows that are open.
    var windows: [(name: ConsumerName, device: DeviceID?)] = []
    /// The number of rows that the turn should have released.
    var released = 0

    /// The store's notifications of ended sessions.
    let heard: SessionEndRecorder

    private let isPerDevice: Bool

    init(fixture: ContractFixture, seed: UInt64) {
        f = fixture
        random = SplitMix(seed: seed)
        isPerDevice = seed.isMultiple(of: 2)
        heard = f.listen()
        setPresence()
    }

    private mutating func setPresence() { _ = f.windows.set(perDevice: isPerDevice ? [f.brand] : [], pushing: []) }

    mutating func run(turns: Int) async throws {
        for number in 1...turns {
            try await walk()
            if chance(4) { try await runHousekeeping() }
            if number % 250 == 0 { try await compare() }
            if number % 400 == 0 { try await restart() }
        }
        try await compare()
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func any<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    // MARK: A turn

    private mutating func walk() async throws {
        f.now = f.now.adding(milliseconds: Int64.random(in: 0...1500, using: &random))
        let changes = chance(60) ? anyChanges() : []
        f.budgets = [:]
        for lane in [f.apns, f.fcm] where chance(70) {
            let slots = Int.random(in: 0...3, using: &random)
            f.budgets[lane] = LaneBudget(
                slots: slots,
                mayHaveBacklog: model.open.contains { !$0.value.isHeld } || chance(50)
            )
        }
        let releases = moveWindows()
        var turn = f.turn()
        turn.outcomes = outcomes()
        turn.releases = releases
        turn.changes = changes
        let retried = try await retriedState(changes)
        var events: [AgentEvent] = []
        for _ in 0..<Int.random(in: 0...5, using: &random) { events.append(anyEvent()) }
        turn.accepts = [f.request(events)]
        for lane in [f.apns, f.fcm] where chance(40) {
            for queue in [OutboxQueue.agent, .badge, .proactive(campaign: nil)] where chance(70) {
                let limit = Int.random(in: 1...6, using: &random)
                turn.claims.append(ClaimRequest(lane: lane, queue: queue, limit: limit))
            }
        }
        var openBefore = Set(model.open.keys)
        let sessionsBefore = model.sessions
        let result = try await f.store.commit(turn)

        for (outcome, effect) in zip(turn.outcomes, result.outcomes) { apply(outcome, effect) }
        released = releases.reduce(0) { $0 + model.release($1, f.windows) }
        for (change, response) in zip(turn.changes, result.changes) {
            switch change {
            case .upsertConsumer, .openSession: try applyLogin(change, response)
            case .retry(let request):
                try applyRetry(request, response, stateBefore: retried?.state)
                if case .retried = response { openBefore.insert(request.delivery) }
            default: try apply(change, response)
            }
        }
        let reads = try zip(turn.accepts[0].events, result.accepts[0]).compactMap { input, response in
            try apply(input.event, input.messageID, response)
        }
        checkWindows(turn, result)
        checkEnds(sessionsBefore)
        let collapsed = try await learnNewRows(reads)
        let named = Set(result.withdrawn.map(\.delivery))
        #expect(named.count == result.withdrawn.count && named.isSuperset(of: collapsed))
        // Every row that ended, in any way; those that ended with a response may be missing.
        let ended = openBefore.intersection(model.finished)
        #expect(named.isSubset(of: ended))
        #expect(named.isSuperset(of: ended.subtracting(turn.outcomes.map(\.delivery))))
        handOut(result.owned)
        for claim in result.claims {
            #expect(claim.rows.count <= 6)
            handOut(claim.rows)
        }
    }

    private mutating func outcomes() -> [OutcomeRecord] {
        var outcomes: [OutcomeRecord] = []
        var kept: [OutboxRow] = []
        for row in held {
            guard chance(35) else {
                kept.append(row)
                continue
            }
            let seconds = Int64.random(in: 0...4, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<60: outcomes.append(f.response(row))
            case 60..<75: outcomes.append(f.retry(row, seconds: seconds))
            case 75..<88: outcomes.append(f.unsent(row, .release(due: f.now.adding(seconds: seconds - 2))))
            case 88..<94: outcomes.append(f.unsent(row, .finished(.expired, nil)))
            case 94..<97:
                let token = OutcomeRecord.TokenEffect.drop(token: row.token, since: f.now)
                outcomes.append(
                    f.record(row, .finished(.failed, nil), .unregistered(since: f.now), status: 410, token: token)
                )
            default:
                let token = OutcomeRecord.TokenEffect.quarantine(token: row.token)
                outcomes.append(
                    f.record(row, .finished(.failed, nil), .rejected(token: .quarantine), status: 400, token: token)
                )
            }
        }
        held = kept
        return outcomes
    }

    private mutating func anyChanges() -> [StoreChange] {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<12: return login()
        case 12..<20: return anyRetry()
        default: return [anyChange()]
        }
    }

    private mutating func anyChange() -> StoreChange {
        let consumer = any(consumers)
        let number = Int.random(in: 0..<9, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<35:
            // A device keeps its kind; its token is often another's.
            let token = "t-\(number % 2)-\(Int.random(in: 0..<6, using: &random))"
            let pushType: PushType = number.isMultiple(of: 2) ? .apns : .fcm
            let receives: Receives = chance(80) ? .all : any([.agent, .proactive])
            let device = f.device("d-\(number)", of: consumer, token: token, pushType: pushType, receives: receives)
            return .register(ask(for: device))
        case 35..<45:
            return f.unregister(consumer, device: chance(70) ? "d-\(number)" : nil, any([.all, .agent, .none]))
        case 45..<75:
            let conversation = anyConversation(of: consumer)
            let known = model.thread(conversation, of: model.name(consumer)).flatMap { model.conversations[$0] }
            let target = Int64.random(in: 0...(Int64(known?.counts.count ?? 0) + 1), using: &random)
            return f.read(consumer, conversation, target, on: chance(60) ? "d-\(number)" : nil)
        default:
            let message = model.made.isEmpty ? MessageID(high: 1, low: 1) : any(model.made.keys.sorted())
            return chance(50)
                ? f.tap(consumer, "d-\(number)", message) : f.receipt(consumer, "d-\(number)", message)
        }
    }

    /// Returns the name of a conversation, sometimes one that other consumers use, too.
    ///
    /// A consumer that may be merged uses no other's: which of two conversations with one name gets another is for the
    /// cases of merges.
    private mutating func anyConversation(of consumer: String) -> String {
        guard chance(5), !model.anonymous.contains(consumer) else {
            return "c-\(consumer)-\(Int.random(in: 0..<3, using: &random))"
        }
        return "c-u-\(Int.random(in: 0..<6, using: &random))-0"
    }

    private mutating func anyEvent() -> AgentEvent {
        let consumer = any(consumers)
        let conversation = chance(70) ? anyConversation(of: consumer) : nil
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<60:
            var event = f.message(consumer, in: conversation)
            event.silent = chance(15)
            if chance(50) { event.ttlSeconds = Int64.random(in: 1...60, using: &random) }
            if chance(30) { event.collapseKey = any(["k-1", "k-2"]) }
            return event
        case 60..<75: return f.proactive(consumer, in: conversation)
        case 75..<83: return f.event(.conversationResolved, consumer, in: anyConversation(of: consumer))
        case 83..<90:
            let target = ReadTarget.sequence(Int64.random(in: 0...30, using: &random))
            return f.readEvent(consumer, in: anyConversation(of: consumer), target)
        default:
            let isReplay = chance(70)
            let known = model.events.keys.filter { !isReplay || $0.consumer == consumer }.map(\.id).sorted()
            return f.message(consumer, in: conversation, id: known.isEmpty ? nil : any(known))
        }
    }

    // MARK: The same in the model

    private mutating func apply(_ outcome: OutcomeRecord, _ effect: OutcomeEffect) {
        if model.open[outcome.delivery] != nil {
            if case .finished = outcome.disposition {
                model.open[outcome.delivery] = nil
                model.finished.insert(outcome.delivery)
            } else {
                model.open[outcome.delivery]?.isHeld = false
            }
        }
        let known = model.registrations[outcome.registration]
        switch outcome.token {
        case .none: #expect(effect.ended.isEmpty)
        case .drop(let token, _):
            #expect(effect.ended == (known?.token == token ? [outcome.registration] : []))
            model.end(effect.ended)
        case .quarantine(let token):
            #expect(effect.ended == (known?.token == token ? [outcome.registration] : []))
            for registration in effect.ended {
                model.registrations[registration]?.isActive = false
                model.finish { $0.registration == registration }
            }
        }
    }

    private mutating func apply(_ change: StoreChange, _ result: StoreChangeResult) throws {
        switch (change, result) {
        case (.register(let device), .registered(let change)):
            let expected = model.registrations.filter {
                let isSame = $0.value.device == device.device.rawValue
                let owner = model.name(device.consumer.rawValue)
                return isSame ? $0.value.consumer != owner : $0.value.token == device.token
            }
            #expect(Set(change.ended) == Set(expected.keys) && model.rejection(device) == nil)
            model.end(change.ended)
            model.bind(device)
            let id = change.registration.id
            #expect(change.created == (model.registrations[id] == nil))
            model.registrations[id] = WalkModel.Registration(
                device: device.device.rawValue,
                consumer: model.name(device.consumer.rawValue),
                token: device.token,
                receives: device.receives
            )
            if !device.receives.contains(.agent) { model.narrow(id) }
            if !device.receives.contains(.proactive) { model.withdrawProactive(id) }
        case (.register(let device), .boundElsewhere): #expect(model.rejection(device) == .boundElsewhere)
        case (.register(let device), .conflict): #expect(model.rejection(device) == .conflict)
        case (.unregister(_, let consumer, _, let device, let scope), .unregistered(let change)):
            let named = model.registrations.filter {
                $0.value.consumer == model.name(consumer.rawValue)
                    && (device == nil || $0.value.device == device?.rawValue)
            }
            let narrowed = named.filter { $0.value.receives.contains(.agent) }
            #expect(Set(change.ended) == (scope == .all ? Set(named.keys) : []))
            #expect(Set(change.narrowed) == (scope == .agent ? Set(narrowed.keys) : []))
            model.end(change.ended)
            for registration in change.narrowed { model.narrow(registration) }
        case (.read(let request), .read(let change)):
            guard case .sequence(let sequence) = request.target else { throw Unexpected(what: "\(request)") }
            let owner = model.name(request.consumer.rawValue)
            let thread = try #require(model.thread(request.conversation.rawValue, of: owner))
            model.read(thread, upTo: sequence)
            #expect(change.readSequence == Int64(model.conversations[thread]?.mark ?? -1))
            #expect(change.unread == model.unread(owner))
        case (.read(let request), .notFound):
            let owner = model.name(request.consumer.rawValue)
            #expect(model.thread(request.conversation.rawValue, of: owner) == nil)
        case (.tap, .tapped), (.tap, .notFound), (.receipts, .receipts): break
        default: throw Unexpected(what: "\(change) resulted in \(result)")
        }
    }

    /// Compares the result; returns the extent of a stored read event.
    private mutating func apply(
        _ event: AgentEvent,
        _ id: MessageID,
        _ response: EventResult
    ) throws -> (conversation: String, mark: Int64)? {
        let consumer = model.name(event.consumer.rawValue)
        if let known = model.first(event) {
            let (duplicate, _) = try response.duplicateEvent
            let first = known.flatMap { model.made[$0.id] }
            #expect(duplicate.messageID == first?.id && duplicate.sequence == first?.sequence)
            return nil
        }
        let asked = event.conversation.flatMap { model.thread($0.rawValue, of: consumer) }
        switch event.type {
        case .agentMessage, .proactiveMessage:
            let accepted = try response.acceptedEvent
            let active = model.active(consumer)
            let unnamed = event.kind == .agent ? active ?? id.description : accepted.conversation?.rawValue
            let target = try #require(event.conversation?.rawValue ?? unnamed)
            #expect(event.kind == .agent || event.conversation != nil || target != active)
            let made = model.add(event, id, to: target, at: f.now)
            #expect(accepted.messageID == id && accepted.conversation?.rawValue == target)
            #expect(accepted.sequence == made.sequence && accepted.unread == model.unread(consumer))
            #expect(accepted.deliveries == model.receivers(consumer, event.kind))
        case .conversationResolved, .messagesRead:
            guard let asked else {
                #expect(response == .rejected(.unknownConversation))
                return nil
            }
            model.store(event, nil)
            if case .sequence(let sequence) = event.readTarget {
                model.read(asked, upTo: sequence)
            } else {
                model.conversations[asked]?.isResolved = true
            }
            #expect(try response.acceptedEvent.unread == model.unread(consumer))
            if event.type == .messagesRead { return (asked, Int64(model.conversations[asked]?.mark ?? 0)) }
        case .agentTyping: throw Unexpected(what: "\(event.type)")
        }
        return nil
    }

    /// Adds rows that the turn created; returns the older ones that they replaced.
    private mutating func learnNewRows(
        _ reads: [(conversation: String, mark: Int64)]
    ) async throws -> Set<DeliveryID> {
        let items = try await f.store.deliveries(DeliveryQuery(brand: f.brand, limit: 100)).items
        var collapsed: Set<DeliveryID> = []
        var made: [DeliveryID: DeliveryState] = [:]
        var ended: Set<DeliveryID> = []
        for item in items.reversed() where item.id > newest {
            #expect(item.id.rawValue == newest.rawValue + 1)
            newest = item.id
            let registration = model.registrations.first { $0.value.device == item.device.rawValue }
            let message = item.messageID.flatMap { model.made[$0] }
            #expect((message == nil) == (item.messageID == nil))
            let row = WalkModel.Row(
                registration: try #require(registration?.key),
                device: item.device.rawValue,
                consumer: item.consumer.rawValue,
                conversation: message?.conversation,
                sequence: message?.sequence ?? 0,
                kind: message?.kind,
                collapseKey: message?.collapseKey,
                message: item.messageID,
                expiresAt: message?.expiresAt ?? f.now.adding(seconds: 86_400),
                isHeld: false,
                isForWindow: message?.kind == .agent && isHeld(item.consumer.rawValue, item.device)
            )
            if !item.state.isFinished { #expect((item.state == .held) == row.isForWindow, "delivery \(item.id)") }
            let older = Set(model.open.filter { row.takesPlace(of: $0.value) }.keys)
            ended.formUnion(older.intersection(made.keys))
            collapsed.formUnion(older.subtracting(made.keys))
            model.finish { row.takesPlace(of: $0) }
            model.open[item.id] = row
            model.rows[item.id] = row
            model.queuedAt[item.id] = f.now
            made[item.id] = item.state
            let wasRead = message.map { message in
                reads.contains { $0.conversation == message.conversation && $0.mark >= message.sequence }
            }
            if wasRead == true { ended.insert(item.id) }
        }
        for (id, state) in made {
            #expect(state.isFinished == ended.contains(id), "delivery \(id)")
            guard ended.contains(id) else { continue }
            if let row = model.open.removeValue(forKey: id) { model.rows[id] = row }
            model.finished.insert(id)
        }
        return collapsed
    }

    private mutating func handOut(_ rows: [OutboxRow]) {
        for row in rows {
            let mayBeHanded = model.mayBeHanded(row.id)
            #expect(mayBeHanded, "delivery \(row.id)")
            model.open[row.id]?.isHeld = true
            held.append(row)
            let registration = model.registrations[row.registration]
            #expect(registration?.token == row.token)
            #expect(row.unread == model.unread(registration?.consumer ?? ""))
        }
    }

    // MARK: Occasional actions

    private mutating func runHousekeeping() async throws {
        let limit = Int.random(in: 1...30, using: &random)
        let before = f.now.adding(seconds: -Int64.random(in: 20...300, using: &random))
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            let expired = model.open.filter { !$0.value.isHeld && $0.value.expiresAt <= f.now }.count
            let (now, removed) = (f.now, try await f.runHousekeeping(.expired, limit: limit))
            #expect(removed == expired)
            model.finish { !$0.isHeld && $0.expiresAt <= now }
        case 1:
            let old = model.finished.filter { model.queuedAt[$0].map { $0 < before } == true }
            let removed = try await f.runHousekeeping(.deliveries(before: [f.brand: before]), limit: limit)
            #expect(removed == old.count)
            model.finished.subtract(old)
            model.removed += old.count
        default:
            let removed = try await f.runHousekeeping(.messages(before: [f.brand: before]), limit: limit)
            #expect(removed == model.removeMessages(before: before))
        }
    }

    private mutating func restart() async throws {
        let waiting = model.open.count { !$0.value.isHeld && !$0.value.isForWindow }
        let start = try await f.restart()
        heard.listen(to: f.store)
        #expect(start.recovered == model.open.count - waiting)
        #expect(start.backlog.isEmpty == model.open.isEmpty)
        model.releaseAll()
        held = []
        setPresence()
        windows = []
    }

    private func compare() async throws {
        for consumer in consumers {
            let counts = try await f.store.unread(brand: f.brand, consumer: ConsumerID(trusted: consumer))
            let owner = model.name(consumer)
            #expect(counts.total == model.unread(owner))
            for stored in counts.conversations {
                let expected = model.thread(stored.id.rawValue, of: owner).flatMap { model.conversations[$0] }
                #expect(stored.unread == expected?.unread && stored.readSequence == Int64(expected?.mark ?? -1))
                #expect(stored.lastSequence == Int64(expected?.counts.count ?? -1))
                let messages = try await f.messages(consumer, in: stored.id.rawValue)
                let kept = (expected?.counts.indices.map { Int64($0 + 1) } ?? []).filter {
                    expected?.gone.contains($0) == false
                }
                #expect(messages.map(\.sequence) == kept)
            }
            #expect(counts.conversations.count == model.conversations.values.count { $0.consumer == owner })
        }
        var open: Set<DeliveryID> = []
        var finished: Set<DeliveryID> = []
        var query = DeliveryQuery(brand: f.brand, limit: 500)
        repeat {
            let page = try await f.store.deliveries(query)
            for item in page.items {
                #expect(!open.contains(item.id) && !finished.contains(item.id))
                if item.state.isFinished { finished.insert(item.id) } else { open.insert(item.id) }
                let isForWindow = model.open[item.id]?.isForWindow ?? model.rows[item.id]?.isForWindow
                if !item.state.isFinished { #expect((item.state == .held) == isForWindow, "delivery \(item.id)") }
                // Ended by the window or the read, unless the device reported more.
                if item.state == .suppressed { #expect(item.suppressedBy == .windowOpen && isForWindow == true) }
                if item.suppressedBy == .read { #expect(item.state == .cancelled && isForWindow == false) }
            }
            query.before = page.next
        } while query.before != nil
        #expect(open == Set(model.open.keys))
        #expect(finished == model.finished)
        #expect(open.count + finished.count + model.removed == Int(newest.rawValue))
    }
}
