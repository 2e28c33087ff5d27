internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// The routes that helpdesks call: a webhook is authenticated by its signature or its path, and becomes an event of the
/// same intake as posted ones (Helpdesks page).
enum HookIntakeRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/hooks/:brand/:hook") { try await receive($0, nil) }
        routes.on(.post, "/v1/hooks/:brand/:hook/:pathSecret") { call in
            try await receive(call, try call.segment("pathSecret"))
        }
    }

    private static func receive(_ call: Call, _ pathSecret: String?) async throws -> Response {
        // Who tries secrets is slowed down before a body is read.
        try call.checkAddress()
        let (brand, incoming): (Brand, IncomingHook)
        do {
            (brand, incoming) = try await authenticated(call, pathSecret)
        } catch {
            if (error as? Problem)?.status == 401 { try call.limitAddress() }
            throw error
        }
        let caller = incoming.hook.caller
        call.context.notes.caller = .account(caller)
        call.context.notes.rate = try call.limiter.take(.account, caller.id)
        try call.count(for: brand.id)
        let piece: EventBatch
        switch try incoming.translation() {
        case .ignored(let reason):
            return ResponseFactory.object(.accepted, capacity: 192) { writer in
                writer.literal(#""accepted":0,"duplicates":0,"rejected":0,"results":[],"ignored":"#)
                writer.ignored(reason)
            }
        case .event(let members, let missing):
            piece = try incoming.event(StrictJSON.object(members).sortedText, missing: missing, call.services)
        }
        var intake = EventIntake(delivery: call.services.delivery, brand: brand)
        let results = try await intake.take(piece.events)
        var response = EventsResponse(requestID: call.requestID)
        try response.append(piece, results, isBatch: false)
        return ResponseFactory.json(.accepted, response.body)
    }

    /// Returns the webhook of the path with its body; an unknown one and a wrong secret are the same to the caller.
    private static func authenticated(_ call: Call, _ pathSecret: String?) async throws -> (Brand, IncomingHook) {
        guard let brandID = BrandID(try call.segment("brand")), let id = HookID(try call.segment("hook")),
            let brand = call.services.directory.brand(brandID),
            let hook = call.services.directory.hook(brand: brandID, id: id), hook.hasPathSecret(pathSecret)
        else { throw rejection }
        let headers = call.request.headers
        let header: (String) -> String? = { name in HTTPField.Name(name).flatMap { headers.value($0) } }
        let signature: HookSignature?
        do { signature = try HookSignature.read(hook.settings, header) } catch { throw rejection }
        let body = Array(try await call.body { _ in Call.maxBodyBytes }.readableBytesView)
        do throws(HookSignature.Failure) {
            try signature?.verify(body, now: call.services.hostClock.now)
        } catch {
            guard error == .expired else { throw rejection }
            throw Problem(.tokenExpired, "The webhook's time is more than five minutes from the present.")
        }
        return (brand, IncomingHook(hook: hook, body: body, header: header))
    }

    private static let rejection = Problem(
        .unauthorized,
        "There is no such hook, or the webhook's signature or path is missing or not valid."
    )
}
