internal import GatewayModel
internal import GatewayStorage
internal import Hummingbird
internal import Identity
internal import TextFormats

/// The routes for apps with Bloomreach Engagement's SDK (ComingFromBloomreach page); a project is a brand (R129).
///
/// They read JSON whatever its `Content-Type`, ignore unknown members, and have Bloomreach's format of errors.
enum BloomreachRoutes {
    static func add(to routes: inout RouteTable) {
        let track = "/track/v2/projects/:brand"
        routes.on(.post, track + "/customers", errors: .bloomreach) { try await customers($0) }
        routes.on(.post, track + "/customers/events", errors: .bloomreach) { try await events($0) }
        routes.on(.post, track + "/campaigns/clicks", errors: .bloomreach) { try await clicks($0) }
        let data = "/data/v2/projects/:brand"
        routes.on(.post, data + "/customers/attributes", errors: .bloomreachAttributes) {
            try await BloomreachAttributes.read($0)
        }
        // The seeds say POST, and the SDK for iOS sends GET (R135).
        routes.on(.post, data + "/consent/categories", errors: .bloomreach) { try categories($0) }
        routes.on(.get, data + "/consent/categories", errors: .bloomreach) { try categories($0) }
        routes.on(.post, "/webxp/s/:brand/inappmessages", errors: .bloomreach) { try await BloomreachInbox.inApp($0) }
        let inbox = "/webxp/projects/:brand/appinbox"
        routes.on(.post, inbox + "/fetch", errors: .bloomreach) { try await BloomreachInbox.fetch($0) }
        routes.on(.post, inbox + "/markasread", errors: .bloomreach) { try await BloomreachInbox.markAsRead($0) }
        routes.on(.post, "/campaigns/send-self-check-notification", errors: .bloomreach) {
            try await BloomreachDevices.selfCheck($0)
        }
    }

    /// The response of everything that has no other.
    static let success = ResponseFactory.json(.ok, JSONWriter(success: true))

    // MARK: Tracking

    /// Changes properties of a customer (R131), and reads push tokens from those of earlier SDKs (R156).
    private static func customers(_ call: Call) async throws -> Response {
        let brand = try call.requireAPIKey()
        let body = try await call.object(ofAnyType: true)
        var checks = FieldChecks()
        let ids = checks.customerIDs(body["customer_ids"], isRequired: true)
        var properties = checks.object(body["properties"]).flatMap { _ in body["properties"].value?.members } ?? [:]
        _ = checks.seconds(body["timestamp"])
        let known = try checks.finish(ids)
        let devices = BloomreachDevices.takeTokens(from: &properties)
        var change = CustomerChange(brand: brand.id, ids: known)
        change.properties = properties
        let consumer = try await call.track(change)
        for device in devices { try await device.store(of: consumer, brand, call) }
        return success
    }

    /// Appends an event (R132): the gateway acts on push tokens and consents, and the outbound feed has the others.
    private static func events(_ call: Call) async throws -> Response {
        let brand = try call.requireAPIKey()
        let body = try await call.object(ofAnyType: true)
        var checks = FieldChecks()
        let ids = checks.customerIDs(body["customer_ids"], isRequired: true)
        let type = checks.line(body["event_type"], atMost: BloomreachEvent.maxTypeBytes, isRequired: true)
        let properties = checks.object(body["properties"]).flatMap { _ in body["properties"].value?.members } ?? [:]
        let now = call.services.clock.now
        let time = min(checks.seconds(body["timestamp"]) ?? now, now)
        var change = CustomerChange(brand: brand.id, consumer: nil)
        var device: BloomreachDevices.Tracked?
        if let type {
            switch BoundedName(type) {
            case "notification_state": device = BloomreachDevices.state(properties, &checks)
            case "consent": change.consents = BloomreachEvent.consent(properties, brand, at: time, &checks)
            default: break
            }
        }
        let (known, name) = try checks.finish(ids, type)
        change.name(known)
        guard let kept = BloomreachEvent.trackable(properties, of: name) else { return success }
        // The push token is a secret: the feed does not get it.
        if device == nil { change.event = try BloomreachEvent.event(name, kept, at: time) }
        let consumer = try await call.track(change)
        if let device { try await device.store(of: consumer, brand, call) }
        return success
    }

    /// Records a click on a link of a campaign, which may name no customer (R133).
    private static func clicks(_ call: Call) async throws -> Response {
        let brand = try call.requireAPIKey()
        let body = try await call.object(ofAnyType: true)
        var checks = FieldChecks()
        let ids = checks.customerIDs(body["customer_ids"])
        let url = checks.line(body["url"], atMost: BloomreachEvent.maxURLBytes, isRequired: true)
        let properties = checks.object(body["properties"]).flatMap { _ in body["properties"].value?.members } ?? [:]
        let now = call.services.clock.now
        let time = min(checks.seconds(body["timestamp"]) ?? now, now)
        let link = try checks.finish(url)
        var change = CustomerChange(brand: brand.id, ids: ids ?? CustomerIDs())
        let members = BloomreachEvent.click(on: link, properties)
        change.event = try BloomreachEvent.event("campaign_click", members, at: time)
        _ = try await call.track(change)
        return success
    }

    // MARK: Consent categories

    private static func categories(_ call: Call) throws -> Response {
        let brand = try call.requireAPIKey()
        return ResponseFactory.object(.ok, capacity: 1024) { writer in
            writer.member("success", true)
            writer.array("results", brand.settings.consentCategories) { writer, category in
                writer.literal("{")
                writer.member("id", category.id)
                writer.member("legitimate_interest", category.legitimateInterest)
                // Back-ends and apps set consents here.
                writer.literal(#","sources":{"crm":false,"import":false,"page":false,"private_api":true,"#)
                writer.literal(#""public_api":true,"scenario":false},"translations":{"#)
                for (language, texts) in category.translations.sorted(by: { $0.key < $1.key }) {
                    writer.name(language)
                    writer.literal("{")
                    writer.member("name", texts.name)
                    writer.member("description", orNull: texts.description)
                    writer.literal("}")
                }
                writer.literal("}}")
            }
        }
    }
}

extension JSONWriter {
    /// Writes `{"success":...}`.
    fileprivate init(success: Bool) {
        self.init(capacity: 32)
        literal("{")
        member("success", success)
        literal("}")
    }
}
