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
}
