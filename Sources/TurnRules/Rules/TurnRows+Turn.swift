internal import GatewayModel
package import GatewayStorage

/// The parts of a turn, in their order.
extension TurnRows {
    /// Runs a turn.
    ///
    /// - Parameter turn: The turn.
    /// - Returns: The result.
    /// - Throws: The engine's error.
    package mutating func run(_ turn: WriterTurn) throws(Failure) -> WriterTurnResult {
        var result = WriterTurnResult()
        var context = TurnContext(turn: turn)
        result.outcomes = try record(turn.outcomes, &context)
        try storeRequeuedRows(&context)
        for registration in turn.recalls { try recall(registration, &context) }
        for request in turn.requeues { result.requeued.append(try requeue(request, &context)) }
        try store(suspensions: turn.suspensions, at: turn.now)
        for request in turn.invalidations { result.invalidations.append(try invalidate(request, &context)) }
        for request in turn.putBacks { result.putBacks.append(try putBack(request, &context)) }
        for name in turn.releases { try release(name, &context) }
        for sighting in turn.seen { try note(sighting, at: turn.now) }
        result.changes.reserveCapacity(turn.changes.count)
        for change in turn.changes { result.changes.append(try apply(change, &context)) }
        context.expect(events: turn.accepts.reduce(0) { $0 + $1.events.count })
        result.accepts.reserveCapacity(turn.accepts.count)
        for request in turn.accepts { result.accepts.append(try accept(request, &context)) }
        try flush(&context)
        try storeCounts(of: context)
        for request in turn.claims { result.claims.append(try claim(request, &context)) }
        result.owned = context.takeOwned()
        if context.hasBadges { try addReadMarks(to: &result.owned, now: turn.now) }
        result.unowned = context.backlog
        result.updates = context.updates
        result.held = context.held
        for (key, stopped) in context.stopped {
            let lane = LaneID(key)
            result.stopped[lane] = StoppedDevices(
                registrations: stopped.registrations,
                imported: stopped.imported,
                devices: try devices(of: lane)
            )
        }
        return result
    }
}
