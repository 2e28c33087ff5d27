import GatewayModel
import GatewayStorage
import TestSupport
import Testing

/// Random turns on a store and on the model of it, compared after every turn by everything that callers can observe.
///
/// It ends at the first difference, with the number of the turn. At its end it expects that every kind of operation
/// came with every result that it may have.
struct RandomWalk {
    let f: ContractFixture
    var random: SplitMix
    var model: ContractModel
    var consumers = (0..<6).map { "u-\($0)" }
    /// Numbers names and tokens.
    var names = 0
    /// Stored events with the names of their consumers.
    var events: [(consumer: String, id: String)] = []
    /// Messages of back-ends with the names of their consumers, and those of them that were tapped.
    var posted: [(consumer: String, id: MessageID)] = []
    var tapped: [(consumer: String, id: MessageID)] = []
    /// Rows that were handed out and have no response yet, cancelled ones included.
    var held: [OutboxRow] = []
    /// Windows that are open.
    var windows: [(name: ConsumerName, device: DeviceID?)] = []

    /// The store's notifications of ended sessions.
    private let heard: SessionEndRecorder
    private let isPerDevice: Bool
    private var number = 0
    /// The end of the outbound feed.
    private var position: Int64 = 0
    /// How often each result came.
    private var results: [String: Int] = [:]

    init(fixture: ContractFixture, seed: UInt64) {
        f = fixture
        random = SplitMix(seed: seed)
        model = ContractModel(brand: f.brand, lanes: [.apns: f.apns, .fcm: f.fcm])
        isPerDevice = seed.isMultiple(of: 2)
        heard = f.listen()
        setPresence()
    }

    private func setPresence() { _ = f.windows.set(perDevice: isPerDevice ? [f.brand] : [], pushing: []) }

