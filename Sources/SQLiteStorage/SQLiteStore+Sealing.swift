package import GatewayModel
package import GatewayStorage
import SQLStorage

extension SQLiteStore {
    package func resealSecrets(
        at now: Timestamp,
        _ reseal: @escaping @Sendable (SealedSecret) -> [UInt8]?,
        verify: @escaping @Sendable (SealedSecret) -> Bool
    ) async throws(StorageError) -> ResealedCounts {
        try await onWriter { db in
            // No bytes that were sealed under the old key may remain in free pages and cells.
            let before = try db.prepare(once: "PRAGMA secure_delete").integer() ?? 0
            try db.run("PRAGMA secure_delete = ON")
            defer { try? db.run("PRAGMA secure_delete = \(before)") }
            return try self.transaction(db) { try $0.resealSecrets(at: now, reseal, verify: verify) }
        }
    }
}
