package import GatewayModel
package import GatewayStorage

extension CustomerStore where Self: SQLStore {
    package func customer(brand: BrandID, id: ConsumerID) async throws(StorageError) -> Customer? {
        try await inSnapshot { db in
            guard let owner = try db.owner(brand, id) else { return nil }
            return try db.prepare(
                """
                SELECT u.anonymous, c.data FROM consumers u LEFT JOIN customers c ON c.consumer = u.key WHERE u.key = ?
                """
            ).int(owner.key).first { row in
                let data: String? = try row.value(1)
                return Customer(
                    key: ConsumerKey(owner.key),
                    id: owner.id,
                    isAnonymous: try row.value(0),
                    data: data.flatMap(CustomerData.init(stored:)) ?? CustomerData()
                )
            }
        }
    }

    // MARK: Inbox

    package func inbox(
        brand: BrandID,
        consumer: ConsumerID,
        _ range: InboxRange,
        now: Timestamp,
        limit: Int
    ) async throws(StorageError) -> InboxReading {
        try await inSnapshot { db in
            guard let owner = try db.owner(brand, consumer) else { return .unknown }
            let (last, deadBefore) = try db.inboxEnds(owner.key) ?? (0, 0)
            let key = ConsumerKey(owner.key)
            let items: [InboxItem]
            switch range {
            case .newest(let before):
                items = try db.prepare(
                    """
                    SELECT id, type, content, created_at, expires_at, is_read, change FROM inbox_items \
                    WHERE consumer = ? AND change < ? AND expires_at > ? ORDER BY change DESC LIMIT ?
                    """
                ).int(owner.key).int(before ?? .max).time(now).int(limit).all { try InboxItem($0) }
            case .after(let position):
                guard position.consumer == key, position.change >= deadBefore, position.change <= last else {
                    return .dead
                }
                items = try db.prepare(
                    """
                    SELECT id, type, content, created_at, expires_at, is_read, change FROM inbox_items \
                    WHERE consumer = ? AND change > ? AND expires_at > ? ORDER BY change LIMIT ?
                    """
                ).int(owner.key).int(position.change).time(now).int(limit + 1).all { try InboxItem($0) }
                guard items.count <= limit else { return .dead }
            }
            return .page(InboxPage(position: InboxPosition(consumer: key, change: last), items: items))
        }
    }

