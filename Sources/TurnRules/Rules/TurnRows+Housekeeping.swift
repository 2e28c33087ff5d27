package import GatewayModel
internal import GatewayStorage

/// Rows and registrations that housekeeping ends, in transactions of its own.
extension TurnRows {
    /// Ends rows that are still in no lane and past their expiry: those that waited for the end of quiet hours as
    /// suppressed, the others as expired.
    ///
    /// - Parameters:
    ///   - ids: The numbers of deliveries; a lane may have claimed some of them since they were found.
    ///   - now: The time.
    /// - Returns: The number of rows that ended.
    /// - Throws: The engine's error.
    package mutating func expire(_ ids: [Int64], at now: Timestamp) throws(Failure) -> Int {
        var context = TurnContext(turn: WriterTurn(now: now, incarnation: IncarnationID(0)))
        for id in ids {
            guard let row = try expired(id, at: now) else { continue }
            // Without quiet hours it would have been tried in time.
            let isQuiet = row.due.map { $0 > row.expiresAt && row.notBefore <= row.expiresAt } ?? false
            try withdraw(id, state: isQuiet ? .suppressed : .expired, by: isQuiet ? .quietHours : nil, &context)
        }
        return context.withdrawn.count
    }

    /// Ends registrations of deleted lanes, each after its rows, which are cancelled.
    ///
    /// - Parameters:
    ///   - limit: At most this many rows and registrations.
    ///   - now: The time.
    /// - Returns: The number that ended; the limit when more may be left.
    /// - Throws: The engine's error.
    package mutating func endDeletedLanes(limit: Int, at now: Timestamp) throws(Failure) -> Int {
        var context = TurnContext(turn: WriterTurn(now: now, incarnation: IncarnationID(0)))
        var room = limit
        while room > 0, let lane = try firstDeletedLane() {
            while room > 0, let registration = try firstRegistration(of: lane) {
                let ids = try rows(of: registration, limit: room)
                for id in ids { try withdraw(id, state: .cancelled, by: .unregistered, &context) }
                room -= ids.count
                guard room > 0 else { return limit }
                try end(registration, by: .unregistered, .appDeleted, &context)
                room -= 1
            }
            if room > 0 { try forgetDeletedLane(lane) }
        }
        return limit - room
    }
}
