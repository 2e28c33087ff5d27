package import GatewayModel
package import GatewayStorage

extension OperatorStore where Self: SQLStore {
    package func insertOperator(
        _ account: StoredOperator,
        limit: Int,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            guard try transaction.db.operatorKey(account.name) == nil else { throw StorageError.duplicate }
            guard try transaction.db.prepare("SELECT count(*) FROM operators").integer() ?? 0 < Int64(limit) else {
                return false
            }
            let key = try transaction.db.prepare(
                "INSERT INTO operators (name, password, created_at, updated_at) VALUES (?, ?, ?, ?) RETURNING key"
            )
            .text(account.name.rawValue).text(account.password).time(account.createdAt).time(account.updatedAt)
            .integer()
            try transaction.write(account.grants, of: key ?? 0)
            try transaction.write(audit)
            return true
        }
    }

    package func updateOperator(
        _ name: OperatorName,
        password: String?,
        grants: [OperatorGrant]?,
        at now: Timestamp,
        audit: AuditEntry?
    ) async throws(StorageError) -> StoredOperator? {
        try await inTransaction { transaction in
            guard let key = try transaction.db.operatorKey(name) else { return nil }
            try transaction.db.prepare("UPDATE operators SET updated_at = ? WHERE key = ?").time(now).int(key).run()
            if let password {
                try transaction.db.prepare("UPDATE operators SET password = ? WHERE key = ?").text(password).int(key)
                    .run()
                try transaction.db.prepare("DELETE FROM operator_sessions WHERE account = ?").int(key).run()
            }
            if let grants { try transaction.write(grants, of: key) }
            try transaction.write(audit)
            return try transaction.db.storedOperator(key)
        }
    }

    package func deleteOperator(_ name: OperatorName, audit: AuditEntry?) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            guard let key = try transaction.db.operatorKey(name) else { return false }
            for sql: StaticString in [
                "DELETE FROM operators WHERE key = ?", "DELETE FROM operator_roles WHERE account = ?",
                "DELETE FROM operator_sessions WHERE account = ?",
            ] {
                try transaction.db.prepare(sql).int(key).run()
            }
            try transaction.db.prepare("DELETE FROM delivery_links WHERE actor = ? AND actor_kind = 'operator'")
                .text(name.rawValue).run()
            try transaction.write(audit)
            return true
        }
    }

    package func operators() async throws(StorageError) -> [StoredOperator] {
        try await inSnapshot { db in
            let keys = try db.prepare("SELECT key FROM operators ORDER BY name").integers()
            return try keys.compactMap { try db.storedOperator($0) }
        }
    }

    package func findOperator(_ name: OperatorName) async throws(StorageError) -> StoredOperator? {
        try await inSnapshot { db in try db.operatorKey(name).flatMap { try db.storedOperator($0) } }
    }

    package func openOperatorSession(
        _ session: StoredOperatorSession,
        password: String?,
        keeping limit: Int,
        openedAfter oldest: Timestamp,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            guard let key = try transaction.db.operatorKey(session.name),
                try transaction.db.storedOperator(key)?.password == password
            else { return false }
            try transaction.db.prepare("DELETE FROM operator_sessions WHERE opened_at <= ?").time(oldest).run()
            try transaction.db.prepare(
                "INSERT INTO operator_sessions (token_hash, account, opened_at, used_at) VALUES (?, ?, ?, ?)"
            )
            .blob(session.tokenHash).int(key).time(session.openedAt).time(session.usedAt).run()
            try transaction.db.prepare(
                """
                DELETE FROM operator_sessions WHERE account = ?1 AND token_hash NOT IN (SELECT token_hash \
                FROM operator_sessions WHERE account = ?1 ORDER BY opened_at DESC, token_hash LIMIT ?2)
                """
            )
            .int(key).int(limit).run()
            try transaction.write(audit)
            return true
        }
    }

    package func operatorSession(
        tokenHash: [UInt8]
    ) async throws(StorageError) -> (session: StoredOperatorSession, account: StoredOperator)? {
        try await inSnapshot { try $0.operatorSession(tokenHash) }
    }

    package func useOperatorSession(tokenHash: [UInt8], at now: Timestamp) async throws(StorageError) {
        try await inTransaction { transaction in
            try transaction.db.prepare("UPDATE operator_sessions SET used_at = ? WHERE token_hash = ?").time(now)
                .blob(tokenHash).run()
        }
    }

    package func endOperatorSession(tokenHash: [UInt8], audit: AuditEntry?) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            guard
                try transaction.db.prepare("DELETE FROM operator_sessions WHERE token_hash = ?").blob(tokenHash)
                    .runCounting() == 1
            else { return false }
            try transaction.write(audit)
            return true
        }
    }

    package func revealMessage(
        _ id: MessageID,
        audit entry: AuditEntry,
        limit: Int,
        since start: Timestamp
    ) async throws(StorageError) -> Revelation {
        let found = try await inSnapshot { try $0.message(id, of: entry.brand) }
        guard let found else { return .unknown }
        return try await inTransaction { transaction in
            // The row of the limit is the oldest one that must be past before another is allowed.
            let oldest: Timestamp? = try transaction.db.prepare(
                """
                SELECT at FROM audit WHERE action = 'message.revealed' AND actor = ? AND actor_kind = ? AND at > ? \
                ORDER BY at DESC LIMIT 1 OFFSET ?
                """
            )
            .text(entry.actor.id).text(entry.actor.kind.rawValue).time(start).int(limit - 1)
            .first { try $0.value(0) }
            if let oldest { return .limited(since: oldest) }
            try transaction.write(entry)
            return .message(found)
        }
    }
}

