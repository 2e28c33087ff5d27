import GatewayModel
import GatewayStorage

/// The texts of the trace about turns.
extension Simulation {
    static func words(_ turn: WriterTurn) -> String {
        let outcomes = turn.outcomes.map { "\($0.delivery):\($0.disposition)" }
        let budgets = turn.budgets.lanes.compactMap { lane in
            turn.budgets[lane].map { "\(lane):\($0.slots)\($0.mayHaveBacklog ? "?" : "")" }
        }
        let claims = turn.claims.map { "\($0.lane):\($0.limit)" }
        return
            "\(outcomes.count) outcomes \(outcomes), \(turn.releases.count) releases, \(turn.changes.count) changes, "
            + "\(turn.accepts.reduce(0) { $0 + $1.events.count }) events, budgets \(budgets), claims \(claims)"
    }

    /// Counts and traces what a commit did.
    mutating func note(_ result: WriterTurnResult, of turn: WriterTurn) {
        for (change, response) in zip(turn.changes, result.changes) {
            switch response {
            case .read: counts.reads += 1
            case .unregistered(let ended):
                if case .endStale = change { counts.stale += ended.ended.count } else { counts.logouts += 1 }
            case .erased: counts.erasures += 1
            case .registered: counts.registrations += 1
            case .sessionOpened(let opening):
                counts.logins += 1
                counts.merges += opening.merged.count
            case .sessionsEnded: counts.logouts += 1
            case .tapped(let tap): if tap.first { counts.taps += 1 }
            case .receipts(let met): counts.receipts += met.count { $0 }
            case .retried: counts.retries += 1
            case .merged(let opening): counts.merges += opening.merged.count
            default: break
            }
            trace.note(8) { "  \(Self.word(change)): \(response)" }
        }
        for response in result.accepts.joined() {
            switch response {
            case .accepted: counts.accepted += 1
            case .duplicate: counts.replays += 1
            case .rejected: break
            }
            trace.note(9) { "  \(response)" }
        }
        counts.held += result.held.made
        counts.released += result.held.released
        counts.suppressed += result.held.suppressed
        for row in result.owned { trace.fold(row.id.rawValue) }
        for claim in result.claims { for row in claim.rows { trace.fold(row.id.rawValue) } }
        for id in store.withdrawn {
            trace.fold(id)
            if store.delivery(id).suppressedBy == .collapsed { counts.collapsed += 1 }
        }
        for outcome in turn.outcomes where outcome.disposition == .finished(.expired, nil) { counts.expired += 1 }
        trace.note(4, Int64(store.pending.count)) {
            let claimed = result.claims.map { "\($0.lane):\($0.rows.map(\.id.rawValue))" }
            return "the commit is stored: owned \(result.owned.map(\.id.rawValue)), claimed \(claimed), "
                + "withdrawn \(store.withdrawn), pending \(store.pending)"
        }
    }

    private static func word(_ change: StoreChange) -> String {
        switch change {
        case .register(let device): "register \(device.device) of \(device.consumer)"
        case .unregister(_, let consumer, _, _, let scope): "unregister \(consumer) \(scope)"
        case .openSession(let session, let terms):
            "log \(session.consumer) in on \(session.device?.rawValue ?? "-")\(terms.singleDevice ? " alone" : "")"
        case .read(let request): "read \(request.conversation) \(request.target)"
        case .retry(let request): "try \(request.delivery) again"
        case .tap(let request): "tap \(request.message)\(request.clearsOthers ? " and clear the others" : "")"
        case .merge(let request): "merge \(request.from) into \(request.consumer)"
        case .erase(let request): "erase \(request.consumer)"
        case .endStale(let stale):
            "end \(stale.limit) devices of \(stale.brand) not heard of since \(stale.notSeenSince)"
        default: "other"
        }
    }
}
