internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TextFormats

/// Writes all stored data of a consumer as one JSON document, piece by piece.
///
/// A piece is read from the store when the client has taken the previous one, so that only one is in memory. Changes
/// made meanwhile may be in the document or not. The document is cut off when the consumer is erased meanwhile, when
/// the credential is revoked, or when the store fails: a document that is valid JSON is complete.
struct ConsumerExport: Sendable {
    /// The reason for which a document was cut off.
    struct CutOff: Error {}

    /// The number of messages in a piece: each has at most about 50 KB.
    private static let messages = 50
    /// The number of conversations, or of deliveries, in a piece.
    private static let rows = 100

    let store: any ConsumerStore & CustomerStore & DeliveryLogStore
    let brand: BrandID
    let record: ConsumerRecord
    let at: Timestamp
    /// Whether the caller may still read; called before each piece.
    let permission: StreamPermission
    /// The slot of the export, held as long as it runs.
    let slot: CallSlots.Slot

    private var consumer: ConsumerID { record.consumer.id }

    /// Writes the document.
    @concurrent
    func run(_ output: inout any ResponseBodyWriter) async throws {
        try await output.write(ByteBuffer(bytes: try await head().bytes))
        try await writeInbox(&output)
        try await writeConversations(&output)
        try await writeDeliveries(&output)
        try await output.write(ByteBuffer(string: "]}"))
        try await output.finish(nil)
    }

    // MARK: Parts

