import Foundation
import GRDB
package import GatewayModel
package import GatewayStorage
import SQLStorage

extension SQLiteStore {
    package func insertCredential(_ credential: StoredCredential, audit: AuditEntry?) async throws(StorageError) {
        try await write { writer in
            guard let brand = try writer.brandKey(credential.brand) else {
                throw StorageError.constraint(detail: "no such brand")
            }
            let taken = try writer.db.prepare(
                "SELECT 1 FROM credentials WHERE id = ?1 OR (?2 = 'sdkKey' AND kind = 'sdkKey' AND name = ?3)"
            ).text(credential.id).text(credential.kind.rawValue).text(credential.name)
            let isTaken = try taken.next()
            taken.end()
            guard !isTaken else { throw StorageError.duplicate }
            let details = String(decoding: try JSONEncoder().encode(credential.details), as: UTF8.self)
            try writer.db.prepare(
                """
                INSERT INTO credentials (id, brand, kind, name, details, secret_hash, sealed_secret, expires_at, \
                created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
            )
            .text(credential.id).int(brand).text(credential.kind.rawValue).text(credential.name).text(details)
            .blob(credential.secretHash).blob(credential.sealedSecret)
            .int(credential.expiresAt?.milliseconds).int(credential.createdAt.milliseconds).run()
            try writer.write(audit)
        }
    }

    package func revokeCredential(
        brand: BrandID,
        id: String,
        now: Timestamp,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool {
        try await write { writer in
            guard let brand = try writer.brandKey(brand) else { return false }
            // The secret is deleted at once; the name stays taken, so that an old key's name never means another key.
            try writer.db.prepare(
                """
                UPDATE credentials SET revoked_at = ?, secret_hash = NULL, sealed_secret = NULL \
                WHERE brand = ? AND id = ? AND revoked_at IS NULL
                """
            ).int(now.milliseconds).int(brand).text(id).run()
            guard writer.db.changedRows == 1 else { return false }
            try writer.write(audit)
            // Its sessions end by this: a lookup returns one only while its credential is valid.
            writer.endedSessions.insert(.credential(id))
            return true
        }
    }

    package func credentials() async throws(StorageError) -> [StoredCredential] {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT c.id, b.id, c.name, c.details, c.secret_hash, c.sealed_secret, c.expires_at, c.created_at
                    FROM credentials c JOIN brands b ON b.key = c.brand
                    WHERE c.revoked_at IS NULL ORDER BY c.created_at, c.id
                    """
            )
            return try rows.map { row in
                let details: String = try row.value(3)
                let hash: Data? = try row.value(4)
                let sealed: Data? = try row.value(5)
                let expiresAt: Int64? = try row.value(6)
                return try StoredCredential(
                    id: row.value(0),
                    brand: BrandID(trusted: row.value(1)),
                    name: row.value(2),
                    details: JSONDecoder().decode(CredentialDetails.self, from: Data(details.utf8)),
                    secretHash: hash.map { [UInt8]($0) },
                    sealedSecret: sealed.map { [UInt8]($0) },
                    expiresAt: expiresAt.map(Timestamp.init(milliseconds:)),
                    createdAt: Timestamp(milliseconds: row.value(7))
                )
            }
        }
    }
}
