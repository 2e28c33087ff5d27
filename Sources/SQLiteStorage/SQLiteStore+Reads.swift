import Foundation
import GRDB
package import GatewayModel
package import GatewayStorage

extension SQLiteStore {
    package func session(tokenHash: [UInt8]) async throws(StorageError) -> StoredSession? {
        try await read { db in
            let row = try Row.fetchOne(
                try db.cachedStatement(
                    sql: """
                        SELECT b.id, u.id, s.device, s.expires_at, s.created_at, s.credential FROM sessions s
                        JOIN consumers u ON u.key = s.consumer JOIN brands b ON b.key = s.brand
                        LEFT JOIN credentials c ON c.id = s.credential AND c.revoked_at IS NULL
                        WHERE s.token_hash = ? AND (s.credential IS NULL OR c.id IS NOT NULL)
                        """
                ),
                arguments: [Data(tokenHash)]
            )
            guard let row else { return nil }
            let device: String? = try row.value(2)
            return try StoredSession(
                tokenHash: tokenHash,
                brand: BrandID(trusted: row.value(0)),
                consumer: ConsumerID(trusted: row.value(1)),
                device: device.map(DeviceID.init(trusted:)),
                credential: row.value(5),
                expiresAt: Timestamp(milliseconds: row.value(3)),
                createdAt: Timestamp(milliseconds: row.value(4))
            )
        }
    }

    /// The consumer `u` that the name `n` of brand `b` means: its own, or the one that it was merged into.
    private static let namedConsumer = """
        consumers n JOIN brands b ON b.key = n.brand JOIN consumers u ON u.key = coalesce(n.merged_into, n.key)
        """

    /// The unread count of consumer `u`: the sum over the conversations with unread messages, however many others it
    /// has.
    private static let unreadOfConsumer = """
        (SELECT coalesce(sum(c.unread), 0) FROM unread_conversations c WHERE c.consumer = u.key)
        """

    package func consumer(brand: BrandID, id: ConsumerID) async throws(StorageError) -> StoredConsumer? {
        try await read { db in
            let row = try Row.fetchOne(
                try db.cachedStatement(
                    sql: """
                        SELECT u.key, u.anonymous, u.name, u.email, u.phone,
                        \(Self.unreadOfConsumer), u.created_at, u.id, u.quiet_hours FROM \(Self.namedConsumer) WHERE b.id = ? AND n.id = ?
                        """
                ),
                arguments: [brand.rawValue, id.rawValue]
            )
            return try row.map { row in
                try StoredConsumer(
                    key: ConsumerKey(row.value(0)),
                    id: ConsumerID(trusted: row.value(7)),
                    anonymous: row.value(1),
                    profile: ConsumerProfile(name: row.value(2), email: row.value(3), phone: row.value(4)),
                    unread: row.value(5),
                    createdAt: Timestamp(milliseconds: row.value(6)),
                    quietHours: (row.value(8) as String?).flatMap(QuietHours.init(stored:))
                )
            }
        }
    }