    mutating func run(turns: Int) async throws {
        _ = try await f.subscribe("walk")
        try await fill()
        try await meetRareResults()
        for number in 1...turns {
            self.number = number
            try await walk()
            if chance(4) { try await runHousekeeping() }
            if chance(1) { try await restart() }
            if number % 100 == 0 { try await compareAll() }
        }
        try await drain()
        try await compareAll()
        for result in Self.expectedResults { #expect(results[result, default: 0] > 0, "\(result) never came") }
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func any<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    private func same<Value: Equatable>(_ found: Value, _ expected: Value, _ what: @autoclosure () -> String) throws {
        guard found != expected else { return }
        throw Unexpected(what: "turn \(number), \(what()): \(found) instead of \(expected)")
    }

    private mutating func note(_ result: String, if isTrue: Bool = true) {
        if isTrue { results[result, default: 0] += 1 }
    }

    // MARK: Turns

    /// Fills two conversations beyond ``ReadMark/messagesLookedAt`` and reads one of them, and makes more of a consumer
    /// than those that an engine remembers.
    private mutating func fill() async throws {
        var events: [AgentEvent] = []
        for conversation in ["c-u-0-0", "c-u-0-1"] {
            for place in 0..<300 {
                var event = place % 50 == 0 ? f.proactive("u-0", in: conversation) : f.message("u-0", in: conversation)
                event.silent = place % 3 == 1
                events.append(event)
            }
        }
        for place in 2..<12 { events.append(f.message("u-0", in: "c-u-0-\(place)")) }
        var turn = f.turn()
        turn.accepts = [f.request(events)]
        try await commit(turn)
        // Later the consumer may be gone, or have read them.
        turn = f.turn()
        turn.changes = [f.read("u-0", "c-u-0-1", 290)]
        try await commit(turn)
    }

    /// Makes what chance alone makes in few walks: a held message that is read and one that is released, more responses
    /// in a turn than an engine may store with one statement, a repeated tap, an opened conversation and one that is
    /// resolved twice, and a device that is stopped and ends.
    private mutating func meetRareResults() async throws {
        func message(_ consumer: String, _ place: Int) -> AgentEvent {
            f.message(consumer, in: "c-\(consumer)-\(place)")
        }
        var turn = f.turn()
        turn.changes = [.register(f.device("d-0", of: "u-1", token: "t-0-0"))]
        turn.changes += [.register(f.device("d-2", of: "u-2", token: "t-0-1"))]
        try await commit(turn)
        f.windows.open(f.name("u-1"), device: DeviceID(trusted: "d-0"))
        windows.append((f.name("u-1"), DeviceID(trusted: "d-0")))
        turn = f.turn()
        turn.accepts = [f.request([message("u-1", 0), message("u-1", 1)])]
        try await commit(turn)
        turn = f.turn()
        turn.changes = [f.read("u-1", "c-u-1-0", 1), f.unregister("u-1", device: "d-0", .agent)]
        try await commit(turn)
        turn = f.turn()
        turn.changes = [.register(f.device("d-0", of: "u-1", token: "t-0-0"))]
        turn.accepts = [f.request([message("u-1", 0)])]
        try await commit(turn)
        let closed = closeWindows()
        turn = f.turn()
        turn.releases = closed
        try await commit(turn)
        f.budgets = [f.apns: LaneBudget(slots: 16, mayHaveBacklog: true)]
        turn = f.turn()
        turn.claims = [ClaimRequest(lane: f.apns, queue: .agent, limit: 16)]
        turn.accepts = [f.request((0..<6).flatMap { [message("u-1", $0), message("u-2", $0)] })]
        try await commit(turn)
        f.budgets = [:]
        turn = f.turn()
        turn.claims = [ClaimRequest(lane: f.apns, queue: .agent, limit: 16)]
        try await commit(turn)
        turn = f.turn()
        turn.outcomes = held.dropLast().map { f.response($0) } + held.suffix(1).map { dead($0, since: nil) }
        held = []
        if let last = posted.last {
            let tap = TapRequest(
                brand: f.brand,
                consumer: ConsumerID(trusted: last.consumer),
                message: last.id,
                device: DeviceID(trusted: "d-0"),
                tappedAt: f.now,
                action: nil
            )
            turn.changes = [.tap(tap), .tap(tap)]
        }
        // A consumer without a conversation.
        let opening = ConversationToOpen(brand: f.brand, consumer: ConsumerID(trusted: "u-3"))
        turn.changes.append(f.identified("u-3"))
        turn.changes += [f.numbered(.openConversation(opening)), f.numbered(.openConversation(opening))]
        let resolution = StoreChange.resolve(
            brand: f.brand,
            consumer: ConsumerID(trusted: "u-1"),
            conversation: ConversationID(trusted: "c-u-1-0")
        )
        turn.changes += [resolution, resolution]
        try await commit(turn)
        turn = f.turn()
        turn.invalidations = [StoppedDeviceRequest(lane: f.apns, stoppedBy: f.now, limit: 1)]
        try await commit(turn)
    }

    private mutating func walk() async throws {
        f.now = f.now.adding(milliseconds: Int64.random(in: 0...1500, using: &random))
        var changes = chance(60) ? anyChanges() : []
        // Later ones of a turn may find another state than that for which they were chosen.
        while chance(20) { changes += anyChanges() }
        f.budgets = [:]
        for lane in [f.apns, f.fcm] where chance(70) {
            let mayHaveBacklog = model.open.contains { $0.value.place != .lane } || chance(50)
            f.budgets[lane] = LaneBudget(slots: Int.random(in: 0...3, using: &random), mayHaveBacklog: mayHaveBacklog)
        }
        let releases = moveWindows()
        var turn = f.turn()
        turn.outcomes = outcomes()
        turn.releases = releases
        turn.changes = changes
        if chance(6) { turn.invalidations = [anyStopped()] }
        if chance(12) { turn.putBacks = [anyStopped()] }
        var events: [AgentEvent] = []
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            events.append(anyEvent())
            if chance(5), let first = events.randomElement(using: &random) { events.append(first) }
        }
        if chance(3) {
            let consumer = anyConsumer()
            for _ in 0..<12 { events.append(f.message(consumer, in: nil)) }
        }
        turn.accepts = [f.request(events)]
        for lane in [f.apns, f.fcm] where chance(40) {
            for queue in [OutboxQueue.agent, .badge, .proactive(campaign: nil)] where chance(70) {
                let limit = Int.random(in: 1...6, using: &random)
                turn.claims.append(ClaimRequest(lane: lane, queue: queue, limit: limit))
            }
        }
        try await commit(turn)
    }

    /// Commits a turn, and compares its results and the content with the model's.
    private mutating func commit(_ turn: WriterTurn) async throws {
        var unread: [String: Int64] = [:]
        for consumer in model.consumers.keys { unread[consumer] = model.unread(consumer) }
        let sessions = model.sessions
        let result = try await f.store.commit(turn)
        try same(result.changes.count, turn.changes.count, "results of changes")
        model.begin(f.now, turn.windows)
        try check(turn.outcomes, result.outcomes)
        for (request, response) in zip(turn.invalidations, result.invalidations) {
            let expected = model.invalidate(request)
            try same(response, expected, "devices that end")
            note("stopped devices end", if: !expected.registrations.isEmpty)
        }
        for (request, response) in zip(turn.putBacks, result.putBacks) {
            let (waiting, expected) = (model.open.count, model.putBack(request))
            try same(response, expected, "restored devices")
            note("stopped devices are restored", if: !expected.registrations.isEmpty)
            note("rows of stopped devices are restored", if: model.open.count > waiting)
        }
        for name in turn.releases { if let owner = model.known(name.consumer) { model.release(owner) } }
        for (change, response) in zip(turn.changes, result.changes) { try check(change, response) }
        for (posted, response) in zip(turn.accepts.flatMap(\.events), result.accepts.joined()) {
            try check(posted, response)
        }
        try check(result)
        try checkEnds()
        try await compareSessions(Set(sessions.map(\.token)).symmetricDifference(model.sessions.map(\.token)))
        try await handOut(result.owned)
        for (claim, request) in zip(result.claims, turn.claims) {
            try same(claim.rows.count <= request.limit, true, "rows of a claim")
            try await handOut(claim.rows)
        }
        try compare(try await f.store.deliveries(DeliveryQuery(brand: f.brand, limit: 20)))
        try await compareFeed()
        let touched = turn.changes.compactMap(\.consumer) + turn.accepts.flatMap(\.events).map(\.event.consumer)
        for consumer in Set(touched.map(\.rawValue)).sorted() {
            let before = model.turn.erased.contains(model.name(consumer)) ? nil : unread[model.name(consumer)]
            try await compare(consumer, result.unread, before: before)
        }
    }

    private mutating func check(_ outcomes: [OutcomeRecord], _ effects: [OutcomeEffect]) throws {
        note("more than 8 responses in a turn", if: outcomes.count > 8)
        for (outcome, effect) in zip(outcomes, effects) {
            note("a late response", if: model.open[outcome.delivery] == nil)
            let expected = model.record(outcome)
            try same(effect, expected, "delivery \(outcome.delivery)")
            guard let state = expected.ended.first.flatMap({ model.registrations[$0]?.state }) else { continue }
            note("a device is \(state)")
        }
    }

    private mutating func check(_ change: StoreChange, _ result: StoreChangeResult) throws {
        let beforeRead: Int64? =
            if case .read(let request) = change {
                model.number(request.conversation.rawValue, of: model.known(request.consumer))
                    .flatMap { model.conversations[$0]?.mark }
            } else {
                nil
            }
        let expected = model.apply(change, result)
        try same(result.text, expected, "\(change)")
        let words = expected.split(separator: " ").filter { $0.allSatisfy(\.isLetter) }
        note("\(change.kind): \(words.joined(separator: " "))")
        switch (change, result) {
        case (.read(let request), .read(let read)):
            note("read: moved", if: read.readSequence != beforeRead)
            note("read: moved beyond 256", if: read.readSequence != beforeRead && read.readSequence > 256)
            note("read: by message", if: request.target.isMessage)
        case (.register, .registered(let change)): note("register: ends others", if: !change.ended.isEmpty)
        case (.openSession, .sessionOpened(let opening)):
            note("log in: merges", if: !opening.merged.isEmpty)
            note("log in: ends registrations", if: !opening.endedRegistrations.isEmpty)
        case (.unregister, .unregistered(let change)):
            note("unregister: ends", if: !change.ended.isEmpty)
            note("unregister: narrows", if: !change.narrowed.isEmpty)
        case (.receipts, .receipts(let met)): note("receipts: met", if: met.contains(true))
        case (.tap(let tap), .tapped(let result)) where result.first:
            tapped.append((tap.consumer.rawValue, tap.message))
        default: break
        }
    }

    private mutating func check(_ posted: PostedEvent, _ result: EventResult) throws {
        let event = posted.event
        var proactive: ConversationID?
        if event.kind != .agent, case .accepted(let accepted) = result { proactive = accepted.conversation }
        let expected = model.accept(event, as: posted.messageID, proactive: proactive)
        try same(result, expected, "\(event.type) \(event.id)")
        switch expected {
        case .accepted(let accepted):
            note("\(event.type.rawValue): accepted")
            if event.type != .agentTyping { events.append((event.consumer.rawValue, event.id.rawValue)) }
            if let id = accepted.messageID { self.posted.append((event.consumer.rawValue, id)) }
        case .duplicate(let first, let bodyDiffers):
            note("duplicate", if: first.messageID != nil)
            note("duplicate of a message that was removed", if: first.messageID == nil)
            note("duplicate with another body", if: bodyDiffers)
            let name = ContractModel.EventName(consumer: event.consumer.rawValue, id: event.id.rawValue)
            note("duplicate by another name", if: model.events[name] == nil)
        case .rejected(let rejection): note("rejected: \(rejection)")
        }
    }

    private mutating func check(_ result: WriterTurnResult) throws {
        let turn = model.turn
        try same(result.windowEvents.map(\.text), turn.windowEvents, "window events")
        try same(result.held, turn.held, "held rows")
        try same(Set(result.withdrawn.map(\.delivery)), turn.withdrawn, "withdrawn rows")
        try same(Set(result.stopped.values.flatMap(\.registrations)), turn.stopped, "stopped devices")
        for (lane, stopped) in result.stopped {
            try same(stopped.devices, model.registrations.values.count { $0.lane == lane }, "devices of \(lane)")
        }
        note("held", if: turn.held.made > 0)
        note("released", if: turn.held.released > 0)
        note("suppressed", if: turn.held.suppressed > 0)
        note("a conversation gets another id", if: turn.renamed > 0)
        let owners = Dictionary(grouping: model.conversations.values, by: \.consumer)
        note("more than 8 conversations", if: owners.values.contains { $0.count > 8 })
        let rows = Dictionary(grouping: model.open.values, by: \.registration)
        note("more than 8 rows of a device", if: rows.values.contains { $0.count > 8 })
        let ended = turn.withdrawn.compactMap { model.finished[$0]?.suppressedBy?.rawValue }
        for reason in ended { note("suppressed by \(reason)") }
    }

    /// Checks that the consumers that lost a session in the turn, or have one that was bound, were notified, and nobody
    /// else.
    private func checkEnds() throws {
        let ended = Set(model.turn.ends.map { f.end(of: $0) })
        let reported = heard.take()
        try same(reported.isSuperset(of: ended), true, "ended sessions \(ended), reported \(reported)")
        try same(reported.isEmpty, ended.isEmpty, "reported ends of sessions")
    }

    private mutating func handOut(_ rows: [OutboxRow]) async throws {
        for row in rows {
            try same(model.mayBeHanded(row.id), true, "order of delivery \(row.id)")
            model.open[row.id]?.place = .lane
            held.append(row)
            let expected = model.open[row.id]
            let device = model.registrations[row.registration]
            try same(row.registration, expected?.registration, "registration of \(row.id)")
            let owner = ConsumerID(trusted: device?.consumer ?? "")
            let consumer = try await f.store.consumer(brand: f.brand, id: owner)
            try same(row.consumer, consumer?.key, "consumer of \(row.id)")
            try same(row.token, device?.token, "token of \(row.id)")
            try same(row.lane, device?.lane, "lane of \(row.id)")
            try same(row.queuedAt, expected?.queuedAt, "time of \(row.id)")
            try same(row.unread, model.unread(device?.consumer ?? ""), "unread count of \(row.id)")
            try same(row.receivesAgents, device?.receives.contains(.agent), "badge of \(row.id)")
            try same(row.message?.id, expected?.message, "message of \(row.id)")
            try same(row.attempts, expected?.attempts, "attempts of \(row.id)")
            try same(row.expiresAt, expected?.expiresAt, "expiry of \(row.id)")
        }
    }

    // MARK: Content

    private func compare(_ asked: String, _ changed: [ConsumerKey: Int64], before: Int64?) async throws {
        let id = ConsumerID(trusted: asked)
        let owner = model.name(asked)
        let stored = try await f.store.consumer(brand: f.brand, id: id)
        try same(stored?.text, model.text(of: owner), "consumer \(asked)")
        let unread = model.unread(owner)
        try same(try await f.unread(asked), unread, "unread count of \(asked)")
        if let key = stored?.key {
            // Present for each count that has changed.
            let isPresent = changed[key] != nil || unread != before ?? 0
            try same(changed[key], isPresent ? unread : nil, "reported unread count of \(asked)")
        }
        try await compareConversations(id, owner)
        let record = try await f.store.consumerRecord(brand: f.brand, id: id)
        try same(record != nil, stored != nil, "record of \(asked)")
        if let record {
            let aliases = model.merged.filter { $0.value == owner }.keys.sorted()
            try same(record.merged.map(\.rawValue).sorted(), aliases, "merged into \(asked)")
            let sessions = model.sessions.filter { $0.consumer == owner }.sorted { $0.createdAt < $1.createdAt }
            try same(record.sessions.map(\.tokenHash), sessions.map(\.token), "sessions of \(asked)")
        }
        var query = DeliveryQuery(brand: f.brand, limit: 10)
        query.consumer = id
        try compare(try await f.store.deliveries(query), of: owner)
        let active = try await f.store.activeConversation(brand: f.brand, consumer: id)
        let expected = model.active(owner).flatMap { model.conversations[$0]?.name }
        try same(active?.rawValue, expected, "active conversation of \(asked)")
        try same(try await f.pending(asked).map(\.id), model.pending(owner, at: f.now), "pending messages of \(asked)")
        let devices = model.registrations.filter { $0.value.consumer == owner && $0.value.state != .stopped }
            .sorted { $0.key.rawValue < $1.key.rawValue }.map { model.text($0.key, $0.value) }
        try same(try await f.registrations(asked).map(\.text), devices, "devices of \(asked)")
    }

    private func compareConversations(_ id: ConsumerID, _ owner: String) async throws {
        let found = try await f.store.conversations(brand: f.brand, consumer: id, after: nil, limit: 1000) ?? []
        let all = model.conversations.values
        let expected = all.filter { $0.consumer == owner }
            .map { "\($0.name) \($0.unread) \($0.last) \($0.mark) \($0.isResolved)" }
        let texts = found.map { item in
            let counts = item.unread
            return "\(counts.id) \(counts.unread) \(counts.lastSequence) \(counts.readSequence) \(item.isResolved)"
        }
        try same(texts.sorted(), expected.sorted(), "conversations of \(id)")
        // One of its own, and one that is often another's.
        let ids = [all.filter { $0.consumer == owner }, Array(all)].map { $0.map(\.name).sorted() }
        for name in ids.filter({ !$0.isEmpty }).map({ $0[number % $0.count] }) {
            let messages = try await f.store.messages(
                brand: f.brand,
                consumer: id,
                conversation: ConversationID(trusted: name),
                afterSequence: 0,
                after: nil,
                limit: 500
            )
            let kept = model.number(name, of: owner).flatMap { model.conversations[$0]?.messages }
            let texts = messages?.map { "\($0.id) \($0.sequence) \($0.kind.rawValue)" }
            try same(texts, kept?.map { "\($0.id) \($0.sequence) \($0.kind.rawValue)" }, "messages of \(name)")
        }
    }

    private func compareSessions(_ tokens: Set<[UInt8]>) async throws {
        for token in tokens {
            let found = try await f.store.session(tokenHash: token)
            let expected = model.sessions.first { $0.token == token }
            try same(found?.consumer.rawValue, expected?.consumer, "consumer of a session")
            try same(found?.device?.rawValue, expected?.device, "device of a session")
        }
    }

    /// Compares a page of deliveries, of a consumer or of all: those from its cursor on, because a page may be short.
    private func compare(_ page: DeliveryPage, of owner: String? = nil, before: DeliveryID? = nil)
        throws
    {
        var rows = model.open.merging(model.finished) { first, _ in first }
        if let owner { rows = rows.filter { model.name($0.value.consumer) == owner } }
        let ids = rows.keys.filter { id in (before.map { id < $0 } ?? true) && (page.next.map { id >= $0 } ?? true) }
        let expected = ids.sorted(by: >).compactMap { id in rows[id].map { model.text(id, $0) } }
        try same(page.items.map(\.text), expected, "deliveries")
    }

    /// Compares the new items of the feed, in any order.
    private mutating func compareFeed() async throws {
        let page = try await f.store.outbound(OutboundQuery(brand: f.brand, after: position, limit: 500))
        position = page.end
        try same(page.items.map(\.text).sorted(), model.turn.feed.sorted(), "outbound feed")
    }

    private func compareAll() async throws {
        for consumer in consumers { try await compare(consumer, [:], before: model.unread(model.name(consumer))) }
        try await compareSessions(Set(model.sessions.map(\.token)))
        var query = DeliveryQuery(brand: f.brand, limit: 500)
        repeat {
            let page = try await f.store.deliveries(query)
            try compare(page, before: query.before)
            query.before = page.next
        } while query.before != nil
    }

    // MARK: Occasional actions

    private mutating func runHousekeeping() async throws {
        // What is left of erased consumers would be counted otherwise.
        let removed = try await f.runHousekeeping(.erasures, limit: 50)
        note("remains of an erasure are removed", if: removed > 0)
        try same(try await f.runHousekeeping(.erasures), 0, "remains of erasures")
        model.begin(f.now, f.windows)
        let limit = Int.random(in: 1...30, using: &random)
        let before = f.now.adding(seconds: -Int64.random(in: 20...300, using: &random))
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            let expired = model.expired()
            try same(try await f.runHousekeeping(.expired, limit: limit), expired.count, "expired deliveries")
            var quiet: Set<DeliveryID> = []
            for id in expired {
                if try await f.delivery(id).record.suppressedBy == .quietHours { quiet.insert(id) }
            }
            model.expire(expired, quiet: quiet)
        case 1:
            let expected = model.removeDeliveries(before: before)
            let found = try await f.runHousekeeping(.deliveries(before: [f.brand: before]), limit: limit)
            try same(found, expected, "removed deliveries")
        default:
            let expected = model.removeMessages(before: before)
            let found = try await f.runHousekeeping(.messages(before: [f.brand: before]), limit: limit)
            try same(found, expected, "removed messages")
        }
        try await compareFeed()
    }

