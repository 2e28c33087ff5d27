package import TurnRules

/// The remaining rows of deleted apps: registrations whose lane is deleted. No lookup finds them meanwhile, and a new
/// app of the same id has lanes of its own.
extension TurnRows where Self: SQLTransaction {
    package func firstDeletedLane() throws -> Int64? {
        try db.prepare("SELECT lane FROM deleted_lanes ORDER BY lane LIMIT 1").integer()
    }

    package func firstRegistration(of lane: Int64) throws -> Int64? {
        try db.prepare("SELECT id FROM registrations WHERE lane = ? LIMIT 1").int(lane).integer()
    }

    package func rows(of registration: Int64, limit: Int) throws -> [Int64] {
        try db.prepare("SELECT id FROM outbox WHERE registration = ? ORDER BY queue, id LIMIT ?").int(registration)
            .int(limit).integers()
    }

    package func forgetDeletedLane(_ lane: Int64) throws {
        try db.prepare("DELETE FROM deleted_lanes WHERE lane = ?").int(lane).run()
    }
}
