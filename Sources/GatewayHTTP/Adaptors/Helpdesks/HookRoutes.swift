internal import FoundationEssentials
internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// Helpdesks' webhooks as operators manage them (Helpdesks page): secrets are stored but never returned.
enum HookRoutes {
    /// The maximum number of headers of a trial.
    private static let maxHeaders = 100

    static func add(to routes: inout RouteTable) {
        let path = "/v1/brands/:brand/hooks"
        routes.on(.get, path) { try await list($0) }
        routes.on(.put, path + "/:hook") { try await put($0) }
        routes.on(.get, path + "/:hook") { try await get($0) }
        routes.on(.delete, path + "/:hook") { try await delete($0) }
        routes.on(.get, path + "/:hook/reply") { try await reply($0) }
        routes.on(.post, path + "/:hook/try") { try await trial($0) }
    }

    private static func put(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let id = try call.identifier("hook", as: HookID.self)
        let body = try HookBody(try await call.object(), call.services.outbound.addresses)
        let origin = try call.origin()
        let (hook, old) = try await call.administer { directory throws(DirectoryError) in
            try await directory.putHook(
                brand: brand.id,
                id: id,
                settings: body.settings,
                hasPathSecret: body.hasPathSecret,
                by: origin
            ) { old throws(DirectoryError) in
                guard call.mayChange(old.map { EntityTag(of: text(of: $0)) }) else { throw .changed }
            }
        }
        let isMade = hook.settings.pathSecret != nil && old?.settings.pathSecret == nil
        var response = ResponseFactory.json(old == nil ? .created : .ok, capacity: 512) {
            $0.hook(hook, showsPathSecret: isMade)
        }
        response.headers[.eTag] = EntityTag(of: text(of: hook)).text
        return response
    }

    private static func get(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        return call.tagged(json: text(of: try hook(call, brand)))
    }

    private static func list(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let (items, next) = try call.page().page(of: call.services.directory.hooks(brand: brand.id)) { $0.id.rawValue }
        return ResponseFactory.page(items, next: next) { $0.hook($1) }
    }

    private static func delete(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let id = try hook(call, brand).id
        let origin = try call.origin()
        try await call.administer { directory throws(DirectoryError) in
            try await directory.deleteHook(brand: brand.id, id: id, by: origin)
        }
        return ResponseFactory.noContent
    }

    /// Returns how far the replies are, in the form of a webhook's state.
    private static func reply(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let hook = try hook(call, brand)
        let receiver = OutboundReceiver(brand: brand.id, hook: hook.id)
        let state = try await call.read { store throws(StorageError) in try await store.webhookState(of: receiver) }
        guard let state, let reply = hook.settings.reply else { throw Problem.notFound("reply") }
        return try await WebhookRoutes.response(call, brand.id, reply.url, state)
    }

    /// Returns the webhook of the path; throws `Problem` 404.
    private static func hook(_ call: Call, _ brand: Brand) throws(Problem) -> DirectoryHook {
        guard let id = HookID(try call.segment("hook")),
            let hook = call.services.directory.hook(brand: brand.id, id: id)
        else { throw .notFound("hook") }
        return hook
    }

    private static func text(of hook: DirectoryHook) -> Data {
        var writer = JSONWriter(capacity: 512)
        writer.hook(hook)
        return Data(writer.bytes)
    }

    // MARK: Trial

