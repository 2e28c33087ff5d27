internal import Delivery
internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import NIOCore
internal import TextFormats

/// gorush's `POST /api/push` (ComingFromGorush page).
///
/// A notification is a message of each consumer who has one of its tokens, and a push to each token.
enum GorushRoutes {
    /// gorush's own default.
    private static let maxNotifications = 100

    static let path = "/api/push"

    static func add(to routes: inout RouteTable) {
        routes.on(.post, path, errors: .gorush) { call in
            let (brand, _) = try await call.requireAccount(.eventsWrite)
            guard brand.settings.wire.gorush else { throw Problem.notFound("resource") }
            let body = try await object(call)
            let targets = try targets(in: body, now: call.services.clock.now)
            return try await call.once(body, .replayed) { try await send(targets, brand, call) }
        }
    }

    /// Returns the messages of a request whose pushes are one piece; nil for other requests.
    static func submission(_ call: Call, _ body: ByteBuffer) throws(Problem) -> EventSubmission? {
        guard call.request.headers.value(.idempotencyKey) == nil, let (caller, brand) = call.knownAccount(.eventsWrite),
            brand.settings.wire.gorush
        else { return nil }
        let targets = try targets(in: try call.object(in: body, ofAnyType: true), now: call.services.clock.now)
        guard targets.count <= EventPieces.pieceEvents else { return nil }
        let piece = GorushPiece(targets[...], brand: brand.id, call.services.directory)
        return EventSubmission(caller: caller, brand: brand, events: piece.events) { _, results in
            (.ok, response(to: targets.count, logs: piece.failures(results)))
        }
    }

    /// Queues the pushes; throws `Problem` 503 when none was queued because there is no room.
    private static func send(_ targets: [GorushTarget], _ brand: Brand, _ call: Call) async throws -> Response {
        var intake = EventIntake(call, brand: brand)
        var logs: [UInt8] = []
        for start in stride(from: 0, to: targets.count, by: EventPieces.pieceEvents) {
            let part = targets[start..<min(start + EventPieces.pieceEvents, targets.count)]
            let piece = GorushPiece(part, brand: brand.id, call.services.directory)
            let failures = piece.failures(try await intake.take(piece.events))
            if !logs.isEmpty, !failures.isEmpty { logs.append(UInt8(ascii: ",")) }
            logs += failures
        }
        return ResponseFactory.json(.ok, response(to: targets.count, logs: logs))
    }

    private static func response(to count: Int, logs: [UInt8]) -> ByteBuffer {
        var writer = JSONWriter(capacity: logs.count + 64)
        writer.literal("{")
        writer.member("success", "ok")
        writer.member("counts", Int64(count))
        writer.literal(#","logs":["#)
        writer.raw(logs)
        writer.literal("]}")
        return ByteBuffer(bytes: writer.bytes)
    }

    /// Reads the body, whatever its `Content-Type`; gorush has one error for all that it cannot read.
    private static func object(_ call: Call) async throws -> BodyObject {
        do { return try await call.object(ofAnyType: true) } catch let problem as Problem {
            throw problem.code == .invalidRequest && problem.status != 408 ? missing : problem
        }
    }

    private static func targets(in body: BodyObject, now: Timestamp) throws(Problem) -> [GorushTarget] {
        guard case .array(let items)? = body["notifications"].value else { throw missing }
        guard !items.isEmpty else { throw .unreadable("Notifications field is empty.") }
        guard items.count <= maxNotifications else {
            throw .unreadable("Number of notifications(\(items.count)) over limit(\(maxNotifications))")
        }
        var checks = FieldChecks()
        let place = body["notifications"].place
        let notifications = items.enumerated().compactMap { index, item in
            GorushNotification(BodyMember(at: .item(index, of: place), value: item), now: now, &checks)
        }
        try checks.finish()
        guard notifications.reduce(0, { $0 + $1.tokens.count }) <= EventPieces.maxEvents else {
            throw Problem(.payloadTooLarge, "A request must have at most \(EventPieces.maxEvents) tokens.")
        }
        return notifications.flatMap { notification in
            notification.tokens.map { GorushTarget(notification: notification, token: $0) }
        }
    }

    private static let missing = Problem.unreadable("Missing notifications field.")
}

/// A token of a notification.
private struct GorushTarget: Sendable {
    let notification: GorushNotification
    let token: String
}

/// Pushes of a request that are stored together.
private struct GorushPiece: Sendable {
    private let targets: ArraySlice<GorushTarget>
    /// The targets that have no event, by their places.
    private var unknown: Set<Int> = []
    /// The events of the other targets, in their order.
    private(set) var events: [AgentEvent] = []

