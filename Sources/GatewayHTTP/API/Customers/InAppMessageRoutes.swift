internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// A brand's in-app messages, for back-ends (ComingFromBloomreach page).
enum InAppMessageRoutes {
    /// The maximum length of a message, in bytes.
    private static let maxMessageBytes = 65_536

    private enum Kind: String, CaseIterable {
        case modal, alert, fullscreen, freeform
        case slideIn = "slide_in"
    }

    private enum Frequency: String, CaseIterable {
        case always
        case onlyOnce = "only_once"
        case oncePerVisit = "once_per_visit"
        case untilVisitorInteracts = "until_visitor_interacts"
    }

    static func add(to routes: inout RouteTable) {
        let path = "/v1/brands/:brand/in-app-messages"
        routes.on(.get, path) { try await list($0) }
        routes.on(.put, path + "/:inAppMessage") { try await put($0) }
        routes.on(.delete, path + "/:inAppMessage") { try await delete($0) }
    }

    private static func list(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let page = try call.page()
        let all = try await call.read { store throws(StorageError) in
            try await store.inAppMessages(brand: brand.id)
        }
        let (items, next) = page.page(of: all) { $0.id.rawValue }
        return ResponseFactory.page(items, next: next) { $0.inAppMessage($1) }
    }

    private static func put(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let id = try call.identifier("inAppMessage", as: InAppMessageID.self)
        let body = try await call.object()
        var checks = FieldChecks()
        let text = checks.raw("message", of: body, atMost: maxMessageBytes, isRequired: true)
        // The other members are for the app.
        if let message = checks.object(body["message"]) {
            _ = checks.line(message["name"], atMost: 256, isRequired: true)
            _ = checks.word(message["message_type"], as: Kind.self, isRequired: true)
            _ = checks.word(message["frequency"], as: Frequency.self, isRequired: true)
            _ = checks.object(message["trigger"], isRequired: true)
            if message["id"].isNamed { checks.fail("/message/id", "must be absent: it is that of the path") }
        }
        var platforms: [DevicePlatform] = []
        for item in checks.items(body["platforms"], atMost: DevicePlatform.allCases.count) ?? [] {
            let platform = checks.word(item, as: DevicePlatform.self, isRequired: true)
            if let platform { platforms.append(platform) }
        }
        let category = checks.text(body["consentCategory"])
        if let category, brand.settings.consentCategory(category) == nil {
            checks.fail("/consentCategory", "is not a consent category of the brand")
        }
        checks.rejectOthers(in: body, than: ["message", "platforms", "consentCategory"])
        let object = try checks.finish(text)
        let message = InAppMessage(id: id, message: object, platforms: platforms, consentCategory: category)
        let audit = try call.auditEntry(.inAppMessageChanged, brand: brand.id, target: id.rawValue)
        let result = try await call.read { store throws(StorageError) in
            try await store.putInAppMessage(brand: brand.id, message, audit: audit)
        }
        return try CustomerRoutes.response(to: result, of: "brand", atMost: InAppMessage.perBrand) {
            $0.inAppMessage(message)
        }
    }

    private static func delete(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let id = try call.identifier("inAppMessage", as: InAppMessageID.self)
        let audit = try call.auditEntry(.inAppMessageDeleted, brand: brand.id, target: id.rawValue)
        _ = try await call.read { store throws(StorageError) in
            try await store.deleteInAppMessage(brand: brand.id, id: id, audit: audit)
        }
        return ResponseFactory.noContent
    }
}

extension JSONWriter {
    /// Appends an in-app message.
    fileprivate mutating func inAppMessage(_ message: InAppMessage) {
        literal("{")
        member("id", message.id.rawValue)
        array("platforms", message.platforms) { $0.string($1.rawValue) }
        member("consentCategory", orNull: message.consentCategory)
        member("message", message.message)
        literal("}")
    }
}
