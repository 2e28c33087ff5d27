import Foundation
import GRDB
package import GatewayModel
package import GatewayStorage

extension SQLiteStore {
    package func session(tokenHash: [UInt8]) async throws(StorageError) -> StoredSession? {
        try await read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT b.id, u.id, s.device, s.expires_at, s.created_at FROM sessions s
                    JOIN consumers u ON u.key = s.consumer JOIN brands b ON b.key = u.brand WHERE s.token_hash = ?
                    """,
                arguments: [Data(tokenHash)]
            )
            guard let row else { return nil }
            let device: String? = row[2]
            return StoredSession(
                tokenHash: tokenHash,
                brand: BrandID(trusted: row[0]),
                consumer: ConsumerID(trusted: row[1]),
                device: device.map(DeviceID.init(trusted:)),
                expiresAt: Timestamp(milliseconds: row[3]),
                createdAt: Timestamp(milliseconds: row[4])
            )
        }
    }

    package func consumer(brand: BrandID, id: ConsumerID) async throws(StorageError) -> StoredConsumer? {
        try await read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT u.key, u.anonymous, u.name, u.email, u.phone,
                    (SELECT coalesce(sum(c.unread), 0) FROM conversations c WHERE c.consumer = u.key), u.created_at
                    FROM consumers u
                    JOIN brands b ON b.key = u.brand WHERE b.id = ? AND u.id = ?
                    """,
                arguments: [brand.rawValue, id.rawValue]
            )
            return row.map { row in
                StoredConsumer(
                    key: ConsumerKey(row[0]),
                    id: id,
                    anonymous: row[1],
                    profile: ConsumerProfile(name: row[2], email: row[3], phone: row[4]),
                    unread: row[5],
                    createdAt: Timestamp(milliseconds: row[6])
                )
            }
        }
    }

    package func unread(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> UnreadCounts {
        try await read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT u.key, (SELECT coalesce(sum(c.unread), 0) FROM conversations c WHERE c.consumer = u.key)
                    FROM consumers u JOIN brands b ON b.key = u.brand WHERE b.id = ? AND u.id = ?
                    """,
                arguments: [brand.rawValue, consumer.rawValue]
            )
            guard let row else { return UnreadCounts(total: 0, conversations: []) }
            let key: Int64 = row[0]
            let conversations = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, unread, last_sequence, read_sequence FROM conversations
                    WHERE consumer = ? AND last_sequence > 0 ORDER BY last_message DESC LIMIT 500
                    """,
                arguments: [key]
            ).map {
                ConversationUnread(
                    id: ConversationID(trusted: $0[0]),
                    unread: $0[1],
                    lastSequence: $0[2],
                    readSequence: $0[3]
                )
            }
            return UnreadCounts(total: row[1], conversations: conversations)
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
            let columns = """
                c.id AS conversation_id, m.*
                """
            let rows: [Row]
            if let conversation {
                let key = try Int64.fetchOne(
                    db,
                    sql: """
                        SELECT c.key FROM conversations c JOIN consumers u ON u.key = c.consumer
                        JOIN brands b ON b.key = c.brand WHERE b.id = ? AND c.id = ? AND u.id = ?
                        """,
                    arguments: [brand.rawValue, conversation.rawValue, consumer.rawValue]
                )
                guard let key else { return nil }
                rows = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT \(columns) FROM messages m JOIN conversations c ON c.key = m.conversation
                        WHERE m.conversation = ? AND m.sequence > ? ORDER BY m.sequence LIMIT ?
                        """,
                    arguments: [key, afterSequence, limit]
                )
            } else {
                rows = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT \(columns) FROM conversations c JOIN consumers u ON u.key = c.consumer
                        JOIN brands b ON b.key = u.brand JOIN messages m ON m.conversation = c.key
                        WHERE b.id = ? AND u.id = ? AND m.key > ? ORDER BY m.key LIMIT ?
                        """,
                    arguments: [
                        brand.rawValue, consumer.rawValue, after.map { Int64(bitPattern: $0.high) } ?? 0, limit,
                    ]
                )
            }
            return rows.map { Self.message($0, brand: brand, consumer: consumer) }
        }
    }

    private static func message(_ row: Row, brand: BrandID, consumer: ConsumerID) -> Message {
        let key: Int64 = row["key"]
        let low: Int64 = row["low"]
        let data: String? = row["data"]
        let lookBackUntil: Int64? = row["look_back_until"]
        return Message(
            id: MessageID(high: UInt64(bitPattern: key), low: UInt64(bitPattern: low)),
            brand: brand,
            consumer: consumer,
            conversation: ConversationID(trusted: row["conversation_id"]),
            dialog: row["dialog"],
            sequence: row["sequence"],
            sourceSequence: row["source_sequence"],
            kind: MessageKind(rawValue: row["kind"]) ?? .agent,
            agentID: row["agent_id"],
            agentNickname: row["agent_nickname"],
            text: row["text"],
            title: row["title"],
            data: data.map(JSONText.init(trusted:)),
            link: PlatformLinks(ios: row["link_ios"], android: row["link_android"], web: row["link_web"]),
            priority: PushPriority(rawValue: row["priority"]) ?? .high,
            collapseKey: row["collapse_key"],
            category: row["category"],
            sound: row["sound"],
            silent: row["silent"],
            acceptedAt: Timestamp(milliseconds: row["accepted_at"]),
            sentAt: Timestamp(milliseconds: row["sent_at"]),
            expiresAt: Timestamp(milliseconds: row["expires_at"]),
            lookBackUntil: lookBackUntil.map(Timestamp.init(milliseconds:)),
            campaign: row["campaign"]
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
                db,
                sql: Self.registrationSQL + " WHERE b.id = ? AND r.app = ? AND r.device = ?",
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
                db,
                sql: Self.registrationSQL + " WHERE u.brand = b.key AND b.id = ? AND u.id = ? ORDER BY r.id",
                arguments: [brand.rawValue, consumer.rawValue]
            ).compactMap(Self.registration)
        }
    }

    private static let registrationSQL = """
        SELECT r.*, b.id AS brand_id, u.id AS consumer_id FROM registrations r JOIN brands b ON b.key = r.brand
        JOIN consumers u ON u.key = r.consumer
        """

    private static func registration(_ row: Row) -> DeviceRegistration? {
        guard let pushType = PushType(rawValue: row["push_type"]),
            let environment = PushEnvironment(rawValue: row["environment"]),
            let platform = DevicePlatform(rawValue: row["platform"]),
            let state = RegistrationState(rawValue: row["state"])
        else { return nil }
        return DeviceRegistration(
            id: RegistrationID(row["id"]),
            brand: BrandID(trusted: row["brand_id"]),
            app: AppID(trusted: row["app"]),
            device: DeviceID(trusted: row["device"]),
            consumer: ConsumerID(trusted: row["consumer_id"]),
            lane: LaneID(row["lane"]),
            token: row["token"],
            pushType: pushType,
            environment: environment,
            platform: platform,
            locale: row["locale"],
            timeZone: row["time_zone"],
            osVersion: row["os_version"],
            appVersion: row["app_version"],
            receives: Receives(rawValue: row["receives"]),
            state: state,
            registeredAt: Timestamp(milliseconds: row["registered_at"]),
            createdAt: Timestamp(milliseconds: row["created_at"])
        )
    }
}
