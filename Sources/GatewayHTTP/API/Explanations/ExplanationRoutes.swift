internal import Delivery
internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// Explains for each device of a consumer why a message was pushed, or why it was not (Deliveries page).
enum ExplanationRoutes {
    /// The times before the given one, in seconds, in which the last message is searched, one after the other.
    private static let lookBackSeconds: [Int64] = [60, 3600, 86_400]
    /// The number of messages that are read at once, and how often at most.
    private static let (messagesPerRead, maxReads) = (50, 10)
    /// The maximum number of a message's deliveries that are explained: more than a consumer has devices.
    private static let maxDeliveries = 500

    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/brands/:brand/consumers/:consumer/explain") { try await explain($0) }
    }

    private static func explain(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let id = try call.identifier("consumer", as: ConsumerID.self)
        let parameters = try call.query()
        var checks = FieldChecks()
        let wanted = checks.collect { () throws(Problem) in
            try parameters.text("message").map { text throws(Problem) in
                guard let id = MessageID(text) else { throw Problem(invalid: "/message", "must be a UUID") }
                return id
            }
        }
        let at = checks.collect { () throws(Problem) in try parameters.moment("at") }
        if wanted != nil, at != nil { checks.fail("/at", "must not be given with a message") }
        try checks.finish()
        guard let consumer = try await call.consumer(id, of: brand.id) else { throw Problem.notFound("consumer") }
        let message: Message?
        if let wanted {
            message = try await find(wanted, of: consumer.id, brand.id, call)
            if message == nil { throw Problem.notFound("message") }
        } else {
            message = try await last(at ?? call.services.clock.now, of: consumer.id, brand.id, call)
        }
        let devices = try await devices(of: consumer, message, brand, call)
        return ResponseFactory.object(.ok, capacity: 512 + devices.count * 384) { writer in
            writer.explanation(devices, message, consumer.id, brand.id)
        }
    }

    /// Explains a delivery; nil when its consumer or its message is not stored.
    static func explanation(
        of record: DeliveryRecord,
        _ brand: Brand,
        _ call: Call
    ) async throws(Problem) -> DeviceExplanation? {
        guard let id = record.messageID, let consumer = try await call.consumer(record.consumer, of: brand.id),
            let message = try await find(id, of: consumer.id, brand.id, call)
        else { return nil }
        return try await devices(of: consumer, message, brand, call).first { $0.delivery == record.id }
    }

    // MARK: The message

    private static func find(
        _ id: MessageID,
        of consumer: ConsumerID,
        _ brand: BrandID,
        _ call: Call
    ) async throws(Problem) -> Message? {
        let found = try await call.read { store throws(StorageError) in try await store.message(id, of: brand) }
        return found.flatMap { $0.consumer == consumer && $0.kind != .consumer ? $0 : nil }
    }

    /// Returns the last message to a consumer that was accepted at a time or in the day before it.
    private static func last(
        _ at: Timestamp,
        of consumer: ConsumerID,
        _ brand: BrandID,
        _ call: Call
    ) async throws(Problem) -> Message? {
        for seconds in lookBackSeconds {
            let start = max(at.milliseconds - seconds * 1000, 0)
            // The first half of a message's id begins with its time.
            guard start < 1 << 47 else { return nil }
            var after = MessageID(high: UInt64(start) << 16, low: 0)
            var last: Message?
            for _ in 0..<maxReads {
                let page = try await messages(after: after, limit: messagesPerRead, of: consumer, brand, call)
                last = page.last { $0.acceptedAt <= at && $0.kind != .consumer } ?? last
                guard page.count == messagesPerRead, let end = page.last, end.acceptedAt <= at else { break }
                after = end.id
            }
            if let last { return last }
        }
        return nil
    }

    private static func messages(
        after: MessageID,
        limit: Int,
        of consumer: ConsumerID,
        _ brand: BrandID,
        _ call: Call
    ) async throws(Problem) -> [Message] {
        try await call.read { store throws(StorageError) in
            try await store.messages(
                brand: brand,
                consumer: consumer,
                conversation: nil,
                afterSequence: 0,
                after: after,
                limit: limit
            )
        } ?? []
    }

    // MARK: The devices

    private static func devices(
        of consumer: StoredConsumer,
        _ message: Message?,
        _ brand: Brand,
        _ call: Call
    ) async throws(Problem) -> [DeviceExplanation] {
        let registrations = try await call.read { store throws(StorageError) in
            try await store.registrations(brand: brand.id, consumer: consumer.id)
        }
        guard let message else { return registrations.map { DeviceExplanation($0, nil) } }
        var query = DeliveryQuery(brand: brand.id, limit: maxDeliveries)
        query.consumer = consumer.id
        query.message = message.id
        let wanted = query
        let page = try await call.read { store throws(StorageError) in try await store.deliveries(wanted) }
        let reports = try await reports(of: registrations, call, brand.id)
        let now = call.services.clock.now
        // The page is newest first; devices are listed in the order of their deliveries.
        var devices = page.items.reversed().map { record in
            DeviceExplanation(record, message) { record in
                let registration = registrations.first { $0.device == record.device && $0.app == record.app }
                let traits = DeviceTraits(
                    locale: registration?.locale,
                    timeZone: registration?.timeZone,
                    quietHours: consumer.quietHours
                )
                let rules = LaneRules(brand.settings)
                let report = registration.flatMap { reports[$0.lane] }
                return DeviceExplanation.Wait(
                    quietUntil: message.silent ? nil : DeliveryMachine.heldUntil(traits, rules, now: now),
                    lane: report.flatMap { [.idle, .sending].contains($0.status.state) ? nil : $0.sentence },
                    pushesPerSecond: report?.lane.pushesPerSecond
                )
            }
        }
        for registration in registrations
        where !devices.contains(where: { $0.device == registration.device && $0.app == registration.app }) {
            devices.append(DeviceExplanation(registration, message))
        }
        return devices
    }

    /// Returns the lanes of registrations.
    private static func reports(
        of registrations: [DeviceRegistration],
        _ call: Call,
        _ brand: BrandID
    ) async throws(Problem) -> [LaneID: LaneReport] {
        let ids = Set(registrations.map(\.lane))
        let lanes = call.services.directory.lanes(of: brand).filter { ids.contains($0.id) }
        let now = call.services.clock.now
        let found = zip(lanes, call.services.delivery.status(of: lanes.map(\.id))).map { lane, status in
            LaneReport(lane, status, LaneDepth(), now: now)
        }
        return Dictionary(uniqueKeysWithValues: found.map { ($0.lane.id, $0) })
    }
}

