import Foundation
import GRDB
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
            let before = try Int.fetchOne(db, sql: "PRAGMA secure_delete") ?? 0
            try db.execute(sql: "PRAGMA secure_delete = ON")
            defer { try? db.execute(sql: "PRAGMA secure_delete = \(before)") }
            return try self.transaction(db) { writer in
                let counts = try writer.reseal { secret in
                    guard let bytes = reseal(secret) else { throw Self.aborted("sealed again") }
                    return bytes
                }
                for secret in try writer.sealedSecrets() {
                    guard verify(secret) else { throw Self.aborted("opened again") }
                }
                // Without any sealed secret nothing shows, after a crash, whether the new key was stored.
                for brand in try counts.total > 0 ? writer.brandNames() : [] {
                    try writer.write(
                        AuditEntry(
                            brand: brand,
                            at: now,
                            actor: .gateway,
                            action: .masterKeyRotated,
                            target: brand.rawValue
                        )
                    )
                }
                return counts
            }
        }
    }

    private static func aborted(_ what: String) -> StorageError {
        .constraint(detail: "a sealed secret cannot be \(what)")
    }
}

extension Writer {
    /// Returns all sealed secrets.
    func sealedSecrets() throws -> [SealedSecret] {
        let webhooks = try sealedWebhooks().flatMap { row in
            ([row.webhook.sealedSecret] + row.webhook.previous.map(\.sealedSecret)).map {
                SealedSecret(owner: .webhook(row.brand), bytes: $0)
            }
        }
        return try sealedApps().map(\.secret) + sealedCredentials().map(\.secret) + webhooks
    }

    /// Replaces all sealed secrets, within the running transaction.
    func reseal(_ work: (SealedSecret) throws -> [UInt8]) throws -> ResealedCounts {
        var counts = ResealedCounts()
        for row in try sealedApps() {
            try db.prepare("UPDATE apps SET settings = ? WHERE brand = ? AND id = ?")
                .blob(try work(row.secret)).int(row.brand).text(row.id).run()
            counts.apps += 1
        }
        for row in try sealedCredentials() {
            try db.prepare("UPDATE credentials SET sealed_secret = ? WHERE id = ?")
                .blob(try work(row.secret)).text(row.id).run()
            counts.credentials += 1
        }
        for row in try sealedWebhooks() {
            func again(_ bytes: [UInt8]) throws -> [UInt8] {
                counts.webhookKeys += 1
                return try work(SealedSecret(owner: .webhook(row.brand), bytes: bytes))
            }
            var webhook = row.webhook
            webhook.sealedSecret = try again(webhook.sealedSecret)
            for index in webhook.previous.indices {
                webhook.previous[index].sealedSecret = try again(webhook.previous[index].sealedSecret)
            }
            // It is the same webhook: its feed continues at its mark.
            try db.prepare("UPDATE brands SET webhook = ? WHERE key = ?")
                .text(try SQLiteStore.json(webhook)).int(row.key).run()
        }
        return counts
    }

    /// Returns the brands that are not deleted.
    fileprivate func brandNames() throws -> [BrandID] {
        var names: [BrandID] = []
        let rows = try db.prepare("SELECT id FROM brands ORDER BY key")
        while try rows.next() { names.append(BrandID(trusted: rows.string(0))) }
        return names
    }

    private func sealedApps() throws -> [(brand: Int64, id: String, secret: SealedSecret)] {
        var found: [(brand: Int64, id: String, secret: SealedSecret)] = []
        let rows = try db.prepare("SELECT a.brand, a.id, b.id, a.settings FROM apps a JOIN brands b ON b.key = a.brand")
        while try rows.next() {
            let owner = SealedSecret.Owner.app(BrandID(trusted: rows.string(2)), AppID(trusted: rows.string(1)))
            found.append((rows.int64(0), rows.string(1), SealedSecret(owner: owner, bytes: rows.bytes(3))))
        }
        return found
    }

    private func sealedCredentials() throws -> [(id: String, secret: SealedSecret)] {
        var found: [(id: String, secret: SealedSecret)] = []
        let rows = try db.prepare(
            """
            SELECT c.id, b.id, c.sealed_secret FROM credentials c JOIN brands b ON b.key = c.brand \
            WHERE c.sealed_secret IS NOT NULL
            """
        )
        while try rows.next() {
            let owner = SealedSecret.Owner.credential(BrandID(trusted: rows.string(1)), id: rows.string(0))
            found.append((rows.string(0), SealedSecret(owner: owner, bytes: rows.bytes(2))))
        }
        return found
    }

    private func sealedWebhooks() throws -> [(key: Int64, brand: BrandID, webhook: WebhookSettings)] {
        var found: [(key: Int64, brand: BrandID, webhook: WebhookSettings)] = []
        let rows = try db.prepare("SELECT key, id, webhook FROM brands WHERE webhook IS NOT NULL")
        while try rows.next() {
            let webhook = try JSONDecoder().decode(WebhookSettings.self, from: Data(rows.string(2).utf8))
            found.append((rows.int64(0), BrandID(trusted: rows.string(1)), webhook))
        }
        return found
    }
}
