/// The remaining rows of deleted apps: registrations whose lane is deleted. No lookup finds them meanwhile, and a new
/// app of the same id has lanes of its own.
extension Writer {
    func firstDeletedLane() throws -> Int64? { try first("SELECT lane FROM deleted_lanes ORDER BY lane LIMIT 1", nil) }

    func firstRegistration(of lane: Int64) throws -> Int64? {
        try first("SELECT id FROM registrations WHERE lane = ? LIMIT 1", lane)
    }

    func rows(of registration: Int64, limit: Int) throws -> [Int64] {
        try keys("SELECT id FROM outbox WHERE registration = ? ORDER BY queue, id LIMIT ?", registration, limit)
    }

    func forgetDeletedLane(_ lane: Int64) throws {
        try db.prepare("DELETE FROM deleted_lanes WHERE lane = ?").int(lane).run()
    }
}
