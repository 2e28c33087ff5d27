import DequeModule
import GatewayModel
package import GatewayStorage

/// A turn that violated a constraint of the schema, committed part by part: a value type.
///
/// Each outcome, release, change and event gets a commit of its own, so that one poison row never fails another
/// caller's. Claims, budgets and sightings are no parts: they are not lost, they come again.
package struct SplitTurn: Sendable {
    enum Part: Sendable {
        /// The outcome at this index; without the provider's texts when it failed with them.
        case outcome(Int, isStripped: Bool)
        case release(Int)
        case change(Int)
        case event(request: Int, Int)
    }

    /// The results of each request's parts, in the events' order; a request is complete when there is one for each
    /// event.
    private(set) var results: [[IntakeResult]]
    private let whole: WriterTurn
    /// The remaining parts; the first one is under way.
    private var parts: Deque<Part>

    /// Creates a split turn of which no part is done.
    package init(_ turn: WriterTurn) {
        whole = turn
        parts = Deque(turn.outcomes.indices.map { .outcome($0, isStripped: false) })
        parts += turn.releases.indices.map(Part.release)
        parts += turn.changes.indices.map(Part.change)
        for (request, accept) in turn.accepts.enumerated() {
            parts += accept.events.indices.map { .event(request: request, $0) }
        }
        results = Array(repeating: [], count: turn.accepts.count)
    }

    /// Returns the number of a turn's parts; 0 when it only claims rows and notes sightings.
    package static func partCount(of turn: WriterTurn) -> Int {
        turn.outcomes.count + turn.releases.count + turn.changes.count + turn.accepts.reduce(0) { $0 + $1.events.count }
    }

    /// The part that is under way; nil when all are done.
    var part: Part? { parts.first }

    /// The commit of the current part, with the windows and the time of the whole turn.
    package var turn: WriterTurn? {
        var turn = WriterTurn(now: whole.now, incarnation: whole.incarnation)
        turn.windows = whole.windows
        switch parts.first {
        case .outcome(let place, let isStripped):
            turn.outcomes = [whole.outcomes[place]]
            if isStripped {
                turn.outcomes[0].response = nil
                turn.outcomes[0].token = .none
            }
        case .release(let place): turn.releases = [whole.releases[place]]
        case .change(let place): turn.changes = [whole.changes[place]]
        case .event(let request, let place):
            turn.accepts = [whole.accepts[request]]
            turn.accepts[0].events = [whole.accepts[request].events[place]]
        case nil: return nil
        }
        return turn
    }

    /// The outcomes that are not stored yet.
    package var outcomesLeft: [OutcomeRecord] {
        parts.compactMap { if case .outcome(let place, _) = $0 { whole.outcomes[place] } else { nil } }
    }

    /// The consumers whose held rows are not released yet.
    package var releasesLeft: [ConsumerName] {
        parts.compactMap { if case .release(let place) = $0 { whole.releases[place] } else { nil } }
    }

    /// The indexes of the changes that are not done yet.
    package var changesLeft: [Int] { parts.compactMap { if case .change(let place) = $0 { place } else { nil } } }

    /// Moves on to the next part.
    package mutating func advance() { parts.removeFirst() }

    /// Retries an outcome without the provider's texts, so that at least its disposition is stored.
    package mutating func strip() {
        if case .outcome(let place, false) = parts.first { parts[0] = .outcome(place, isStripped: true) }
    }

    /// Notes the result of the next event of a request, named by its index in the turn; returns the request's results
    /// when this was the last event.
    package mutating func note(
        _ result: IntakeResult,
        of request: Int
    ) -> Result<[IntakeResult], IntakeError>? {
        results[request].append(result)
        guard results[request].count == whole.accepts[request].events.count else { return nil }
        return response(to: request)
    }

    /// Completes the requests that are not complete yet with an error for their remaining events; returns them by their
    /// index in the turn.
    package mutating func abandon(_ error: IntakeError) -> [(
        request: Int, response: Result<[IntakeResult], IntakeError>
    )] {
        results.indices.compactMap { request in
            let left = whole.accepts[request].events.count - results[request].count
            guard left > 0 else { return nil }
            results[request] += Array(repeating: .failed(error), count: left)
            return (request, response(to: request))
        }
    }

    /// Returns the results of a request; an error only when all its events failed in the same way, so that nothing is
    /// stored.
    private func response(to request: Int) -> Result<[IntakeResult], IntakeError> {
        if case .failed(let error)? = results[request].last, results[request].allSatisfy({ $0 == .failed(error) }) {
            return .failure(error)
        }
        return .success(results[request])
    }
}
