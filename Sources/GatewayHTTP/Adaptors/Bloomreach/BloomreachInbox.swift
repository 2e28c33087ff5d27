internal import GatewayModel
internal import GatewayStorage
internal import Hummingbird
internal import Identity
internal import TextFormats

/// The app inbox and in-app messages of Bloomreach's SDK; back-ends manage both by the gateway's own API.
enum BloomreachInbox {
    /// The maximum of items in one response: an app that lags behind by more starts again with the newest ones.
    static let maxItems = 500

    /// Returns a customer's items: the newest without a sync token, what has changed since with one (R137, R138).
    static func fetch(_ call: Call) async throws -> Response {
        let (brand, token) = try call.requireInbox()
        let body = try await call.object(ofAnyType: true)
        var checks = FieldChecks()
        let ids = checks.customerIDs(body["customer_ids"], isRequired: token == nil) ?? CustomerIDs()
        let text = checks.text(body["sync_token"])
        try checks.finish()
        let customer = try await call.customer(ids, token, of: brand)
        let position = try text.map { text throws(Problem) in try Self.position(text, brand, call) }
        let page = try await page(of: customer, after: position, brand, call)
        return ResponseFactory.object(.ok, capacity: 256 + page.items.count * 1024) { writer in
            writer.member("success", true)
            writer.member("sync_token", syncToken(page.position, brand, call))
            writer.array("messages", page.items) { writer, item in
                writer.literal("{")
                writer.member("id", item.id.rawValue)
                writer.member("type", item.kind.rawValue)
                writer.member("is_read", item.isRead)
                writer.seconds("create_time", item.createdAt)
                writer.seconds("expire_time", item.expiresAt)
                writer.member("content", item.content)
                writer.literal("}")
            }
        }
    }

    private static func page(
        of customer: Customer?,
        after position: InboxPosition?,
        _ brand: Brand,
        _ call: Call
    ) async throws(Problem) -> InboxPage {
        // A customer that is not known yet has a position of its own: its inbox is another.
        let nobody = InboxPosition(consumer: ConsumerKey(0), change: 0)
        var reading = InboxReading.unknown
        if let customer {
            let now = call.services.clock.now
            reading = try await call.read { store throws(StorageError) in
                try await store.inbox(
                    brand: brand.id,
                    consumer: customer.id,
                    position.map { .after($0) } ?? .newest(before: nil),
                    now: now,
                    limit: maxItems
                )
            }
        }
        switch reading {
        case .page(let page): return page
        case .unknown where position == nil || position == nobody: return InboxPage(position: nobody, items: [])
        case .unknown, .dead: throw .deadSyncToken
        }
    }

    /// Marks items as read: those of the customer, whatever else the list names (R137).
    static func markAsRead(_ call: Call) async throws -> Response {
        let (brand, token) = try call.requireInbox()
        let body = try await call.object(ofAnyType: true)
        var checks = FieldChecks()
        let ids = checks.customerIDs(body["customer_ids"], isRequired: token == nil) ?? CustomerIDs()
        let items = checks.items(body["message_ids"], atMost: maxItems, isRequired: true) ?? []
        let names = items.compactMap { checks.text($0, isRequired: true) }
        let text = checks.text(body["sync_token"])
        try checks.finish()
        let customer = try await call.customer(ids, token, of: brand)
        // The token of the fetched item may be older than the inbox's last deletion; it must be the customer's.
        if let text {
            let position = try position(text, brand, call)
            guard position.consumer == customer?.key ?? ConsumerKey(0) else { throw Problem.deadSyncToken }
        }
        if let customer, !names.isEmpty {
            let known = names.compactMap { InboxItemID($0) }
            try await call.read { store throws(StorageError) in
                try await store.markInboxRead(brand: brand.id, consumer: customer.id, ids: known)
            }
        }
        return BloomreachRoutes.success
    }

    /// Returns the in-app messages for a customer and its device; parameters of the query are ignored (R136).
    static func inApp(_ call: Call) async throws -> Response {
        let brand = try call.requireAPIKey()
        let body = try await call.object(ofAnyType: true)
        var checks = FieldChecks()
        let ids = checks.customerIDs(body["customer_ids"], isRequired: true)
        let device = checks.text(body["device"])
        let known = try checks.finish(ids)
        let platform = device.flatMap { DevicePlatform(word: $0.utf8.count <= 16 ? $0.asciiLowercased : "") }
        let all = try await call.read { store throws(StorageError) in
            try await store.inAppMessages(brand: brand.id)
        }
        var data = CustomerData()
        if all.contains(where: { $0.consentCategory != nil }) {
            data = try await call.customer(known, nil, of: brand)?.data ?? data
        }
        let now = call.services.clock.now
        let eligible = all.filter { message in
            let isForOthers = platform.map { !message.platforms.contains($0) } ?? false
            if !message.platforms.isEmpty, isForOthers { return false }
            guard let category = message.consentCategory else { return true }
            return data.allows(brand.settings.requirement(of: category), at: now)
        }
        return ResponseFactory.object(.ok, capacity: 64 + eligible.count * 2048) { writer in
            writer.member("success", true)
            writer.array("data", eligible) { writer, message in
                writer.literal("{")
                writer.member("id", message.id.rawValue)
                // Its own members follow; it is an object with some.
                writer.literal(",")
                writer.raw(String(Substring(message.message.text.utf8.dropFirst())))
            }
        }
    }

    // MARK: Sync tokens

    private static func syncToken(_ position: InboxPosition, _ brand: Brand, _ call: Call) -> String {
        let place = "\(position.consumer.rawValue).\(position.change)"
        return call.services.cursors.seal(place, of: "app inbox of \(brand.id)")
    }

    private static func position(_ text: String, _ brand: Brand, _ call: Call) throws(Problem) -> InboxPosition {
        let place = call.services.cursors.open(text, of: "app inbox of \(brand.id)")
        let parts = place?.byteSplit(".").compactMap { Int64($0) } ?? []
        guard parts.count == 2 else { throw .deadSyncToken }
        return InboxPosition(consumer: ConsumerKey(parts[0]), change: parts[1])
    }
}

extension BrandSettings {
    /// Returns the requirement of a category; nobody consents to one that the brand does not have.
    func requirement(of category: String) -> ConsentRequirement {
        ConsentRequirement(
            category: category,
            isAssumed: consentCategory(category)?.legitimateInterest ?? false
        )
    }
}

extension Problem {
    /// The error for a sync token after which a full fetch is necessary.
    fileprivate static let deadSyncToken = Problem(.gone, "The sync token is not, or no longer, valid.")
}

extension JSONWriter {
    /// Appends a member with a time in seconds since 1970 with a fraction.
    fileprivate mutating func seconds(_ name: StaticString, _ time: Timestamp) {
        self.name(known: name)
        integer(time.milliseconds / 1000)
        let fraction = String(1000 + time.milliseconds % 1000)
        raw(".\(fraction.dropFirst())")
    }
}
