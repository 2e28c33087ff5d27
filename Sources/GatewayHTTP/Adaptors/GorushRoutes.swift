internal import Delivery
internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// gorush's `POST /api/push` (ComingFromGorush page).
///
/// A notification is a message of each consumer who has one of its tokens, and a push to each token.
enum GorushRoutes {
    /// gorush's own default.
    private static let maxNotifications = 100

    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/api/push", errors: .gorush) { call in
            let (brand, _) = try await call.requireAccount(.eventsWrite)
            guard brand.settings.wire.gorush else { throw Problem.notFound("resource") }
            let body = try await object(call)
            let notifications = try notifications(in: body, now: call.services.clock.now)
            return try await call.once(body, .replayed) {
                var push = GorushPush(call, brand)
                return try await push.send(notifications)
            }
        }
    }

    /// Reads the body, whatever its `Content-Type`; gorush has one error for all that it cannot read.
    private static func object(_ call: Call) async throws -> BodyObject {
        do { return try await call.object(ofAnyType: true) } catch let problem as Problem {
            throw problem.code == .invalidRequest && problem.status != 408 ? missing : problem
        }
    }

    private static func notifications(in body: BodyObject, now: Timestamp) throws(Problem) -> [GorushNotification] {
        guard case .array(let items)? = body["notifications"].value else { throw missing }
        guard !items.isEmpty else { throw .unreadable("Notifications field is empty.") }
        guard items.count <= maxNotifications else {
            throw .unreadable("Number of notifications(\(items.count)) over limit(\(maxNotifications))")
        }
        var checks = FieldChecks()
        let notifications = items.enumerated().compactMap { index, item in
            GorushNotification(BodyMember(pointer: "/notifications/\(index)", value: item), now: now, &checks)
        }
        try checks.finish()
        guard notifications.reduce(0, { $0 + $1.tokens.count }) <= EventPieces.maxEvents else {
            throw Problem(.payloadTooLarge, "A request must have at most \(EventPieces.maxEvents) tokens.")
        }
        return notifications
    }

    private static let missing = Problem.unreadable("Missing notifications field.")
}

/// The pushes of one request.
private struct GorushPush {
    /// A token of a notification.
    private struct Target {
        let notification: GorushNotification
        let token: String
    }

    private let call: Call
    private let brand: Brand
    private var intake: EventIntake
    /// The entries of `logs`.
    private var logs = JSONWriter(capacity: 256)

    init(_ call: Call, _ brand: Brand) {
        self.call = call
        self.brand = brand
        intake = EventIntake(delivery: call.services.delivery, brand: brand)
    }