extension JSONWriter {
    /// Appends the result for a device, without the braces.
    mutating func explanationMembers(_ device: DeviceExplanation) {
        member("outcome", device.outcome.rawValue)
        member("code", device.code.rawValue)
        member("sentence", device.sentence)
    }

    /// Appends the explanation of all devices, with a summary, without the braces.
    fileprivate mutating func explanation(
        _ devices: [DeviceExplanation],
        _ message: Message?,
        _ consumer: ConsumerID,
        _ brand: BrandID
    ) {
        member("consumer", consumer.rawValue)
        name(known: "message")
        if let message {
            literal(#"{"id":"#)
            identifier(orNull: message.id)
            member("kind", message.kind.rawValue)
            member("conversation", message.conversation.rawValue)
            member("acceptedAt", message.acceptedAt)
            member("silent", message.silent)
            literal("}")
        } else {
            literal("null")
        }
        let pushed = devices.count { $0.outcome == .pushed }
        if message == nil {
            member("code", "no_message")
            member("sentence", "No message to the consumer was accepted at that time or in the day before it.")
        } else if devices.isEmpty {
            member("code", "no_registration")
            member("sentence", "The consumer has no registered device.")
        } else if pushed > 0 {
            member("code", "pushed")
            member("sentence", "The message was pushed to \(pushed) of \(devices.count) devices.")
        } else if devices.contains(where: { $0.outcome == .waiting }) {
            member("code", "waiting")
            member("sentence", "The push waits.")
        } else {
            member("code", "not_pushed")
            member("sentence", "The message was pushed to no device.")
        }
        array("devices", devices) { writer, device in
            writer.literal("{")
            writer.member("deviceId", device.device.rawValue)
            writer.member("app", device.app.rawValue)
            writer.member("provider", device.provider.rawValue)
            writer.explanationMembers(device)
            writer.member("delivery", orNull: device.delivery?.description)
            writer.member("url", orNull: device.delivery.map { "/v1/brands/\(brand)/deliveries/\($0)" })
            writer.literal("}")
        }
    }
}