    package func consumerRecord(brand: BrandID, id: ConsumerID) async throws(StorageError) -> ConsumerRecord? {
        guard let consumer = try await consumer(brand: brand, id: id) else { return nil }
        return try await read { db in
            let merged = try String.fetchAll(
                try db.cachedStatement(sql: "SELECT id FROM consumers WHERE merged_into = ? ORDER BY key"),
                arguments: [consumer.key.rawValue]
            )
            let sessions = try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT token_hash, device, credential, expires_at, created_at FROM sessions WHERE consumer = ?
                        ORDER BY created_at, token_hash
                        """
                ),
                arguments: [consumer.key.rawValue]
            ).map { row in
                let hash: Data = try row.value(0)
                let device: String? = try row.value(1)
                return try StoredSession(
                    tokenHash: [UInt8](hash),
                    brand: brand,
                    consumer: consumer.id,
                    device: device.map(DeviceID.init(trusted:)),
                    credential: row.value(2),
                    expiresAt: Timestamp(milliseconds: row.value(3)),
                    createdAt: Timestamp(milliseconds: row.value(4))
                )
            }
            return ConsumerRecord(
                consumer: consumer,
                merged: merged.map(ConsumerID.init(trusted:)),
                sessions: sessions
            )
        }
    }

    package func conversations(
        brand: BrandID,
        consumer: ConsumerID,
        after: ConversationKey?,
        limit: Int
    ) async throws(StorageError) -> [StoredConversation]? {
        try await read { db in
            let owner = try Int64.fetchOne(
                try db.cachedStatement(sql: "SELECT u.key FROM \(Self.namedConsumer) WHERE b.id = ? AND n.id = ?"),
                arguments: [brand.rawValue, consumer.rawValue]
            )
            guard let owner else { return nil }
            return try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT key, id, unread, last_sequence, read_sequence, resolved FROM current_conversations
                        WHERE consumer = ? AND key > ? ORDER BY key LIMIT ?
                        """
                ),
                arguments: [owner, after?.rawValue ?? 0, limit]
            ).map {
                try StoredConversation(
                    key: ConversationKey($0.value(0)),
                    unread: ConversationUnread(
                        id: ConversationID(trusted: $0.value(1)),
                        unread: $0.value(2),
                        lastSequence: $0.value(3),
                        readSequence: $0.value(4)
                    ),
                    isResolved: $0.value(5)
                )
            }
        }
    }

    package func activeConversation(
        brand: BrandID,
        consumer: ConsumerID
    ) async throws(StorageError) -> ConversationID? {
        try await read { db in
            try String.fetchOne(
                try db.cachedStatement(
                    sql: """
                        SELECT c.id FROM \(Self.namedConsumer)
                        JOIN current_conversations c ON c.consumer = u.key AND c.resolved = 0
                        WHERE b.id = ? AND n.id = ? ORDER BY c.active_message DESC LIMIT 1
                        """
                ),
                arguments: [brand.rawValue, consumer.rawValue]
            ).map(ConversationID.init(trusted:))
        }
    }

    package func messageRecords(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID,
        afterSequence: Int64,
        limit: Int
    ) async throws(StorageError) -> [MessageRecord]? {
        let found = try await messages(
            brand: brand,
            consumer: consumer,
            conversation: conversation,
            afterSequence: afterSequence,
            after: nil,
            limit: limit
        )
        guard let found else { return nil }
        return try await read { db in
            try found.map { message in
                let row = try Row.fetchOne(
                    try db.cachedStatement(sql: "SELECT device, tapped_at, action FROM taps WHERE message = ?"),
                    arguments: [Int64(bitPattern: message.id.high)]
                )
                let tap = try row.map {
                    try StoredTap(
                        device: DeviceID(trusted: $0.value(0)),
                        tappedAt: Timestamp(milliseconds: $0.value(1)),
                        action: $0.value(2)
                    )
                }
                return MessageRecord(message: message, tap: tap)
            }
        }
    }

    package func unread(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> UnreadCounts {
        try await read { db in
            let row = try Row.fetchOne(
                try db.cachedStatement(
                    sql: """
                        SELECT u.key, \(Self.unreadOfConsumer)
                        FROM \(Self.namedConsumer) WHERE b.id = ? AND n.id = ?
                        """
                ),
                arguments: [brand.rawValue, consumer.rawValue]
            )
            guard let row else { return UnreadCounts(total: 0, conversations: []) }
            let key: Int64 = try row.value(0)
            // One more row shows whether there are others.
            let conversations = try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT id, unread, last_sequence, read_sequence FROM current_conversations
                        WHERE consumer = ? AND last_sequence > 0 ORDER BY has_unread DESC, last_message DESC LIMIT ?
                        """
                ),
                arguments: [key, UnreadCounts.maxConversations + 1]
            ).map {
                try ConversationUnread(
                    id: ConversationID(trusted: $0.value(0)),
                    unread: $0.value(1),
                    lastSequence: $0.value(2),
                    readSequence: $0.value(3)
                )
            }
            return try UnreadCounts(
                total: row.value(1),
                conversations: Array(conversations.prefix(UnreadCounts.maxConversations)),
                hasMore: conversations.count > UnreadCounts.maxConversations
            )
        }
    }

    package func messages(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID?,
        afterSequence: Int64,
        after: MessageID?,
        limit: Int
    ) async throws(StorageError) -> [Message]? {
        try await read { db in
            let owner = try Row.fetchOne(
                try db.cachedStatement(
                    sql: "SELECT u.key, u.id FROM \(Self.namedConsumer) WHERE b.id = ? AND n.id = ?"
                ),
                arguments: [brand.rawValue, consumer.rawValue]
            )
            guard let owner else { return conversation == nil ? [] : nil }
            let (key, id): (Int64, String) = try (owner.value(0), owner.value(1))
            let chains = try MessageChains(ReadConnection(db))
            var keys: [Int64] = []
            if let conversation {
                let head = try Row.fetchOne(
                    try db.cachedStatement(
                        sql: """
                            SELECT key, last_message FROM current_conversations WHERE consumer = ? AND id = ?
                            """
                    ),
                    arguments: [key, conversation.rawValue]
                )
                guard let head else {
                    let isArchived = try Bool.fetchOne(
                        try db.cachedStatement(
                            sql: """
                                SELECT 1 FROM resting_conversations c JOIN brands b ON b.key = c.brand
                                WHERE b.id = ? AND c.id = ? AND c.consumer = ?
                                """
                        ),
                        arguments: [brand.rawValue, conversation.rawValue, key]
                    )
                    return isArchived == true ? [] : nil
                }
                keys = try chains.keys(of: Self.head(head), after: afterSequence, limit: limit)
            } else {
                let known = after.map { Int64(bitPattern: $0.high) } ?? 0
                let heads = try Row.fetchAll(
                    try db.cachedStatement(
                        sql: """
                            SELECT key, last_message FROM current_conversations
                            WHERE consumer = ? AND last_message > ?
                            """
                    ),
                    arguments: [key, known]
                )
                var ceiling = Int64.max
                for head in heads {
                    keys += try chains.keys(of: Self.head(head), behind: known, upTo: ceiling, limit: limit)
                    keys = Array(keys.sorted().prefix(limit))
                    if keys.count == limit { ceiling = keys.last ?? ceiling }
                }
            }
            let messages = try db.cachedStatement(
                sql: """
                    SELECT c.id AS conversation_id, m.* FROM messages m JOIN conversations c ON c.key = m.conversation
                    WHERE m.key = ?
                    """
            )
            return try keys.compactMap { key in
                try Row.fetchOne(messages, arguments: [key]).map {
                    try Self.message($0, brand: brand, consumer: ConsumerID(trusted: id))
                }
            }
        }
    }

    package func pendingProactive(
        brand: BrandID,
        consumer: ConsumerID,
        before: MessageID?,
        now: Timestamp,
        limit: Int
    ) async throws(StorageError) -> [Message] {
        try await read { db in
            try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT u.id AS consumer_id, c.id AS conversation_id, m.* FROM \(Self.namedConsumer)
                        CROSS JOIN conversations c ON c.consumer = u.key
                        CROSS JOIN pending_proactive p ON p.conversation = c.key AND p.message < ?3
                        CROSS JOIN messages m ON m.key = p.message
                        WHERE b.id = ?1 AND n.id = ?2 AND (m.look_back_until IS NULL OR m.look_back_until >= ?4)
                        ORDER BY m.key DESC LIMIT ?5
                        """
                ),
                arguments: [
                    brand.rawValue, consumer.rawValue, before.map { Int64(bitPattern: $0.high) } ?? .max,
                    now.milliseconds, limit,
                ]
            ).map { try Self.message($0, brand: brand, consumer: ConsumerID(trusted: $0.value("consumer_id"))) }
        }
    }

    private static func head(_ row: Row) throws -> MessageChains.Head {
        try MessageChains.Head(conversation: row.value(0), last: row.value(1))
    }

    private static func message(_ row: Row, brand: BrandID, consumer: ConsumerID) throws -> Message {
        let key: Int64 = try row.value("key")
        let low: Int64 = try row.value("low")
        let data: String? = try row.value("data")
        let lookBackUntil: Int64? = try row.value("look_back_until")
        return try Message(
            id: MessageID(high: UInt64(bitPattern: key), low: UInt64(bitPattern: low)),
            brand: brand,
            consumer: consumer,
            conversation: ConversationID(trusted: row.value("conversation_id")),
            dialog: row.value("dialog"),
            sequence: row.value("sequence"),
            sourceSequence: row.value("source_sequence"),
            kind: MessageKind(rawValue: try row.value("kind")) ?? .agent,
            agentID: row.value("agent_id"),
            agentNickname: row.value("agent_nickname"),
            text: row.value("text"),
            title: row.value("title"),
            data: data.map(JSONText.init(trusted:)),
            link: PlatformLinks(
                ios: row.value("link_ios"),
                android: row.value("link_android"),
                web: row.value("link_web")
            ),
            priority: PushPriority(rawValue: try row.value("priority")) ?? .high,
            collapseKey: row.value("collapse_key"),
            category: row.value("category"),
            sound: row.value("sound"),
            silent: row.value("silent"),
            acceptedAt: Timestamp(milliseconds: row.value("accepted_at")),
            sentAt: Timestamp(milliseconds: row.value("sent_at")),
            expiresAt: Timestamp(milliseconds: row.value("expires_at")),
            lookBackUntil: lookBackUntil.map(Timestamp.init(milliseconds:)),
            campaign: row.value("campaign")
        )
    }

    // MARK: Registrations

    package func registration(
        brand: BrandID,
        app: AppID,
        device: DeviceID
    ) async throws(StorageError) -> DeviceRegistration? {
        try await read { db in
            try Row.fetchOne(
                try db.cachedStatement(sql: Self.registrationSQL + " WHERE b.id = ? AND r.app = ? AND r.device = ?"),
                arguments: [brand.rawValue, app.rawValue, device.rawValue]
            ).flatMap(Self.registration)
        }
    }

    package func registrations(
        brand: BrandID,
        consumer: ConsumerID
    ) async throws(StorageError) -> [DeviceRegistration] {
        try await read { db in
            try Row.fetchAll(
                try db.cachedStatement(
                    sql: Self.registrationSQL + """
                         WHERE r.consumer = (SELECT coalesce(n.merged_into, n.key) FROM consumers n
                        WHERE n.brand = (SELECT key FROM brands WHERE id = ?) AND n.id = ?) ORDER BY r.id
                        """
                ),
                arguments: [brand.rawValue, consumer.rawValue]
            ).compactMap(Self.registration)
        }
    }

    private static let registrationSQL = """
        SELECT r.*, b.id AS brand_id, u.id AS consumer_id FROM registrations r JOIN brands b ON b.key = r.brand
        JOIN consumers u ON u.key = r.consumer JOIN lanes l ON l.id = r.lane AND r.state <> 'invalid'
        """

    private static func registration(_ row: Row) throws -> DeviceRegistration? {
        guard let pushType = PushType(rawValue: try row.value("push_type")),
            let environment = PushEnvironment(rawValue: try row.value("environment")),
            let platform = DevicePlatform(rawValue: try row.value("platform")),
            let state = RegistrationState(rawValue: try row.value("state"))
        else { return nil }
        var registration = try DeviceRegistration(
            id: RegistrationID(row.value("id")),
            brand: BrandID(trusted: row.value("brand_id")),
            app: AppID(trusted: row.value("app")),
            device: DeviceID(trusted: row.value("device")),
            consumer: ConsumerID(trusted: row.value("consumer_id")),
            lane: LaneID(row.value("lane")),
            token: row.value("token"),
            pushType: pushType,
            environment: environment,
            platform: platform,
            locale: row.value("locale"),
            timeZone: row.value("time_zone"),
            osVersion: row.value("os_version"),
            appVersion: row.value("app_version"),
            receives: Receives(rawValue: try row.value("receives")),
            state: state,
            registeredAt: Timestamp(milliseconds: row.value("registered_at")),
            createdAt: Timestamp(milliseconds: row.value("created_at"))
        )
        registration.lastSeenAt = Timestamp(milliseconds: try row.value("last_seen_at"))
        registration.extraTokens = ExtraTokenText.tokens(try row.value("extra_tokens"))
        return registration
    }
}