    private func head() async throws -> JSONWriter {
        let devices = try await store.registrations(brand: brand, consumer: consumer)
        let data = try await store.customer(brand: brand, id: consumer)?.data ?? CustomerData()
        var writer = JSONWriter(capacity: 4096)
        writer.literal(#"{"exportedAt":"#)
        writer.timestamp(at)
        writer.literal(#","consumer":{"#)
        writer.consumerMembers(record.consumer)
        writer.array("mergedIds", record.merged) { $0.string($1.rawValue) }
        writer.literal("}")
        writer.array("devices", devices) { $0.registration($1) }
        writer.array("sessions", record.sessions) { writer, session in
            writer.literal(#"{"deviceId":"#)
            writer.string(orNull: session.device?.rawValue)
            writer.member("credential", orNull: session.credential)
            writer.member("createdAt", session.createdAt)
            writer.member("expiresAt", session.expiresAt)
            writer.literal("}")
        }
        writer.name(known: "properties")
        writer.raw(StrictJSON.object(data.properties).sortedText)
        writer.consents(data)
        writer.literal(#","inbox":["#)
        return writer
    }

    @concurrent
    private func writeInbox(_ output: inout any ResponseBodyWriter) async throws {
        var before: Int64?
        var isFirst = true
        while true {
            let reading = try await store.inbox(
                brand: brand,
                consumer: consumer,
                .newest(before: before),
                now: at,
                limit: Self.rows
            )
            guard case .page(let page) = reading, await permission.isGranted else { throw CutOff() }
            var writer = JSONWriter(capacity: 1024 * page.items.count)
            for item in page.items {
                if !isFirst { writer.literal(",") }
                isFirst = false
                writer.inboxItem(item)
            }
            try await output.write(ByteBuffer(bytes: writer.bytes))
            before = page.items.last?.change
            guard page.items.count == Self.rows else { break }
        }
        try await output.write(ByteBuffer(string: #"],"conversations":["#))
    }

    @concurrent
    private func writeConversations(_ output: inout any ResponseBodyWriter) async throws {
        var after: ConversationKey?
        var isFirst = true
        while true {
            let page = try await store.conversations(brand: brand, consumer: consumer, after: after, limit: Self.rows)
            guard let page, await permission.isGranted else { throw CutOff() }
            for conversation in page {
                var writer = JSONWriter(capacity: 256)
                if !isFirst { writer.literal(",") }
                isFirst = false
                writer.literal(#"{"conversation":"#)
                writer.conversation(conversation.unread)
                writer.member("resolved", conversation.isResolved)
                writer.literal(#","messages":["#)
                try await output.write(ByteBuffer(bytes: writer.bytes))
                try await writeMessages(of: conversation.unread.id, &output)
                try await output.write(ByteBuffer(string: "]}"))
            }
            after = page.last?.key ?? after
            guard page.count == Self.rows else { break }
        }
    }

    @concurrent
    private func writeMessages(of id: ConversationID, _ output: inout any ResponseBodyWriter) async throws {
        var after: Int64 = 0
        while true {
            let page = try await store.messageRecords(
                brand: brand,
                consumer: consumer,
                conversation: id,
                afterSequence: after,
                limit: Self.messages
            )
            guard let page, await permission.isGranted else { throw CutOff() }
            var writer = JSONWriter(capacity: 512 * page.count)
            for record in page {
                if after > 0 { writer.literal(",") }
                after = record.message.sequence
                writer.literal(#"{"message":"#)
                writer.message(record.message)
                writer.keptMembers(record.message)
                if let tap = record.tap {
                    writer.literal(#","tap":{"deviceId":"#)
                    writer.string(tap.device.rawValue)
                    writer.member("tappedAt", tap.tappedAt)
                    writer.member("action", orNull: tap.action)
                    writer.literal("}")
                }
                writer.literal("}")
            }
            try await output.write(ByteBuffer(bytes: writer.bytes))
            guard page.count == Self.messages else { break }
        }
    }

    @concurrent
    private func writeDeliveries(_ output: inout any ResponseBodyWriter) async throws {
        try await output.write(ByteBuffer(string: #"],"deliveries":["#))
        var query = DeliveryQuery(brand: brand, limit: Self.rows)
        query.consumer = consumer
        query.reachesAllMerged = true
        var isFirst = true
        repeat {
            let page = try await store.deliveries(query)
            guard await permission.isGranted else { throw CutOff() }
            var writer = JSONWriter(capacity: 512 * page.items.count)
            for item in page.items {
                // The delivery's attempts; a delivery that is missing now was deleted because of its age.
                guard let delivery = try await store.delivery(brand: brand, id: item.id) else { continue }
                if !isFirst { writer.literal(",") }
                isFirst = false
                writer.literal("{")
                writer.deliveryMembers(delivery.record)
                writer.member("deliveredAt", orNull: delivery.record.deliveredAt)
                writer.member("finishedAt", orNull: delivery.record.finishedAt)
                writer.array("tries", delivery.attempts) { $0.attempt($1) }
                writer.literal("}")
            }
            try await output.write(ByteBuffer(bytes: writer.bytes))
            query.before = page.next
        } while query.before != nil
        // If it had been erased meanwhile, it would have had no deliveries either.
        guard try await store.consumer(brand: brand, id: consumer)?.key == record.consumer.key else { throw CutOff() }
    }
}

extension JSONWriter {
    /// Appends the stored data of a message that consumers do not see.
    fileprivate mutating func keptMembers(_ message: Message) {
        member("acceptedAt", message.acceptedAt)
        member("expiresAt", message.expiresAt)
        member("lookBackUntil", orNull: message.lookBackUntil)
        member("collapseKey", orNull: message.collapseKey)
        member("sound", orNull: message.sound)
        member("priority", message.priority.rawValue)
    }
}

extension JSONWriter {
    /// Appends the members of a consumer's profile, without the braces.
    mutating func consumerMembers(_ consumer: StoredConsumer) {
        literal(#""id":"#)
        string(consumer.id.rawValue)
        member("anonymous", consumer.anonymous)
        member("name", orNull: consumer.profile.name)
        member("email", orNull: consumer.profile.email)
        member("phone", orNull: consumer.profile.phone)
        literal(#","quietHours":"#)
        quietHours(consumer.quietHours)
        member("createdAt", consumer.createdAt)
    }

    private mutating func quietHours(_ hours: QuietHours?) {
        guard let hours else { return literal("null") }
        literal(#"{"mode":"#)
        string(hours.mode.rawValue)
        if hours.mode != .off {
            member("from", QuietHours.text(hours.from))
            member("to", QuietHours.text(hours.to))
            member("timeZone", orNull: hours.timeZone)
        }
        literal("}")
    }
}
