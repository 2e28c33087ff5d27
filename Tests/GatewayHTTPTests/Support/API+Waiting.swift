import Outbound
import Testing

@testable import GatewayHTTP

extension API {
    /// Repeats a request until the response is as expected; for data that is committed in a later transaction.
    ///
    /// Limited by the number of requests, and by the time limit of the suite.
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
        Issue.record("the response never became as expected", sourceLocation: location)
        return try await ask()
    }

    /// Waits until a reader waits for outbound items; the test's time limit ends a wait in vain.
    func readerWaits() async throws {
        while outbound.notifier.waiting == 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Repeats a request until it is rejected with 503, because clients hold all slots.
    ///
    /// A client that got a response, because this request had its slot, is replaced by a new one.
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
