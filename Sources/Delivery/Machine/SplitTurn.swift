import DequeModule
import GatewayModel
package import GatewayStorage

/// A turn that broke a rule of the schema, done part by part: a plain value.
///
/// Each outcome, release, change and event gets a commit of its own, so that one poison row never fails a stranger's.
/// Claims, budgets and sightings are no part: nothing of them is lost, they come again.
package struct SplitTurn: Sendable {
    enum Part: Sendable {
        /// The outcome at this place; without the answer's words when it failed with them.
        case outcome(Int, isStripped: Bool)
        case release(Int)
        case change(Int)
        case event(request: Int, Int)
    }

    /// What became of the parts of each request, in the events' order; a request is answered when it is as long as those.
    private(set) var results: [[IntakeResult]]
    private let whole: WriterTurn
    /// What is left, the first of which is being done.
    private var parts: Deque<Part>

    /// Nothing of a turn is done.
    ///
    /// - Parameter turn: The turn.
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

    /// How many parts a turn has.
    ///
    /// - Parameter turn: The turn.
    /// - Returns: 0 when it only claims rows and notes signs of life.
    package static func partCount(of turn: WriterTurn) -> Int {
        turn.outcomes.count + turn.releases.count + turn.changes.count + turn.accepts.reduce(0) { $0 + $1.events.count }
    }

    /// The part that is being done; nil when all are.
    var part: Part? { parts.first }

    /// The commit of the part that is being done, with the windows and the time of the whole.
    package var turn: WriterTurn? {
        var turn = WriterTurn(now: whole.now, incarnation: whole.incarnation)
        turn.windows = whole.windows
        switch parts.first {
        case .outcome(let place, let isStripped):
            turn.outcomes = [whole.outcomes[place]]
            if isStripped {
                turn.outcomes[0].answer = nil
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

    /// The outcomes that are not written down yet.
    package var outcomesLeft: [OutcomeRecord] {
        parts.compactMap { if case .outcome(let place, _) = $0 { whole.outcomes[place] } else { nil } }
    }

    /// The consumers whose held rows are not looked through yet.
    package var releasesLeft: [ConsumerName] {
        parts.compactMap { if case .release(let place) = $0 { whole.releases[place] } else { nil } }
    }

    /// The places of the changes that are not done yet.
    package var changesLeft: [Int] { parts.compactMap { if case .change(let place) = $0 { place } else { nil } } }

    /// Goes on behind the part that is being done.
    package mutating func advance() { parts.removeFirst() }

    /// An outcome is tried once more, and ends at least as its disposition says: without the answer's words.
    package mutating func strip() {
        if case .outcome(let place, false) = parts.first { parts[0] = .outcome(place, isStripped: true) }
    }

    /// Notes what became of the next event of a request.
    ///
    /// - Parameters:
    ///   - result: What became of it.
    ///   - request: The request's place in the turn.
    /// - Returns: The answer to the request when it was the last one.
    package mutating func note(
        _ result: IntakeResult,
        of request: Int
    ) -> Result<[IntakeResult], IntakeError>? {
        results[request].append(result)
        guard results[request].count == whole.accepts[request].events.count else { return nil }
        return answer(to: request)
    }

    /// The answers to the requests that have none yet.
    ///
    /// - Parameter error: Why what is not done fails.
    /// - Returns: The requests' places in the turn, with their answers.
    package mutating func abandon(_ error: IntakeError) -> [(request: Int, answer: Result<[IntakeResult], IntakeError>)]
    {
        results.indices.compactMap { request in
            let left = whole.accepts[request].events.count - results[request].count
            guard left > 0 else { return nil }
            results[request] += Array(repeating: .failed(error), count: left)
            return (request, answer(to: request))
        }
    }

    /// Nothing of a request is stored only when all of it failed in the same way.
    private func answer(to request: Int) -> Result<[IntakeResult], IntakeError> {
        if case .failed(let error)? = results[request].last, results[request].allSatisfy({ $0 == .failed(error) }) {
            return .failure(error)
        }
        return .success(results[request])
    }
}
