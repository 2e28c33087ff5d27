import Foundation
package import GatewayModel
package import GatewayStorage

extension TenantStore where Self: SQLStore {
    package func insertCredential(_ credential: StoredCredential, audit: AuditEntry?) async throws(StorageError) {
        try await inTransaction { transaction in
            let db = transaction.db
            guard let brand = try transaction.brandKey(credential.brand) else {
                throw StorageError.constraint(detail: "no such brand")
            }
            let taken = try db.prepare(
                "SELECT 1 FROM credentials WHERE id = ?1 OR (?2 = 'sdkKey' AND kind = 'sdkKey' AND name = ?3)"
            ).text(credential.id).text(credential.kind.rawValue).text(credential.name).first { _ in true }
            guard taken == nil else { throw StorageError.duplicate }
            try db.prepare(
                """
                INSERT INTO credentials (id, brand, kind, name, details, secret_hash, sealed_secret, expires_at, \
                created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
            )
            .text(credential.id).int(brand).text(credential.kind.rawValue).text(credential.name)
            .text(try storedJSON(credential.details)).blob(credential.secretHash).blob(credential.sealedSecret)
            .time(credential.expiresAt).time(credential.createdAt).run()
            try transaction.write(audit)
        }
    }

    package func revokeCredential(
        brand: BrandID,
        id: String,
        now: Timestamp,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            guard let brand = try transaction.brandKey(brand) else { return false }
            // The secret is deleted at once; the name stays taken, so that an old key's name never means another key.
            let count = try transaction.db.prepare(
                """
                UPDATE credentials SET revoked_at = ?, secret_hash = NULL, sealed_secret = NULL \
                WHERE brand = ? AND id = ? AND revoked_at IS NULL
                """
            ).time(now).int(brand).text(id).runCounting()
            guard count == 1 else { return false }
            try transaction.write(audit)
            // Its sessions end by this: a lookup returns one only while its credential is valid.
            transaction.endedSessions.insert(.credential(id))
            return true
        }
    }

    package func credentials() async throws(StorageError) -> [StoredCredential] {
        try await inSnapshot { db in
            try db.prepare(
                """
                SELECT c.id, b.id, c.name, c.details, c.secret_hash, c.sealed_secret, c.expires_at, c.created_at \
                FROM credentials c JOIN brands b ON b.key = c.brand \
                WHERE c.revoked_at IS NULL ORDER BY c.created_at, c.id
                """
            ).all { row in
                let details: String = try row.value(3)
                return StoredCredential(
                    id: try row.value(0),
                    brand: BrandID(trusted: try row.value(1)),
                    name: try row.value(2),
                    details: try JSONDecoder().decode(CredentialDetails.self, from: Data(details.utf8)),
                    secretHash: try row.value(4),
                    sealedSecret: try row.value(5),
                    expiresAt: try row.value(6),
                    createdAt: try row.value(7)
                )
            }
        }
    }
}
