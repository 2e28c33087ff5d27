internal import FoundationEssentials
internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import PushPayloads
internal import PushProviders

/// Looking at a push before it is sent, and trying an app's credential on one device (`http-api.md` section 9).
enum ProbeRoutes {
    /// Self-checks at once, in all and of one brand: each opens a connection of its own to the provider.
    static let selfCheckLimit = 8
    static let selfCheckBrandLimit = 2

    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/brands/:brand/apps/:app/preview") { try await preview($0) }
        routes.on(.post, "/v1/brands/:brand/apps/:app/self-check") { try await selfCheck($0) }
    }

    private static func app(_ call: Call, _ brand: Brand) throws(Problem) -> DirectoryApp {
        guard let app = call.services.directory.app(brand: brand.id, app: try call.appID()) else {
            throw Problem.notFound("app")
        }
        return app
    }

    // MARK: Preview

    private struct PreviewBody: Decodable {
        /// Read by the reader of events, from the text as it came.
        struct Event: Decodable {}

        var event: Event
        var pushType: String
        var locale: String?
    }

    private static func preview(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let app = try app(call, brand)
        let (body, text) = try await call.decodeWithText(PreviewBody.self)
        var checks = FieldChecks()
        let pushType = checks.word(body.pushType, "/pushType", as: PushType.self)
        if let pushType, !app.settings.supports(pushType) {
            checks.fail("/pushType", "is one that the app has no credential for")
        }
        // Texts are sent as they come: no language is chosen by this version.
        _ = checks.line(body.locale, "/locale", atMost: 64)
        let event = try event(text, call, &checks)
        try checks.finish()
        guard let pushType, let event else { throw Problem(invalid: "/event", "is not an event") }
        let job = try await job(event, pushType, app, brand, call)
        do {
            let preview = try PushPreview(
                of: job,
                lane: LaneKey(brand: brand.id, app: app.id, pushType: pushType, environment: .production),
                app: app.settings,
                brand: brand,
                now: call.services.clock.now
            )
            return Answer.json(.ok, PreviewAnswer.write(preview, job: job, brand: brand))
        } catch { throw Problem(.conflict, "The app's settings cannot be used: \(error.pointer) \(error.detail).") }
    }

    /// Reads the event as the events route does.
    private static func event(_ text: [UInt8], _ call: Call, _ checks: inout FieldChecks) throws -> AgentEvent? {
        let batch = try text.withUnsafeBufferPointer { text in
            guard let range = RawMember.value("event", of: text) else { return EventBatch(isBatch: false) }
            return try call.services.events.read(
                UnsafeBufferPointer(rebasing: text[range]),
                readable: range.count,
                format: .json,
                now: call.services.clock.now
            )
        }
        for refusal in batch.refused {
            for error in refusal.problem.errors { checks.fail("/event" + error.pointer, error.detail) }
            if refusal.problem.errors.isEmpty { checks.fail("/event", refusal.problem.detail) }
        }
        guard let event = batch.events.first else { return nil }
        guard event.type == .agentMessage || event.type == .proactiveMessage else {
            checks.fail("/event/type", "must be one that makes a push: agent.message or proactive.message")
            return nil
        }
        return event
    }

    /// The push as a lane would hand it over now: with the consumer's unread count, for a device of no consumer's.
    private static func job(
        _ event: AgentEvent,
        _ pushType: PushType,
        _ app: DirectoryApp,
        _ brand: Brand,
        _ call: Call
    ) async throws(Problem) -> PushJob {
        let now = call.services.clock.now
        var ids = MessageIDGenerator()
        let id = ids.next(at: now)
        let unread = try await call.read { store throws(StorageError) in
            try await store.unread(brand: brand.id, consumer: event.consumer).total
        }
        let counts = event.kind == .agent && !event.silent
        let message = Message(
            PostedEvent(event, id),
            brand: brand.id,
            conversation: event.conversation ?? ConversationID(trusted: id.description),
            sequence: 1,
            acceptedAt: now,
            expiresAt: now.adding(seconds: event.ttlSeconds ?? brand.settings.messageTtlSeconds)
        )
        return PushJob(
            delivery: DeliveryID(0),
            registration: RegistrationID(0),
            token: PreviewAnswer.token,
            platform: pushType == .apns ? .ios : app.settings.platform,
            message: message,
            badge: event.silent ? nil : unread + (counts ? 1 : 0),
            expiresAt: message.expiresAt
        )
    }

    // MARK: Self-check

    private struct SelfCheckBody: Decodable {
        var token: String
        var pushType: String
        var environment: String?
    }

    private static func selfCheck(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let app = try app(call, brand)
        let body = try await call.decode(SelfCheckBody.self)
        var checks = FieldChecks()
        let pushType = checks.word(body.pushType, "/pushType", as: PushType.self)
        var token: String?
        if let pushType {
            token = DeviceToken.normalised(body.token, for: pushType)
            if token == nil { checks.fail("/token", DeviceToken.rule(for: pushType)) }
            if !app.settings.supports(pushType) {
                checks.fail("/pushType", "is one that the app has no credential for")
            }
        }
        let environment = checks.word(body.environment, "/environment", as: PushEnvironment.self) ?? .production
        try checks.finish()
        guard let pushType, let token else { throw Problem(invalid: "/token", "is not a token") }
        guard let slot = call.services.selfChecks.take(brand.id.rawValue) else {
            throw Problem(.overloaded, "Too many self-checks are running.", retryAfterSeconds: 10)
        }
        let check = SelfCheck(
            lane: LaneKey(
                brand: brand.id,
                app: app.id,
                pushType: pushType,
                // Only APNs has two worlds.
                environment: pushType == .apns ? environment : .production
            ),
            app: app.settings,
            brand: brand,
            clock: call.services.clock
        )
        do {
            let result = try await check.run(token: token, makeProvider: call.services.makeProvider)
            withExtendedLifetime(slot) {}
            var writer = JSONWriter(capacity: 512)
            writer.selfCheck(result)
            return Answer.json(.ok, writer)
        } catch { throw Problem(.conflict, "The app's settings cannot be used: \(error.pointer) \(error.detail).") }
    }
}