    init(_ targets: ArraySlice<GorushTarget>, brand: BrandID, _ directory: Directory) {
        self.targets = targets
        var platform: GorushPlatform?
        var app: AppID?
        events.reserveCapacity(targets.count)
        for (place, target) in zip(targets.indices, targets) {
            // Usually one for all of them.
            if platform != target.notification.platform {
                platform = target.notification.platform
                app = target.notification.platform.app(of: brand, directory)
            }
            if let app, let platform, let token = platform.pushType.transport.tokenRule.normalised(target.token) {
                let name = AgentEvent.TokenName(text: token, pushType: platform.pushType, app: app)
                events.append(target.notification.event(for: name))
            } else {
                unknown.insert(place)
            }
        }
    }

    /// Returns the entries of `logs`.
    func failures(_ results: [IntakeResult]) -> [UInt8] {
        var (logs, next) = (JSONWriter(capacity: 0), results.startIndex)
        for (place, target) in zip(targets.indices, targets) {
            var result = IntakeResult.decided(.rejected(.unknownToken))
            if !unknown.contains(place) {
                result = results[next]
                next += 1
            }
            if case .decided(.rejected(.unknownToken)) = result {
                Self.write(target, "The token is not registered in the brand's only app of this platform.", to: &logs)
            } else if let problem = EventsResponse.problem(of: result) {
                Self.write(target, problem.detail, to: &logs)
            }
        }
        return logs.bytes
    }

    private static func write(_ target: GorushTarget, _ reason: String, to logs: inout JSONWriter) {
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

    /// Returns the brand's only app of the platform; nil when there is none, or more than one.
    func app(of brand: BrandID, _ directory: Directory) -> AppID? {
        var (own, fitting) = (OnlyApp(), OnlyApp())
        directory.visitApps(of: brand) { app in
            guard app.settings.supports(pushType) else { return }
            fitting.add(app.id)
            if app.settings.platform == devices { own.add(app.id) }
        }
        return own.count == 0 ? fitting.id : own.id
    }

    /// The app of a list, if it is the only one.
    private struct OnlyApp {
        private(set) var id: AppID?
        private(set) var count = 0

        mutating func add(_ app: AppID) {
            count += 1
            id = count == 1 ? app : nil
        }
    }
}

/// A notification as gorush takes it (https://github.com/appleboy/gorush, "Request body"); an empty text is the same as
/// none.
private final class GorushNotification: Sendable {
    let platform: GorushPlatform
    /// The tokens and, except for iOS, a topic and a condition: no device is registered with one of these.
    let tokens: [String]
    /// The caller's id.
    let id: String?
    private let message: String?
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
        self.message = message
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

    /// The begin of the message, as `logs` have it for each token.
    var shownMessage: String { String((message ?? "").unicodeScalars.prefix(100)) }

    /// Returns the event of the message, with a push for one device.
    func event(for token: AgentEvent.TokenName) -> AgentEvent {
        var event = event
        event.token = token
        return event
    }

    private static func tokens(
        _ object: BodyObject,
        _ platform: GorushPlatform,
        _ checks: inout FieldChecks
    ) -> [String] {
        let member = object["tokens"]
        let tokens = checks.texts(member, atMost: EventPieces.maxEvents) ?? []
        // iOS has its bundle id as `topic`.
        let names: [BoundedName] = platform == .ios ? ["to"] : ["to", "topic", "condition"]
        let others = names.map { object[$0] }.filter { !$0.isEmpty }
        if others.isEmpty, member.value?.items.isEmpty ?? true {
            checks.fail(member.pointer, "must not be nil or empty")
        }
        return tokens + others.compactMap { checks.text($0) }
    }

    private static func data(_ member: BodyMember, _ checks: inout FieldChecks) -> JSONText? {
        guard case .object? = member.value, let text = member.value?.sortedText else {
            _ = checks.object(member)
            return nil
        }
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
        guard case .object(let members)? = value, members.contains(where: { $0.value.text?.isEmpty ?? false }) else {
            return self
        }
        let kept = members.filter { !($0.value.text?.isEmpty ?? false) }
        return BodyMember(at: place, value: .object(StrictJSON.Members(kept)))
    }
}
