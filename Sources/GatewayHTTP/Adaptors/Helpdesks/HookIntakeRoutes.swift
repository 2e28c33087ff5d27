internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import NIOCore
internal import TextFormats

/// The routes that helpdesks call: a webhook is authenticated by its signature or its path, and becomes an event of the
/// same intake as posted ones (Helpdesks page).
enum HookIntakeRoutes {
    static let path = "/v1/hooks/:brand/:hook"
    static let pathWithSecret = path + "/:pathSecret"

    static func add(to routes: inout RouteTable) {
        routes.on(.post, path) { try await receive($0, nil) }
        routes.on(.post, pathWithSecret) { call in try await receive(call, try call.segment("pathSecret")) }
    }

    /// Returns the event of a webhook, or none with the reason why; nil for other requests.
    static func submission(
        _ call: Call,
        _ pathSecret: String?,
        _ body: ByteBuffer
    ) throws(Problem) -> EventSubmission? {
        guard !call.isAddressLimited else { return nil }
        let sender = try Sender(call, pathSecret)
        return try submission(of: try sender.verified(Array(body.readableBytesView), call), sender.brand, call)
    }

    private static func receive(_ call: Call, _ pathSecret: String?) async throws -> Response {
        // Who tries secrets is slowed down before a body is read.
        try call.checkAddress()
        let (brand, incoming): (Brand, IncomingHook)
        do {
            let sender = try Sender(call, pathSecret)
            let body = Array(try await call.body { _ in Call.maxBodyBytes }.readableBytesView)
            (brand, incoming) = (sender.brand, try sender.verified(body, call))
        } catch {
            if (error as? Problem)?.status == 401 { try call.limitAddress() }
            throw error
        }
        try call.admit(.account(incoming.hook.caller), in: brand.id)
        return try await submission(of: incoming, brand, call).perform(call)
    }

    /// Translates a webhook; throws `Problem` 400, 413 and 422.
    private static func submission(
        of incoming: IncomingHook,
        _ brand: Brand,
        _ call: Call
    ) throws(Problem) -> EventSubmission {
        let caller = Caller.account(incoming.hook.caller)
        switch try incoming.translation() {
        case .ignored(let reason):
            return EventSubmission(caller: caller, brand: brand, events: []) { _, _ in
                var writer = JSONWriter(capacity: 192)
                writer.literal(#"{"accepted":0,"duplicates":0,"rejected":0,"results":[],"ignored":"#)
                writer.ignored(reason)
                writer.literal("}")
                return (.accepted, ByteBuffer(bytes: writer.bytes))
            }
        case .event(let members, let missing):
            let now = call.shared.services.clock.now
            let piece = try incoming.event(members, missing: missing, call.shared.services.events, now: now)
            return EventSubmission(caller: caller, brand: brand, piece)
        }
    }

    /// The webhook of a request's path, whose signature is not verified yet.
    private struct Sender {
        let brand: Brand
        private let hook: DirectoryHook
        private let signature: HookSignature?
        private let header: (String) -> String?

        /// Finds it; an unknown one and a wrong secret are the same to the caller: throws `Problem` 401.
        init(_ call: Call, _ pathSecret: String?) throws(Problem) {
            guard let brandID = BrandID(try call.segment("brand")), let id = HookID(try call.segment("hook")),
                let brand = call.services.directory.brand(brandID),
                let hook = call.services.directory.hook(brand: brandID, id: id), hook.hasPathSecret(pathSecret)
            else { throw rejection }
            (self.brand, self.hook) = (brand, hook)
            let headers = call.request.headers
            header = { headers.value(lowercase: $0) }
            do { signature = try HookSignature.read(hook.settings, key: hook.key, header) } catch { throw rejection }
        }

        /// Returns the webhook with its body when the signature is right; throws `Problem` 401.
        func verified(_ body: [UInt8], _ call: Call) throws(Problem) -> IncomingHook {
            do throws(HookSignature.Failure) {
                try signature?.verify(body, now: call.services.hostClock.now)
            } catch {
                guard error == .expired else { throw rejection }
                throw Problem(.tokenExpired, "The webhook's time is more than five minutes from the present.")
            }
            return IncomingHook(hook: hook, body: body, header: header)
        }
    }

    private static let rejection = Problem(
        .unauthorized,
        "There is no such hook, or the webhook's signature or path is missing or not valid."
    )
}
