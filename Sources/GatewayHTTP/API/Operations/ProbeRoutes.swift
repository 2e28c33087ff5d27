internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import NIOCore
internal import PushProviders
internal import TextFormats

/// The preview of a push, and the self-check of an app's credential on one device (BrandsAndApps page).
enum ProbeRoutes {
    /// The maximum number of self-checks, in total and per brand: each opens its own connection to the provider.
    static let selfCheckLimit = 8
    static let selfCheckBrandLimit = 2

    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/brands/:brand/apps/:app/preview") { try await preview($0) }
        routes.on(.post, "/v1/brands/:brand/apps/:app/self-check") { try await selfCheck($0) }
    }

    private static func app(_ id: AppID, _ call: Call, _ brand: Brand) async throws(Problem) -> DirectoryApp {
        let app = try await call.administer { directory throws(DirectoryError) in
            try await directory.openApp(brand: brand.id, app: id)
        }
        guard let app else { throw Problem.notFound("app") }
        if let problem = app.openingProblem { throw unusable(problem.pointer, problem.detail) }
        return app
    }

    private static func unusable(_ pointer: String, _ detail: String) -> Problem {
        Problem(.conflict, "The app's settings cannot be used: \(pointer) \(detail).")
    }

    // MARK: Preview

    private static func preview(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.deliveriesRead)
        let app = try await app(try call.appID(), call, brand)
        let body = try await call.object()
        var checks = FieldChecks()
        let pushType = checks.word(body["pushType"], as: PushType.self, isRequired: true)
        if let pushType { checks.checkCredential(for: pushType, of: app.settings, at: "/pushType") }
        let locale = checks.line(body["locale"], atMost: 64)
        let event = try event(body, call, &checks)
        let (transport, posted) = try checks.finish(pushType, event)
        let job = try await job(posted, transport, locale, app, brand, call)
        // What is shown is the caller's own.
        call.context.notes.hidesTexts = false
        let now = call.services.clock.now
        // The app's keys are parsed for it.
        let made = try await call.administer { directory throws(DirectoryError) in
            try await directory.keyWork.run(of: brand.id) {
                Result { () throws(PushCredentialError) in
                    try PushPreview(
                        of: job,
                        lane: LaneKey(brand: brand.id, app: app.id, pushType: transport, environment: .production),
                        app: call.services.directory.settingsInForce(of: app),
                        brand: brand,
                        now: now
                    )
                }
            }
        }
        do {
            let preview = try made.get()
            return ResponseFactory.json(.ok, PreviewResponse.write(preview, job: job, brand: brand))
        } catch { throw unusable(error.pointer, error.detail) }
    }

    /// Parses the event as the events route does, from its raw text.
    private static func event(
        _ body: BodyObject,
        _ call: Call,
        _ checks: inout FieldChecks
    ) throws(Problem) -> AgentEvent? {
        guard checks.object(body["event"], isRequired: true) != nil else { return nil }
        let range = body.text.withUnsafeBufferPointer { RawMember.value("event", of: $0) }
        guard let range else {
            checks.fail("/event", "must be named without escapes")
            return nil
        }
        let text = ByteBuffer(bytes: body.text[range])
        var pieces = try call.services.events.open(text, format: .json, now: call.services.clock.now)
        let batch = try pieces.next()
        for rejection in batch?.refused ?? [] {
            for error in rejection.problem.errors { checks.fail("/event" + error.pointer, error.detail) }
            if rejection.problem.errors.isEmpty { checks.fail("/event", rejection.problem.detail) }
        }
        guard let event = batch?.events.first else { return nil }
        guard event.type == .agentMessage || event.type == .proactiveMessage else {
            checks.fail("/event/type", "must be a type with a push: agent.message or proactive.message")
            return nil
        }
        return event
    }

    /// Creates the push as a lane would send it now: with the consumer's unread count, for a device of no consumer.
    private static func job(
        _ event: AgentEvent,
        _ pushType: PushType,
        _ locale: String?,
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
            token: PreviewResponse.token,
            platform: app.settings.defaultPlatform(for: pushType),
            locale: locale,
            message: message,
            badge: event.silent ? nil : unread + (message.countsAsUnread ? 1 : 0),
            expiresAt: message.expiresAt
        )
    }

    // MARK: Self-check

    private static func selfCheck(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let app = try await app(try call.appID(), call, brand)
        let body = try await call.object()
        var checks = FieldChecks()
        let (pushType, token) = checks.deviceToken(in: body, of: app.settings)
        let environment = checks.word(body["environment"], as: PushEnvironment.self) ?? .production
        let event = body["event"].isNamed ? try event(body, call, &checks) : nil
        let (valid, normalised) = try checks.finish(pushType, token)
        var push: PushJob?
        if let event { push = try await job(event, valid, nil, app, brand, call) }
        let isForAdmin = call.isForInstanceAdmin
        let result = try await selfCheck(
            app.id,
            brand,
            call,
            valid,
            environment,
            token: normalised,
            push: push,
            isForAdmin: isForAdmin
        ) { () async throws(Problem) in
            try await call.audit(.appSelfChecked, brand: brand.id, target: app.id.rawValue)
        }
        return ResponseFactory.json(.ok, capacity: 512) { $0.selfCheck(result) }
    }

    /// Sends a push by an app's credential, in one of the brand's slots.
    ///
    /// - Parameters:
    ///   - id: The app.
    ///   - brand: The brand.
    ///   - call: The request.
    ///   - pushType: The transport.
    ///   - environment: The environment, for a transport that has several.
    ///   - token: The token, normalised.
    ///   - push: The push; nil for a silent one.
    ///   - isForAdmin: Whether the caller gets all details.
    ///   - willRun: Called in the slot, before the push.
    /// - Returns: The result.
    /// - Throws: `Problem`: 503 when too many are running, 409 when the app's settings cannot be used.
    static func selfCheck(
        _ id: AppID,
        _ brand: Brand,
        _ call: Call,
        _ pushType: PushType,
        _ environment: PushEnvironment,
        token: String,
        push: PushJob? = nil,
        isForAdmin: Bool = false,
        willRun: () async throws(Problem) -> Void
    ) async throws(Problem) -> SelfCheck.Result {
        let app = try await app(id, call, brand)
        guard let slot = call.services.selfChecks.take(brand.id.rawValue) else {
            throw Problem(.overloaded, "Too many self-checks are running.", retryAfterSeconds: 10)
        }
        try await willRun()
        let check = SelfCheck(
            lane: LaneKey(
                brand: brand.id,
                app: app.id,
                pushType: pushType,
                environment: pushType.transport.environment(environment)
            ),
            app: app.settings,
            brand: brand,
            clock: call.services.clock,
            isForAdmin: isForAdmin,
            push: push
        )
        do {
            let result = try await check.run(token: token, makeProvider: call.services.makeProvider)
            withExtendedLifetime(slot) {}
            return result
        } catch { throw unusable(error.pointer, error.detail) }
    }
}