    package func putInboxItem(
        brand: BrandID,
        consumer: ConsumerID,
        _ item: InboxItem
    ) async throws(StorageError) -> PutResult {
        try await inTransaction { transaction in
            let db = transaction.db
            guard let owner = try transaction.owner(brand, consumer) else { return .unknown }
            let (last, deadBefore) = try db.inboxEnds(owner) ?? (0, 0)
            let isReplaced =
                try db.prepare("DELETE FROM inbox_items WHERE consumer = ? AND id = ?").int(owner)
                .text(item.id.rawValue).runCounting() > 0
            if !isReplaced {
                // The index by id has no contents, so that even many items are passed over quickly.
                let isFull = try db.prepare(
                    "SELECT 1 FROM inbox_items WHERE consumer = ? ORDER BY id LIMIT 1 OFFSET ?"
                ).int(owner).int(InboxItem.perConsumer - 1).hasRow()
                guard !isFull else { return .full }
            }
            try db.prepare(
                """
                INSERT INTO inbox_items (consumer, change, id, type, content, created_at, expires_at) \
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
            )
            .int(owner).int(last + 1).text(item.id.rawValue).text(item.kind.rawValue).text(item.content.text)
            .time(item.createdAt).time(item.expiresAt).run()
            try transaction.store(inbox: owner, last: last + 1, deadBefore: deadBefore)
            return isReplaced ? .replaced : .created
        }
    }

    package func deleteInboxItem(
        brand: BrandID,
        consumer: ConsumerID,
        id: InboxItemID
    ) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            guard let owner = try transaction.owner(brand, consumer),
                try transaction.db.prepare("DELETE FROM inbox_items WHERE consumer = ? AND id = ?").int(owner)
                    .text(id.rawValue).runCounting() == 1
            else { return false }
            // An app with an earlier position would keep it.
            let next = (try transaction.db.inboxEnds(owner)?.last ?? 0) + 1
            try transaction.store(inbox: owner, last: next, deadBefore: next)
            return true
        }
    }

    package func markInboxRead(
        brand: BrandID,
        consumer: ConsumerID,
        ids: [InboxItemID]
    ) async throws(StorageError) {
        try await inTransaction { transaction in
            guard let owner = try transaction.owner(brand, consumer),
                let ends = try transaction.db.inboxEnds(owner)
            else { return }
            var last = ends.last
            for id in ids {
                let isChanged =
                    try transaction.db.prepare(
                        "UPDATE inbox_items SET is_read = 1, change = ? WHERE consumer = ? AND id = ? AND is_read = 0"
                    ).int(last + 1).int(owner).text(id.rawValue).runCounting() > 0
                if isChanged { last += 1 }
            }
            if last > ends.last { try transaction.store(inbox: owner, last: last, deadBefore: ends.deadBefore) }
        }
    }

    // MARK: In-app messages

    package func inAppMessages(brand: BrandID) async throws(StorageError) -> [InAppMessage] {
        try await inSnapshot { db in
            guard let key = try db.brandKey(brand) else { return [] }
            return try db.prepare(
                "SELECT id, message, platforms, consent FROM in_app_messages WHERE brand = ? ORDER BY id"
            ).int(key).all { row in
                let platforms: String = try row.value(2)
                return InAppMessage(
                    id: InAppMessageID(trusted: try row.value(0)),
                    message: JSONText(trusted: try row.value(1)),
                    platforms: platforms.split(separator: ",").compactMap { DevicePlatform(rawValue: String($0)) },
                    consentCategory: try row.value(3)
                )
            }
        }
    }

    package func putInAppMessage(
        brand: BrandID,
        _ message: InAppMessage,
        audit: AuditEntry?
    ) async throws(StorageError) -> PutResult {
        try await inTransaction { transaction in
            let db = transaction.db
            guard let key = try transaction.brandKey(brand) else { return .unknown }
            let isKnown = try db.prepare("SELECT 1 FROM in_app_messages WHERE brand = ? AND id = ?").int(key)
                .text(message.id.rawValue).hasRow()
            let count = try db.prepare("SELECT count(*) FROM in_app_messages WHERE brand = ?").int(key).integer() ?? 0
            guard isKnown || count < InAppMessage.perBrand else { return .full }
            try db.prepare(
                """
                INSERT INTO in_app_messages (brand, id, message, platforms, consent) VALUES (?1, ?2, ?3, ?4, ?5) \
                ON CONFLICT (brand, id) DO UPDATE SET message = ?3, platforms = ?4, consent = ?5
                """
            )
            .int(key).text(message.id.rawValue).text(message.message.text)
            .text(message.platforms.map(\.rawValue).joined(separator: ",")).text(message.consentCategory).run()
            try transaction.write(audit)
            return isKnown ? .replaced : .created
        }
    }

    package func deleteInAppMessage(
        brand: BrandID,
        id: InAppMessageID,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            guard let key = try transaction.brandKey(brand),
                try transaction.db.prepare("DELETE FROM in_app_messages WHERE brand = ? AND id = ?").int(key)
                    .text(id.rawValue).runCounting() == 1
            else { return false }
            try transaction.write(audit)
            return true
        }
    }
}

extension SQLTransaction {
    /// Returns the consumer that a name means: its own, or the one that it was merged into; nil when there is none.
    fileprivate func owner(_ brand: BrandID, _ consumer: ConsumerID) throws -> Int64? {
        guard let brand = try brandKey(brand) else { return nil }
        return try db.prepare("SELECT coalesce(merged_into, key) FROM consumers WHERE brand = ? AND id = ?")
            .int(brand).text(consumer.rawValue).integer()
    }
}

extension InboxItem {
    /// Reads the columns from the id to the change.
    fileprivate init(_ row: some SQLStatement) throws {
        let kind: String = try row.value(1)
        self.init(
            id: InboxItemID(trusted: try row.value(0)),
            kind: Kind(rawValue: kind) ?? .push,
            content: JSONText(trusted: try row.value(2)),
            createdAt: try row.value(3),
            expiresAt: try row.value(4)
        )
        isRead = try row.value(5)
        change = try row.value(6)
    }
}
