import GatewayModel
package import GatewayStorage

extension SessionStore where Self: SQLStore {
    package func session(tokenHash: [UInt8]) async throws(StorageError) -> StoredSession? {
        try await inSnapshot { db in
            try db.prepare(
                """
                SELECT b.id, u.id, s.device, s.expires_at, s.created_at, s.credential FROM sessions s \
                JOIN consumers u ON u.key = s.consumer JOIN brands b ON b.key = s.brand \
                LEFT JOIN credentials c ON c.id = s.credential AND c.revoked_at IS NULL \
                WHERE s.token_hash = ? AND (s.credential IS NULL OR c.id IS NOT NULL)
                """
            ).blob(tokenHash).first { row in
                let device: String? = try row.value(2)
                return StoredSession(
                    tokenHash: tokenHash,
                    brand: BrandID(trusted: try row.value(0)),
                    consumer: ConsumerID(trusted: try row.value(1)),
                    device: device.map(DeviceID.init(trusted:)),
                    credential: try row.value(5),
                    expiresAt: try row.value(3),
                    createdAt: try row.value(4)
                )
            }
        }
    }
}