    /// Queues the pushes; throws `Problem` 503 when none was queued because there is no room.
    mutating func send(_ notifications: [GorushNotification]) async throws -> Response {
        let targets = notifications.flatMap { notification in
            notification.tokens.map { Target(notification: notification, token: $0) }
        }
        for start in stride(from: 0, to: targets.count, by: EventPieces.pieceEvents) {
            try await send(targets[start..<min(start + EventPieces.pieceEvents, targets.count)])
        }
        return ResponseFactory.object(.ok, capacity: logs.bytes.count + 64) { writer in
            writer.member("success", "ok")
            writer.member("counts", Int64(targets.count))
            writer.literal(#","logs":["#)
            writer.raw(logs.bytes)
            writer.literal("]")
        }
    }

    private mutating func send(_ targets: ArraySlice<Target>) async throws {
        var registrations: [GorushPlatform: [[UInt8]: DeviceRegistration]] = [:]
        for platform in GorushPlatform.allCases {
            let tokens = targets.filter { $0.notification.platform == platform }
                .compactMap { platform.tokenRule.normalised($0.token) }
            registrations[platform] = try await self.registrations(tokens, platform)
        }
        var (events, sent) = ([AgentEvent](), [Target]())
        for target in targets {
            let platform = target.notification.platform
            let token = platform.tokenRule.normalised(target.token)
            guard let registration = token.flatMap({ registrations[platform]?[Array($0.utf8)] }) else {
                fail(target, "The token is not registered in the brand's only app of this platform.")
                continue
            }
            let event = target.notification.event(for: registration)
            let wanted: Receives = event.kind == .agent ? .agent : .proactive
            guard registration.state == .active, registration.receives.contains(wanted) else {
                fail(target, "The device does not receive such pushes.")
                continue
            }
            events.append(event)
            sent.append(target)
        }
        for (target, result) in zip(sent, try await intake.take(events)) {
            if let problem = EventsResponse.problem(of: result) { fail(target, problem.detail) }
        }
    }

    /// Returns the registrations with the tokens in the brand's only app of a platform, by token.
    private func registrations(
        _ tokens: [String],
        _ platform: GorushPlatform
    ) async throws -> [[UInt8]: DeviceRegistration] {
        let brand = brand.id
        let fitting = call.services.directory.apps(brand: brand).filter { $0.settings.supports(platform.pushType) }
        let own = fitting.filter { $0.settings.platform == platform.devices }
        let apps = own.isEmpty ? fitting : own
        guard !tokens.isEmpty, apps.count == 1, let app = apps.first?.id else { return [:] }
        let found = try await call.read { store throws(StorageError) in
            try await store.registrations(brand: brand, tokens: tokens, pushType: platform.pushType)
        }
        // A token that is named twice is found twice.
        return Dictionary(found.filter { $0.app == app }.map { (Array($0.token.utf8), $0) }) { $1 }
    }

    private mutating func fail(_ target: Target, _ reason: String) {
        if !logs.bytes.isEmpty { logs.literal(",") }
        logs.literal(#"{"type":"failed-push""#)
        logs.member("notif_id", target.notification.id)
        logs.member("platform", target.notification.platform.name)
        logs.member("token", target.token)
        logs.member("message", target.notification.shownMessage)
        logs.member("error", reason)
        logs.literal("}")
    }
}

/// gorush's `platform`.
private enum GorushPlatform: Int64, CaseIterable {
    case ios = 1
    case android
    case huawei

    /// The name in `logs`.
    var name: String { "\(self)" }
    var pushType: PushType {
        switch self {
        case .ios: .apns
        case .android: .fcm
        case .huawei: .huawei
        }
    }
    /// The platform of an app that is preferred, where several have the transport.
    var devices: DevicePlatform {
        switch self {
        case .ios: .ios
        case .android: .android
        case .huawei: .harmony
        }
    }
    var tokenRule: Transport.TokenRule { pushType.transport.tokenRule }
}

/// A notification as gorush takes it (https://github.com/appleboy/gorush, "Request body"); an empty text is the same as
/// none.
private struct GorushNotification {
    let platform: GorushPlatform
    /// The tokens and, except for iOS, a topic and a condition: no device is registered with one of these.
    let tokens: [String]
    /// The caller's id.
    let id: String?
    /// The begin of the message, as `logs` have it for each token.
    let shownMessage: String
    private let event: AgentEvent

    /// Reads a notification; nil when a member is invalid, which is recorded as an error.
    init?(_ member: BodyMember, now: Timestamp, _ checks: inout FieldChecks) {
        guard let object = checks.object(member.withoutEmptyTexts, isRequired: true) else { return nil }
        let number = checks.integer(object["platform"], in: 1...3, isRequired: true)
        guard let platform = number.flatMap({ GorushPlatform(rawValue: $0) }) else { return nil }
        self.platform = platform
        tokens = Self.tokens(object, platform, &checks)
        let alert = checks.object(object["alert"])
        let message = checks.content(object["message"], atMost: EventLimits.textBytes)
        shownMessage = String((message ?? "").unicodeScalars.prefix(100))
        let body = alert.flatMap { checks.content($0["body"], atMost: EventLimits.textBytes) }
        let title =
            checks.content(object["title"], atMost: EventLimits.titleBytes)
            ?? alert.flatMap { checks.content($0["title"], atMost: EventLimits.titleBytes) }
        let named = checks.identifier(object["notif_id"], as: EventID.self)
        id = named?.rawValue
        let conversation = checks.identifier(object["thread-id"], as: ConversationID.self)

        // Each token's registration has the consumer.
        var event = AgentEvent(
            id: named ?? EventID(trusted: AnonymousConsumer.newID()),
            type: conversation == nil ? .proactiveMessage : .agentMessage,
            consumer: ConsumerID(trusted: "")
        )
        event.source = "gorush"
        event.kind = conversation == nil ? .proactive : .agent
        event.conversation = conversation
        event.text = message ?? body ?? title ?? "\u{2026}"
        event.title = title
        event.silent = message == nil && body == nil && title == nil
        event.data = Self.data(object["data"], &checks)
        event.sound = Self.sound(object["sound"], &checks)
        event.category = checks.line(object["category"], atMost: EventLimits.nameBytes)
        let collapseKey = object[object["collapse_id"].isEmpty ? "collapse_key" : "collapse_id"]
        event.collapseKey = checks.line(collapseKey, atMost: EventLimits.collapseKeyBytes)
        if checks.text(object["priority"])?.hasSameBytes(as: "normal") ?? false { event.priority = .normal }
        let end = checks.integer(object["expiration"], in: 0...Int64.max)
        let lifetime = checks.integer(object["time_to_live"], in: 0...Int64.max) ?? end.map { max($0 - now.seconds, 0) }
        event.ttlSeconds = lifetime.map { min($0, EventLimits.ttlSeconds.upperBound) }
        self.event = event
    }

    /// Returns the event of the message, with a push for one registration.
    func event(for registration: DeviceRegistration) -> AgentEvent {
        var event = event
        event.consumer = registration.consumer
        event.registration = registration.id
        return event
    }

    private static func tokens(
        _ object: BodyObject,
        _ platform: GorushPlatform,
        _ checks: inout FieldChecks
    ) -> [String] {
        let items = checks.items(object["tokens"], atMost: EventPieces.maxEvents) ?? []
        // iOS has its bundle id as `topic`.
        let names: [BoundedName] = platform == .ios ? ["to"] : ["to", "topic", "condition"]
        let others = names.map { object[$0] }.filter { !$0.isEmpty }
        if items.isEmpty, others.isEmpty { checks.fail(object["tokens"].pointer, "must not be nil or empty") }
        return (items.map { checks.text($0, isRequired: true) } + others.map { checks.text($0) }).compactMap(\.self)
    }

    private static func data(_ member: BodyMember, _ checks: inout FieldChecks) -> JSONText? {
        guard checks.object(member) != nil, let value = member.value else { return nil }
        let text = value.sortedText
        guard text.count <= EventLimits.dataBytes else {
            checks.fail(member.pointer, "must be at most \(EventLimits.dataBytes) bytes")
            return nil
        }
        return JSONText(trusted: String(decoding: text, as: UTF8.self))
    }

    /// Reads the name of a sound, which may be in an object; everything else is ignored, as gorush ignores it.
    private static func sound(_ member: BodyMember, _ checks: inout FieldChecks) -> String? {
        switch member.value {
        case .string?: checks.line(member, atMost: EventLimits.nameBytes)
        case .object?: checks.object(member).flatMap { checks.line($0["name"], atMost: EventLimits.nameBytes) }
        default: nil
        }
    }
}

extension BodyMember {
    /// The object without members that are empty texts.
    fileprivate var withoutEmptyTexts: BodyMember {
        guard case .object(let members)? = value else { return self }
        let kept = members.filter { $0.value != .string("") }
        return BodyMember(pointer: pointer, value: .object(StrictJSON.Members(kept)))
    }
}
