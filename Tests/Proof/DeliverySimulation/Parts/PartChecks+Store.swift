import Delivery
import DequeModule
import GatewayModel
import GatewayStorage

extension PartChecks {
    private static var errors: [StorageError] {
        [
            .unavailable(detail: "a"), .unavailable(detail: "b"), .full(detail: "a"), .closed,
            .corrupt(detail: "a"), .corrupt(detail: "b"),
        ]
    }

    /// Checks that a failed store is not used for a second, and a damaged one never again.
    mutating func checkStoreHealth() throws(Violation) {
        var standing = StoreHealth()
        var failures: [StorageError] = []
        var pausedUntil: Timestamp?
        for _ in 0..<30 {
            pass(upTo: 2)
            let isDamaged = failures.contains { $0.label == "corrupt" }
            switch random.below(4) {
            case 0, 1:
                let error = Self.errors[random.below(random.chance(20) ? 6 : 4)]
                let isNew = !isDamaged && failures.last?.label != error.label
                try agree("whether the store's failure is new", standing.failed(error, now: now), isNew)
                if !isDamaged { (failures, pausedUntil) = (failures + [error], now.adding(seconds: 1)) }
            case 2:
                try agree("whether the store works again", standing.succeeded(), !failures.isEmpty && !isDamaged)
                if !isDamaged { (failures, pausedUntil) = ([], nil) }
            default:
                standing.tryNow()
                pausedUntil = nil
            }
            try agree("why the store fails", standing.error, failures.last)
            try agree("whether the store is damaged", standing.isDamaged, failures.last?.label == "corrupt")
            let rest = pausedUntil.flatMap { now.milliseconds - $0.milliseconds >= 0 ? nil : $0 }
            try agree("until when the store is not used", standing.pausedUntil(now: now), rest)
            if let pausedUntil, random.chance(30) { now = pausedUntil }
        }
    }

    /// Checks that each part of a turn is done once and alone; the parts left are those that were not done.
    mutating func checkSplitTurn() throws(Violation) {
        let whole = turn()
        var split = SplitTurn(whole)
        var (outcomes, releases) = (whole.outcomes.map(\.delivery), whole.releases)
        var (changes, events) = (whole.changes.indices.map { $0 }, whole.accepts.map { $0.events.map(\.event.id) })
        var responses = whole.accepts.map { _ in [IntakeResult]() }
        let count = outcomes.count + releases.count + changes.count + events.joined().count
        try agree("how many parts there are", SplitTurn.partCount(of: whole), count)
        for number in 0...count {
            try agree("outcomes left", split.outcomesLeft.map(\.delivery), outcomes)
            try agree("releases left", split.releasesLeft, releases)
            try agree("changes left", split.changesLeft, changes)
            guard number < count, !random.chance(5) else { break }
            let part = split.turn
            try agree("how many parts are done at once", part.map { SplitTurn.partCount(of: $0) }, 1)
            if !outcomes.isEmpty {
                try agree("the outcome", part?.outcomes.first?.delivery, outcomes.removeFirst())
                try agree("whether it has the texts", part?.outcomes.first?.response == nil, false)
                if random.chance(50) {
                    split.strip()
                    try agree("whether it still has the texts", split.turn?.outcomes.first?.response == nil, true)
                    try agree("its token", split.turn?.outcomes.first?.token, OutcomeRecord.TokenEffect.none)
                }
            } else if !releases.isEmpty {
                try agree("the release", part?.releases.first, releases.removeFirst())
            } else if !changes.isEmpty {
                try agree("the change", part?.changes.first?.brand, whole.changes[changes.removeFirst()].brand)
            } else if let request = events.firstIndex(where: { !$0.isEmpty }) {
                try agree("the event", part?.accepts.first?.events.first?.event.id, events[request].removeFirst())
                let result: IntakeResult = .failed([.stopping, .overloaded(retryAfterSeconds: 1)][random.below(2)])
                responses[request].append(result)
                let response = split.note(result, of: request)
                let expected = events[request].isEmpty ? Self.response(responses[request]) : nil
                try agree("the request's result", response.map(Self.words), expected.map(Self.words))
            }
            split.advance()
        }
        let left = events.indices.filter { !events[$0].isEmpty }
        for request in left { responses[request] += events[request].map { _ in .failed(.stopping) } }
        let expected = left.map { "\($0) \(Self.words(Self.response(responses[$0])))" }
        let ended = split.abandon(.stopping).map { "\($0.request) \(Self.words($0.response))" }
        try agree("the results at the end", ended, expected)
    }