    /// Returns the event that a webhook would become; stores nothing.
    private static func trial(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let hook = try hook(call, brand)
        let object = try await call.object()
        var checks = FieldChecks()
        var headers: [BoundedName: String] = [:]
        if let given = checks.object(object["headers"]) {
            if given.names.count > maxHeaders { checks.fail("/headers", "must have at most \(maxHeaders) members") }
            for name in given.names.prefix(maxHeaders) {
                guard let value = checks.text(given[name], isRequired: true) else { continue }
                if let name = BoundedName(lowercasing: name.text) { headers[name] = value }
            }
        }
        checks.rejectOthers(in: object, than: ["headers", "body"])
        guard let value = object["body"].value else {
            checks.fail("/body", "is required")
            return try checks.finish(nil as Response?)
        }
        try checks.finish()
        // A text is the body byte for byte; only of that the signature can be verified.
        let bytes = value.text.map { Array($0.utf8) } ?? value.sortedText
        let incoming = IncomingHook(hook: hook, body: bytes) { [headers] name in
            BoundedName(name).flatMap { headers[$0] }
        }
        let signature = value.text == nil || hook.settings.secret == nil ? "not_checked" : signature(of: incoming, call)
        var event: [UInt8]?
        var (ignored, missing, errors): (HookIgnored?, [FieldProblem], [FieldProblem]) = (nil, [], [])
        do throws(Problem) {
            switch try incoming.translation() {
            case .ignored(let reason): ignored = reason
            case .event(let members, let absent):
                (event, missing) = (StrictJSON.object(members).sortedText, absent)
                let services = call.services
                _ = try incoming.event(members, missing: [], services.events, now: services.clock.now)
            }
        } catch {
            errors = error.errors.isEmpty ? [FieldProblem(pointer: "", detail: error.detail)] : error.errors
        }
        return ResponseFactory.object(.ok, capacity: 512) { writer in
            writer.member("signature", signature)
            writer.name(known: "event")
            if let event { writer.raw(event) } else { writer.literal("null") }
            writer.name(known: "ignored")
            if let ignored { writer.ignored(ignored) } else { writer.literal("null") }
            writer.fieldProblems("missing", missing)
            writer.fieldProblems("errors", errors)
        }
    }

    private static func signature(of incoming: IncomingHook, _ call: Call) -> String {
        do throws(HookSignature.Failure) {
            let signature = try HookSignature.read(incoming.hook.settings, key: incoming.hook.key, incoming.header)
            try signature?.verify(incoming.body, now: call.services.hostClock.now)
            return "valid"
        } catch { return error.rawValue }
    }
}

extension JSONWriter {
    /// Appends a webhook as operators may read it.
    ///
    /// - Parameters:
    ///   - hook: The webhook.
    ///   - showsPathSecret: Whether its path has the secret, which is shown only when it was made.
    fileprivate mutating func hook(_ hook: DirectoryHook, showsPathSecret: Bool = false) {
        literal("{")
        member("id", hook.id.rawValue)
        member("kind", hook.settings.kind.rawValue)
        let path = "/v1/hooks/\(hook.brand)/\(hook.id)"
        let secret = showsPathSecret ? hook.settings.pathSecret : nil
        member("path", path + (secret.map { "/" + $0 } ?? ""))
        member("pathSecret", hook.settings.pathSecret != nil)
        member("secretFingerprint", hook.secretFingerprint)
        member("signatureHeader", hook.settings.signatureHeader)
        if let mapping = hook.settings.mapping {
            name(known: "mapping")
            raw(mapping)
        }
        if let reply = hook.settings.reply {
            name(known: "reply")
            literal(#"{"url":"#)
            string(reply.url)
            member("accountId", reply.accountId)
            member("tokenFingerprint", SecretHash.fingerprint(reply.token))
            literal("}")
        }
        member("updatedAt", hook.updatedAt)
        literal("}")
    }

    /// Appends the reason why a webhook becomes no event.
    mutating func ignored(_ reason: HookIgnored) {
        literal("{")
        member("reason", reason.rawValue)
        member("detail", reason.detail)
        literal("}")
    }

    fileprivate mutating func fieldProblems(_ name: StaticString, _ problems: [FieldProblem]) {
        array(name, problems) { writer, problem in
            writer.literal("{")
            writer.member("pointer", problem.pointer)
            writer.member("detail", problem.detail)
            writer.literal("}")
        }
    }
}
