import GatewayModel
import GatewayStorage
import Testing

/// Outbox rows: their recipients, their owner, and the order in which they are handed out.
enum QueueCases {
    static let all = [
        wholeRow, slots, noBudget, backlogKeepsOrder, withoutBacklogOwns, sameTurnOrder, claimOrder, claimWholeRow,
        claimLimit, claimLanes, notDue, orderAfterRequeue, requeueBehindElder, requeueAndAcceptInOneTurn,
        beginTakesBack, beginRestoresOrder, beginMakesDue, beginKeepsRetries, deliveryNumbersRise,
    ]

    static let wholeRow = ContractCase(
        "an owned row has all that its lane needs, with the unread count of the turn's end"
    ) {
        (f) async throws in
        var device = f.device("d-1", of: "u-1")
        device.locale = "de-CH"
        let registration = try await f.register(device).registration
        f.giveSlots(10)
        let rows = try await f.owned(f.message("u-1"), f.proactive("u-1"), f.message("u-1"))
        #expect(rows.map { $0.traits?.locale } == ["de-CH", "de-CH", "de-CH"])
        #expect(rows.map(\.unread) == [2, 2, 2])
        #expect(rows.map(\.id) == rows.map(\.id).sorted())
        let row = try #require(rows.first)
        #expect(row.lane == f.apns && row.registration == registration.id && row.token == registration.token)
        #expect(row.platform == .ios && row.kind == .message && row.attempts == 0 && row.queuedAt == f.now)
        #expect(row.message?.text == "Your order has shipped" && row.message?.sequence == 1)
        #expect(row.expiresAt == row.message?.expiresAt && row.conversation != nil)
        let consumer = try #require(try await f.store.consumer(brand: f.brand, id: ConsumerID(trusted: "u-1")))
        #expect(row.consumer == consumer.key)
        #expect(try await f.deliveries().allSatisfy { $0.state == .sending })
    }

    static let slots = ContractCase("rows are owned up to the lane's slots, the rest waits") { (f) async throws in
        for index in 1...4 { try await f.register("d-\(index)", of: "u-\(index)") }
        f.giveSlots(2)
        let events = (1...4).map { f.message("u-\($0)", in: "c-\($0)") }
        let request = f.request(events)
        let result = try await f.commit { $0.accepts = [request] }
        #expect(result.owned.count == 2)
        #expect(result.unowned == [f.agents(f.apns): f.now])
        let states = try await f.deliveries().reversed().map(\.state)
        #expect(states == [.sending, .sending, .pending, .pending])
    }