    private static func response(_ results: [IntakeResult]) -> Result<[IntakeResult], IntakeError> {
        for error in [IntakeError.stopping, .overloaded(retryAfterSeconds: 1)]
        where results.count(where: { $0 == .failed(error) }) == results.count {
            return .failure(error)
        }
        return .success(results)
    }

    private static func words(_ response: Result<[IntakeResult], IntakeError>) -> String { "\(response)" }

    private mutating func turn() -> WriterTurn {
        var turn = WriterTurn(now: now, incarnation: IncarnationID(1))
        let brands = SimulatedWorld.brands
        let response = PushResponse(
            outcome: .accepted(providerID: nil),
            status: 200,
            reason: nil,
            badge: nil,
            sentAt: now,
            latencyMilliseconds: 1
        )
        for number in 0..<random.below(3) {
            turn.outcomes.append(
                OutcomeRecord(
                    delivery: DeliveryID(Int64(number) + 1),
                    registration: RegistrationID(1),
                    response: response,
                    disposition: .finished(.failed, nil),
                    token: .quarantine(token: "t")
                )
            )
        }
        for number in 0..<random.below(3) {
            turn.releases.append(ConsumerName(brand: brands[0], consumer: ConsumerID(trusted: "u\(number)")))
        }
        for number in 0..<random.below(3) {
            turn.changes.append(
                .upsertConsumer(
                    brand: brands[number],
                    id: ConsumerID(trusted: "u"),
                    anonymous: false,
                    profile: ConsumerProfile()
                )
            )
        }
        var number = 0
        for _ in 0..<random.below(3) {
            let events: [PostedEvent] = (0..<random.below(4)).map { _ in
                number += 1
                let id = EventID(trusted: "e\(number)")
                let event = AgentEvent(id: id, type: .agentMessage, consumer: ConsumerID(trusted: "u"))
                return PostedEvent(event, ids.next(at: now))
            }
            turn.accepts.append(
                AcceptRequest(brand: brands[0], messageTtlSeconds: 60, dedupeHours: 1, events: events)
            )
        }
        return turn
    }

    /// Checks that consumers whose window closed are released once, in the order of closing; those of a failed turn
    /// come first again.
    mutating func checkPresence() throws(Violation) {
        let names = ["u0", "u1", "u2", "u3"].map {
            ConsumerName(brand: SimulatedWorld.brands[0], consumer: ConsumerID(trusted: $0))
        }
        var presence = Presence()
        var waiting: [ConsumerName] = []
        var taken: [ConsumerName] = []
        for _ in 0..<40 {
            let name = names[random.below(names.count)]
            switch random.below(5) {
            case 0: presence.open(name, device: nil)
            case 1:
                presence.close(name, device: nil)
                if !waiting.contains(name) { waiting.append(name) }
            case 2, 3:
                let limit = random.between(1, 3)
                taken = Array(waiting.prefix(limit))
                try agree("who is released", presence.takeReleases(atMost: limit), taken)
                waiting.removeFirst(taken.count)
            default:
                presence.putBack(taken)
                waiting = taken.filter { !waiting.contains($0) } + waiting
                taken = []
            }
            try agree("whether anybody is to be released", presence.hasReleases, !waiting.isEmpty)
        }
    }
}
