/// Waits for a condition; fails when it is not met in time.
func until(_ what: String, _ holds: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(540)
    while try await !holds() {
        guard ContinuousClock.now < deadline else { throw WaitTimedOut(what: what) }
        try Task.checkCancellation()
        await Task.yield()
    }
}

struct WaitTimedOut: Error {
    var what: String
}
