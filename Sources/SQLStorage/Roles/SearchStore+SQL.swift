package import GatewayModel
package import GatewayStorage

/// The upper bound of the rows of the delivery log that are read for the sixteen messages to which an APNs id may
/// belong.
private let loggedLimit = 2000

extension SearchStore where Self: SQLStore {
    package func search(_ text: String, brand: BrandID) async throws(StorageError) -> [SearchHit] {
        try await inSnapshot { db in
            guard let key = try db.brandKey(brand) else { return [] }
            var hits: [SearchHit] = []
            if let id = MessageID(text) {
                hits += try db.message(id, brand: key)
                if hits.isEmpty, let origins = id.highOfOrigins { hits += try db.pushes(id, of: origins, brand: key) }
            }
            if let id = ConsumerID(text), let owner = try db.owner(brand, id) {
                hits.append(SearchHit(.consumer, of: owner.id, by: .id))
            }
            if let id = DeviceID(text) { hits += try db.devices(id, brand: brand, key) }
            return hits + (try db.devices(withToken: text, brand: brand))
        }
    }
}

/// A row of the delivery log.
private struct LoggedPush {
    var id: DeliveryID
    var brand: Int64
    var providerID: String?
    /// The second half of its message's id, once the message is removed.
    var low: Int64?
    var consumer: ConsumerID
}

extension SQLReader {
    /// Finds a message by its id, also one of which only deliveries are left.
    fileprivate func message(_ id: MessageID, brand: Int64) throws -> [SearchHit] {
        let key = Int64(bitPattern: id.high)
        let found = try prepare(
            """
            SELECT c.brand, m.low, u.id FROM messages m JOIN conversations c ON c.key = m.conversation \
            JOIN consumers u ON u.key = c.consumer WHERE m.key = ?
            """
        ).int(key).first { row -> ConsumerID? in
            let (owner, low): (Int64, Int64) = (try row.value(0), try row.value(1))
            let consumer = ConsumerID(trusted: try row.value(2))
            return owner == brand && low == Int64(bitPattern: id.low) ? consumer : nil
        }
        let consumer =
            try (found ?? nil)
            ?? logged(key...key).first { $0.brand == brand && $0.low == Int64(bitPattern: id.low) }?.consumer
        return consumer.map { [SearchHit(.message(id), of: $0, by: .id)] } ?? []
    }

    /// Finds the push with an APNs id, which is derived from its message and its registration: in the log by the id
    /// that APNs returned, before that by deriving it again.
    fileprivate func pushes(
        _ id: MessageID,
        of origins: ClosedRange<UInt64>,
        brand: Int64
    ) throws -> [SearchHit] {
        let keys = Int64(bitPattern: origins.lowerBound)...Int64(bitPattern: origins.upperBound)
        let finished = try logged(keys).filter { $0.brand == brand && $0.providerID.flatMap(MessageID.init(_:)) == id }
        guard finished.isEmpty else {
            return finished.map { SearchHit(.delivery($0.id), of: $0.consumer, by: .apnsID) }
        }
        let messages = try prepare(
            """
            SELECT m.key, m.low, c.brand, u.key, u.id FROM messages m JOIN conversations c ON c.key = m.conversation \
            JOIN consumers u ON u.key = c.consumer WHERE m.key >= ? AND m.key <= ?
            """
        ).int(keys.lowerBound).int(keys.upperBound).all { row -> (MessageID, Int64, ConsumerID)? in
            let (key, low, owner): (Int64, Int64, Int64) = (try row.value(0), try row.value(1), try row.value(2))
            guard owner == brand else { return nil }
            let message = MessageID(high: UInt64(bitPattern: key), low: UInt64(bitPattern: low))
            return (message, try row.value(3), ConsumerID(trusted: try row.value(4)))
        }
        return try messages.compactMap { message, consumer, name in
            let registrations = try prepare("SELECT id FROM registrations WHERE consumer = ?").int(consumer).integers()
            guard registrations.contains(where: { message.derived(by: $0) == id }) else { return nil }
            return SearchHit(.message(message), of: name, by: .apnsID)
        }
    }

    /// Returns the finished deliveries of messages, of any brand.
    private func logged(_ messages: ClosedRange<Int64>) throws -> [LoggedPush] {
        try prepare(
            """
            SELECT d.id, d.brand, d.provider_id, d.message_low, u.id FROM delivery_log d \
            JOIN consumers n ON n.key = d.consumer JOIN consumers u ON u.key = coalesce(n.merged_into, n.key) \
            WHERE d.message >= ? AND d.message <= ? ORDER BY d.message, d.id LIMIT ?
            """
        ).int(messages.lowerBound).int(messages.upperBound).int(loggedLimit).all { row in
            LoggedPush(
                id: DeliveryID(try row.value(0)),
                brand: try row.value(1),
                providerID: try row.value(2),
                low: try row.value(3),
                consumer: ConsumerID(trusted: try row.value(4))
            )
        }
    }

    /// Finds the registrations of a device id, in each of the brand's apps.
    fileprivate func devices(_ device: DeviceID, brand: BrandID, _ key: Int64) throws -> [SearchHit] {
        let apps = try prepare("SELECT id FROM apps WHERE brand = ? ORDER BY id").int(key)
            .all { AppID(trusted: try $0.value(0)) }
        return try apps.compactMap { app in
            let consumer = try prepare(
                """
                SELECT u.id FROM brands b JOIN registrations r ON r.brand = b.key JOIN consumers u ON u.key = r.consumer \
                JOIN lanes l ON l.id = r.lane AND r.state <> 'invalid' WHERE b.id = ? AND r.app = ? AND r.device = ?
                """
            ).text(brand.rawValue).text(app.rawValue).text(device.rawValue).first {
                ConsumerID(trusted: try $0.value(0))
            }
            return consumer.map { SearchHit(.device(app, device), of: $0, by: .id) }
        }
    }

    /// Finds the registrations with a push token, ordered by app and device: not by the engine, which would then read all
    /// of the brand's in that order.
    fileprivate func devices(withToken token: String, brand: BrandID) throws -> [SearchHit] {
        let found = try prepare(
            """
            SELECT r.app, r.device, u.id FROM brands b JOIN registrations r ON r.brand = b.key \
            JOIN consumers u ON u.key = r.consumer JOIN lanes l ON l.id = r.lane AND r.state <> 'invalid' \
            WHERE b.id = ? AND r.token = ?
            """
        ).text(brand.rawValue).text(token).all { row in
            (app: try row.value(0) as String, device: try row.value(1) as String, consumer: try row.value(2) as String)
        }
        return found.sorted { ($0.app, $0.device) < ($1.app, $1.device) }.map { app, device, consumer in
            SearchHit(
                .device(AppID(trusted: app), DeviceID(trusted: device)),
                of: ConsumerID(trusted: consumer),
                by: .token
            )
        }
    }
}