    private mutating func restart() async throws {
        let start = try await f.restart()
        heard.listen(to: f.store)
        let recovered = model.restart()
        try same(start.recovered, recovered, "recovered rows")
        try same(start.backlog.isEmpty, model.open.isEmpty, "empty backlog")
        // No device has a share in memory now, so that all rows are counted.
        let lanes = [f.apns, f.fcm]
        let depths = try await f.store.laneDepths(lanes)
        try same(depths.map(\.rows), lanes.map { model.waitingRows(of: $0) }, "waiting rows of the lanes")
        let stopped = model.registrations.values.filter { $0.state == .stopped }
        try same(
            start.stopped.mapValues { $0.counts.reduce(0) { $0 + $1.count } },
            Dictionary(grouping: stopped, by: \.lane).mapValues(\.count),
            "stopped devices"
        )
        held = []
        windows = []
        setPresence()
        note("restart")
    }

    /// Closes all windows and sends all that waits: nothing may be left.
    private mutating func drain() async throws {
        f.budgets = [:]
        var turn = f.turn()
        turn.releases = closeWindows()
        turn.windows = f.windows
        for _ in 0..<20 {
            turn.outcomes = held.map { f.response($0) }
            held = []
            for lane in [f.apns, f.fcm] {
                for queue in [OutboxQueue.agent, .badge, .proactive(campaign: nil)] {
                    turn.claims.append(ClaimRequest(lane: lane, queue: queue, limit: 1000))
                }
            }
            try await commit(turn)
            f.wait(seconds: 10)
            turn = f.turn()
        }
        try same(model.open.count, 0, "deliveries that are left")
    }
}

