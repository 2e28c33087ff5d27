import Foundation
package import GatewayModel
package import GatewayStorage

extension SQLTransaction {
    /// Replaces all sealed secrets, as ``GatewayStorage/TenantStore/resealSecrets(at:_:verify:)`` does.
    ///
    /// - Parameters:
    ///   - now: The time for the audit trail.
    ///   - reseal: Seals a secret under the new key; nil aborts.
    ///   - verify: Checks a secret as it is now stored; false aborts.
    /// - Returns: The numbers of replaced secrets.
    /// - Throws: `StorageError` when a function aborted, or an error of the engine.
    package func resealSecrets(
        at now: Timestamp,
        _ reseal: (SealedSecret) -> [UInt8]?,
        verify: (SealedSecret) -> Bool
    ) throws -> ResealedCounts {
        let counts = try replaceSecrets { secret in
            guard let bytes = reseal(secret) else { throw aborted("sealed again") }
            return bytes
        }
        for secret in try sealedSecrets() {
            guard verify(secret) else { throw aborted("opened again") }
        }
        // Without any sealed secret nothing shows, after a crash, whether the new key was stored.
        guard counts.total > 0 else { return counts }
        let brands = try db.prepare("SELECT id FROM brands ORDER BY key").all { BrandID(trusted: try $0.value(0)) }
        for brand in brands {
            try write(
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

    private func sealedSecrets() throws -> [SealedSecret] {
        let webhooks = try sealedWebhooks().flatMap { row in
            ([row.webhook.sealedSecret] + row.webhook.previous.map(\.sealedSecret)).map {
                SealedSecret(owner: .webhook(row.brand), bytes: $0)
            }
        }
        return try sealedApps().map(\.secret) + sealedCredentials().map(\.secret) + webhooks
            + sealedHooks().map(\.secret)
    }

    private func replaceSecrets(_ work: (SealedSecret) throws -> [UInt8]) throws -> ResealedCounts {
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
                .text(try storedJSON(webhook)).int(row.key).run()
        }
        for row in try sealedHooks() {
            try db.prepare("UPDATE hooks SET settings = ? WHERE brand = ? AND id = ?")
                .blob(try work(row.secret)).int(row.brand).text(row.id).run()
            counts.hooks += 1
        }
        return counts
    }

    private func sealedHooks() throws -> [(brand: Int64, id: String, secret: SealedSecret)] {
        try db.prepare("SELECT h.brand, h.id, b.id, h.settings FROM hooks h JOIN brands b ON b.key = h.brand").all {
            row in
            let id: String = try row.value(1)
            let owner = SealedSecret.Owner.hook(BrandID(trusted: try row.value(2)), HookID(trusted: id))
            return (try row.value(0), id, SealedSecret(owner: owner, bytes: try row.value(3)))
        }
    }

    private func sealedApps() throws -> [(brand: Int64, id: String, secret: SealedSecret)] {
        try db.prepare("SELECT a.brand, a.id, b.id, a.settings FROM apps a JOIN brands b ON b.key = a.brand").all {
            row in
            let id: String = try row.value(1)
            let owner = SealedSecret.Owner.app(BrandID(trusted: try row.value(2)), AppID(trusted: id))
            return (try row.value(0), id, SealedSecret(owner: owner, bytes: try row.value(3)))
        }
    }

    private func sealedCredentials() throws -> [(id: String, secret: SealedSecret)] {
        try db.prepare(
            """
            SELECT c.id, b.id, c.sealed_secret FROM credentials c JOIN brands b ON b.key = c.brand \
            WHERE c.sealed_secret IS NOT NULL
            """
        ).all { row in
            let id: String = try row.value(0)
            let owner = SealedSecret.Owner.credential(BrandID(trusted: try row.value(1)), id: id)
            return (id, SealedSecret(owner: owner, bytes: try row.value(2)))
        }
    }

    private func sealedWebhooks() throws -> [(key: Int64, brand: BrandID, webhook: WebhookSettings)] {
        try db.prepare("SELECT key, id, webhook FROM brands WHERE webhook IS NOT NULL").all { row in
            let text: String = try row.value(2)
            let webhook = try JSONDecoder().decode(WebhookSettings.self, from: Data(text.utf8))
            return (try row.value(0), BrandID(trusted: try row.value(1)), webhook)
        }
    }
}

private func aborted(_ what: String) -> StorageError { .constraint(detail: "a sealed secret cannot be \(what)") }
