import Testing

extension API {
    /// Asks until the answer is as it should be; for what is committed in a later turn than the one that was waited for.
    ///
    /// Bounded by the number of questions, and by the time limit of the suite.
    func until(
        _ ask: () async throws -> Reply,
        holds: (Reply) -> Bool,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> Reply {
        let deadline = ContinuousClock.now + .seconds(540)
        while ContinuousClock.now < deadline {
            let reply = try await ask()
            if holds(reply) { return reply }
            await Task.yield()
        }
        Issue.record("the answer never came to be as expected", sourceLocation: location)
        return try await ask()
    }

    /// Asks until that is refused with 503, because clients hold all that there is of something.
    ///
    /// Each client that was answered instead, for a question had its place, is replaced by one that begins anew.
    func untilRefused(
        holding clients: inout [RawClient],
        begin: () throws -> RawClient,
        _ ask: () async throws -> Reply,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> Reply {
        var held = clients
        defer { clients = held }
        let ask = {
            held = try held.map { $0.isAnswered ? try begin() : $0 }
            return try await ask()
        }
        return try await until(ask, holds: { $0.status == 503 }, location)
    }
}