extension RandomWalk {
    /// Results that come in every walk.
    private static let expectedResults =
        EventType.allCases.map { "\($0.rawValue): accepted" } + [
            "duplicate", "duplicate of a message that was removed", "duplicate with another body",
            "duplicate by another name", "a conversation gets another id", "rejected: unknownConversation",
            "held", "released", "suppressed", "a late response", "a device is stopped", "a device is quarantined",
            "stopped devices end", "stopped devices are restored", "rows of stopped devices are restored",
            "suppressed by read", "suppressed by collapsed", "suppressed by unregistered",
            "suppressed by unregistered_agent", "suppressed by token_moved",
            "register: registered created", "register: registered renewed", "register: ends others",
            "register: conflict", "register: bound elsewhere", "register: session ended",
            "unregister: ends", "unregister: narrows",
            "read: moved", "read: moved beyond 256", "read: by message", "read: not found",
            "tap: tapped agent first", "tap: tapped agent again", "tap: tapped proactive first", "tap: gone",
            "tap: not found", "receipts: met", "retry: retried", "retry: not retried",
            "log in: opened known", "log in: opened anonymous", "log in: merges", "log in: ends registrations",
            "log out: sessions ended", "remote logout: sessions ended", "merge: opened known", "erase: erased",
            "profile: consumer known", "upsert: consumer known", "upsert: consumer anonymous",
            "write: written new", "write: written again", "write: conflict", "open: conversation new",
            "open: conversation active", "resolve: resolved", "resolve: conflict", "resolve: not found",
            "more than 8 responses in a turn", "more than 8 conversations", "more than 8 rows of a device",
            "remains of an erasure are removed", "restart",
        ]
}

extension ReadTarget {
    fileprivate var isMessage: Bool { if case .message = self { true } else { false } }
}