    static let noBudget = ContractCase("a lane without a budget owns nothing") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register(f.device("d-2", of: "u-1", pushType: .fcm))
        f.budgets = [f.fcm: LaneBudget(slots: 5, mayHaveBacklog: false)]
        let request = f.request([f.message("u-1")])
        let result = try await f.commit { $0.accepts = [request] }
        #expect(result.owned.map(\.lane) == [f.fcm])
        #expect(result.unowned == [f.agents(f.apns): f.now])
    }

    static let backlogKeepsOrder = ContractCase("a younger row waits behind the older unowned one of its device") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-2")
        f.giveSlots(1)
        let row = try await f.ownedRow(f.message("u-1"))
        try await f.outcome(f.retry(row, seconds: 60))
        f.giveSlots(5, mayHaveBacklog: true)
        let request = f.request([f.message("u-1"), f.message("u-2", in: "c-2")])
        let result = try await f.commit { $0.accepts = [request] }
        #expect(result.owned.map(\.message?.consumer.rawValue) == ["u-2"])
        // Due no earlier than the one that it waits for.
        #expect(result.unowned == [f.agents(f.apns): f.now.adding(seconds: 60)])
        #expect(try await f.claim().rows.isEmpty)
        f.wait(seconds: 60)
        #expect(try await f.claim().rows.map(\.message?.sequence) == [1, 2])
    }

    static let withoutBacklogOwns = ContractCase(
        "a backlog of another device, or of owned rows, delays no other device"
    ) {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(5, mayHaveBacklog: true)
        #expect(try await f.owned(f.message("u-1")).count == 1)
        #expect(try await f.owned(f.message("u-1"), f.message("u-1")).count == 2)
    }

    static let sameTurnOrder = ContractCase("within a turn, too, no row overtakes another of its device") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register(f.device("d-2", of: "u-2"))
        f.budgets = [:]
        try await f.accepted(f.message("u-1"))
        f.giveSlots(5, mayHaveBacklog: true)
        let request = f.request([f.message("u-1"), f.message("u-1"), f.message("u-2", in: "c-2")])
        let result = try await f.commit { $0.accepts = [request] }
        #expect(result.owned.map(\.message?.consumer.rawValue) == ["u-2"])
        #expect(result.unowned.keys.contains(f.agents(f.apns)))
    }

    static let claimOrder = ContractCase("claims come by due time, then by id") { (f) async throws in
        for index in 1...3 { try await f.register("d-\(index)", of: "u-\(index)") }
        f.giveSlots(1)
        let first = try await f.ownedRow(f.message("u-1", in: "c-1"))
        f.budgets = [:]
        try await f.accepted(f.message("u-2", in: "c-2"))
        f.wait(seconds: 10)
        try await f.accepted(f.message("u-3", in: "c-3"))
        try await f.outcome(f.unsent(first, .release(due: f.now)))
        let claim = try await f.claim()
        #expect(claim.rows.map(\.message?.consumer.rawValue) == ["u-2", "u-1", "u-3"])
        #expect(claim.nextDue == nil)
        #expect(try await f.claim().rows.isEmpty)
    }

    static let claimWholeRow = ContractCase("a claimed row has all that its lane needs, with present values") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        var event = f.message("u-1", text: "Grüße")
        event.agentNickname = "Dana"
        event.collapseKey = "k"
        event.data = JSONText(trusted: "{}")
        event.link = PlatformLinks(ios: "https://i")
        event.ttlSeconds = 600
        let queuedAt = f.now
        let accepted = try await f.accepted(event)
        var device = f.device("d-1", of: "u-1", token: "newer")
        device.locale = "fr"
        device.timeZone = "Europe/Zurich"
        let token = try await f.register(device).registration.token
        f.wait(seconds: 5)
        // Claims of a turn include the accepts of the turn.
        let request = f.request([f.message("u-1")])
        let lane = f.apns
        let result = try await f.commit {
            $0.accepts = [request]
            $0.claims = [ClaimRequest(lane: lane, limit: 10)]
        }
        #expect(result.claims[0].rows.count == 2)
        let row = try #require(result.claims[0].rows.first)
        #expect(row.token == token && row.token == "newer" && row.unread == 2 && row.lane == lane)
        #expect(row.traits == DeviceTraits(locale: "fr", timeZone: "Europe/Zurich"))
        #expect(row.queuedAt == queuedAt && row.expiresAt == queuedAt.adding(seconds: 600) && row.attempts == 0)
        #expect(row.kind == .message && row.platform == .ios && row.conversation != nil)
        let message = try #require(row.message)
        #expect(message.id == accepted.messageID && message.text == "Grüße" && message.agentNickname == "Dana")
        #expect(message.collapseKey == "k" && message.data?.text == "{}" && message.link.ios == "https://i")
        #expect(message.consumer.rawValue == "u-1" && message.conversation.rawValue == "c-1")
        #expect(message.brand == f.brand && message.sequence == 1 && message.expiresAt == row.expiresAt)
    }

    static let claimLimit = ContractCase("a claim takes no more than its limit and returns when the rest is due") {
        (f) async throws in
        for index in 1...5 { try await f.register("d-\(index)", of: "u-\(index)") }
        for index in 1...5 {
            try await f.accepted(f.message("u-\(index)", in: "c-\(index)"))
            f.wait(seconds: 1)
        }
        let start = f.now.adding(seconds: -5)
        let claim = try await f.claim(limit: 2)
        #expect(claim.rows.map(\.message?.consumer.rawValue) == ["u-1", "u-2"])
        #expect(claim.nextDue == start.adding(seconds: 2))
        #expect(try await f.claim(limit: 0).rows.isEmpty)
        #expect(try await f.claim(limit: 9).rows.count == 3)
    }

    static let claimLanes = ContractCase("a claim takes only rows of its lane") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register(f.device("d-2", of: "u-1", pushType: .fcm))
        try await f.accepted(f.message("u-1"))
        #expect(try await f.claim(f.fcm).rows.map(\.platform) == [.android])
        #expect(try await f.claim(f.fcm).rows.isEmpty)
        #expect(try await f.claim(f.apns).rows.map(\.platform) == [.ios])
        #expect(try await f.claim(LaneID(999_999)).rows.isEmpty)
    }

    static let notDue = ContractCase("rows that are not due are not claimed") { (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(1)
        let row = try await f.ownedRow(f.message("u-1"))
        try await f.outcome(f.retry(row, seconds: 30))
        f.wait(seconds: 29)
        let early = try await f.claim()
        #expect(early.rows.isEmpty && early.nextDue == f.now.adding(seconds: 1))
        f.wait(seconds: 1)
        let claim = try await f.claim()
        #expect(claim.rows.map(\.id) == [row.id] && claim.rows.map(\.attempts) == [1] && claim.nextDue == nil)
    }

    static let orderAfterRequeue = ContractCase("a row that is requeued for later moves its younger ones with it") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register("d-2", of: "u-2")
        f.giveSlots(1)
        let first = try await f.ownedRow(f.message("u-1"))
        f.budgets = [:]
        _ = try await f.accept(f.message("u-1"), f.message("u-1"), f.message("u-2", in: "c-2"))
        try await f.outcome(f.retry(first, seconds: 60))
        f.wait(seconds: 1)
        let others = try await f.claim(limit: 1)
        #expect(others.rows.map(\.message?.consumer.rawValue) == ["u-2"])
        #expect(others.nextDue == f.now.adding(seconds: 59))
        f.wait(seconds: 59)
        #expect(try await f.claim(limit: 1).rows.map(\.message?.sequence) == [1])
        #expect(try await f.claim(limit: 2).rows.map(\.message?.sequence) == [2, 3])
    }

    static let requeueBehindElder = ContractCase("a requeued row stays behind its older ones that wait") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(3)
        let rows = try await f.owned(f.message("u-1"), f.message("u-1"), f.message("u-1"))
        let outcomes = [
            f.retry(rows[0], seconds: 60), f.unsent(rows[1], .release(due: f.now)),
            f.unsent(rows[2], .release(due: f.now)),
        ]
        try await f.commit { $0.outcomes = outcomes }
        let early = try await f.claim()
        #expect(early.rows.isEmpty && early.nextDue == f.now.adding(seconds: 60))
        f.wait(seconds: 60)
        #expect(try await f.claim().rows.map(\.id) == rows.map(\.id))
    }

    static let requeueAndAcceptInOneTurn = ContractCase(
        "a row that is requeued in a turn keeps that turn's new rows back"
    ) {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(5)
        let row = try await f.ownedRow(f.message("u-1"))
        let outcome = f.retry(row, seconds: 60)
        let request = f.request([f.message("u-1")])
        // The lane's budget was computed without a backlog.
        let result = try await f.commit {
            $0.outcomes = [outcome]
            $0.accepts = [request]
        }
        #expect(result.owned.isEmpty)
        #expect(result.unowned == [f.agents(f.apns): f.now.adding(seconds: 60)])
    }

    static let beginTakesBack = ContractCase("a new process requeues rows that earlier ones owned") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register(f.device("d-2", of: "u-1", pushType: .fcm))
        f.giveSlots(2)
        let rows = try await f.owned(f.message("u-1"), f.message("u-1"))
        #expect(rows.count == 4)
        try await f.outcome(f.retry(rows[0], seconds: 60))
        let finished = try #require(rows.first { $0.lane == f.fcm })
        try await f.outcome(f.response(finished))
        let old = f.incarnation
        f.wait(seconds: 10)
        let start = try await f.restart()
        #expect(start.incarnation.rawValue > old.rawValue)
        #expect(start.recovered == 2)
        #expect(Set(start.backlog.keys) == [f.agents(f.apns), f.agents(f.fcm)])
        let due = try #require(start.backlog[f.agents(f.fcm)])
        #expect(due <= f.now)
        #expect(try await f.claim(f.fcm).rows.count == 1)
        f.wait(seconds: 60)
        #expect(try await f.claim(f.apns).rows.map(\.message?.sequence) == [1, 2])
        #expect(try await f.restart().recovered == 3)
    }

    static let beginRestoresOrder = ContractCase("the order of a device is kept when the clock is set back") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(1)
        let first = try await f.ownedRow(f.message("u-1"))
        try await f.outcome(f.retry(first, seconds: 1))
        f.wait(seconds: 100)
        #expect(try await f.claim().rows.map(\.id) == [first.id])
        f.wait(seconds: -500)
        f.budgets = [:]
        try await f.accepted(f.message("u-1"))
        f.wait(seconds: 1)
        _ = try await f.restart()
        f.wait(seconds: 600)
        #expect(try await f.claim(limit: 1).rows.map(\.message?.sequence) == [1])
        #expect(try await f.claim(limit: 1).rows.map(\.message?.sequence) == [2])
    }

    static let beginMakesDue = ContractCase("rows that a clock that was set back has delayed are due at the next start")
    {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register(f.device("d-2", of: "u-2", pushType: .fcm))
        _ = try await f.accept(f.message("u-1"), f.message("u-2", in: "c-2"), f.message("u-1"))
        f.wait(seconds: -3600)
        let unmoved = try await f.claim()
        #expect(unmoved.rows.isEmpty)
        let start = try await f.restart()
        #expect(start.backlog == [f.agents(f.apns): f.now, f.agents(f.fcm): f.now] && start.recovered == 0)
        #expect(try await f.claim(limit: 1).rows.map(\.message?.sequence) == [1])
        #expect(try await f.claim().rows.map(\.message?.sequence) == [2])
        #expect(try await f.claim(f.fcm).rows.count == 1)
    }

    static let beginKeepsRetries = ContractCase("a start makes no row due that waits for its next try, or behind one") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        try await f.register(f.device("d-2", of: "u-2", pushType: .fcm))
        f.giveSlots(1)
        let row = try await f.ownedRow(f.message("u-1"))
        try await f.outcome(f.retry(row, seconds: 60))
        f.giveSlots(1, mayHaveBacklog: true)
        try await f.accepted(f.message("u-1"))
        // Another device's row is owned: there is a row to requeue.
        try await f.accepted(f.message("u-2", in: "c-2"))
        let due = f.now.adding(seconds: 60)
        f.wait(seconds: 1)
        let start = try await f.restart()
        #expect(start.recovered == 1 && start.backlog[f.agents(f.apns)] == due)
        #expect(try await f.claim().nextDue == due)
        f.wait(seconds: 59)
        #expect(try await f.claim(limit: 1).rows.map(\.message?.sequence) == [1])
        #expect(try await f.claim(limit: 1).rows.map(\.message?.sequence) == [2])
    }

    static let deliveryNumbersRise = ContractCase("delivery numbers rise and are never reused") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        f.giveSlots(100)
        var last = DeliveryID(0)
        for life in 0..<3 {
            if life > 0 { _ = try await f.restart() }
            let row = try await f.ownedRow(f.message("u-1"))
            #expect(row.id > last)
            last = row.id
            try await f.outcome(f.response(row))
        }
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        _ = try await f.restart()
        try await f.makeBrand(f.brand, app: f.app)
        f.budgets = [try await f.lane(f.brand, f.app, .apns): LaneBudget(slots: 1, mayHaveBacklog: false)]
        try await f.register("d-1", of: "u-1")
        #expect(try await f.ownedRow(f.message("u-1")).id > last)
    }
}