extension SQLConnection {
    fileprivate func operatorKey(_ name: OperatorName) throws -> Int64? {
        try prepare("SELECT key FROM operators WHERE name = ?").text(name.rawValue).integer()
    }

    fileprivate func storedOperator(_ key: Int64) throws -> StoredOperator? {
        let grants: [OperatorGrant] = try prepare(
            """
            SELECT r.role, b.id FROM operator_roles r LEFT JOIN brands b ON b.key = r.brand \
            WHERE r.account = ? AND (r.brand = 0 OR b.key IS NOT NULL) ORDER BY b.id NULLS FIRST
            """
        )
        .int(key).all { row in
            let brand: String? = try row.value(1)
            return OperatorRole(rawValue: try row.value(0)).map {
                OperatorGrant($0, in: brand.map(BrandID.init(trusted:)))
            }
        }
        return try prepare("SELECT name, password, created_at, updated_at FROM operators WHERE key = ?").int(key)
            .first { row in
                StoredOperator(
                    name: OperatorName(trusted: try row.value(0)),
                    password: try row.value(1),
                    grants: grants,
                    createdAt: try row.value(2),
                    updatedAt: try row.value(3)
                )
            }
    }

    fileprivate func operatorSession(
        _ tokenHash: [UInt8]
    ) throws -> (session: StoredOperatorSession, account: StoredOperator)? {
        let times: (account: Int64, opened: Timestamp, used: Timestamp)? = try prepare(
            "SELECT account, opened_at, used_at FROM operator_sessions WHERE token_hash = ?"
        )
        .blob(tokenHash).first { (try $0.value(0), try $0.value(1), try $0.value(2)) }
        guard let times, let account = try storedOperator(times.account) else { return nil }
        let session = StoredOperatorSession(
            tokenHash: tokenHash,
            name: account.name,
            openedAt: times.opened,
            usedAt: times.used
        )
        return (session, account)
    }
}

extension SQLTransaction {
    /// Replaces the roles of an account.
    fileprivate func write(_ grants: [OperatorGrant], of account: Int64) throws {
        try db.prepare("DELETE FROM operator_roles WHERE account = ?").int(account).run()
        for grant in grants {
            guard let brand = try grant.brand.map({ try brandKey($0) }) ?? 0 else { continue }
            try db.prepare("INSERT INTO operator_roles (account, brand, role) VALUES (?, ?, ?)").int(account).int(brand)
                .text(grant.role.rawValue).run()
        }
    }
}
