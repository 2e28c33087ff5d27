package import GatewayModel
package import TurnRules

extension TurnRows where Self: SQLTransaction {
    package func expired(
        _ id: Int64,
        at now: Timestamp
    ) throws -> (expiresAt: Timestamp, due: Timestamp?, notBefore: Timestamp)? {
        try db.prepare(
            """
            SELECT o.expires_at, CASE WHEN o.owner IS NULL THEN w.due END, coalesce(w.not_before, 0) FROM outbox o \
            LEFT JOIN waiting w ON w.registration = o.registration AND w.queue = o.queue \
            WHERE o.id = ? AND (o.owner IS NULL OR o.held = 1) AND o.expires_at <= ?
            """
        ).int(id).time(now).first { row in
            (expiresAt: try row.value(0), due: try row.value(1), notBefore: try row.value(2))
        }
    }
}
