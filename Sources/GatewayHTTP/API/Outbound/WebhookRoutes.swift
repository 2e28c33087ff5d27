internal import GatewayModel
internal import GatewayStorage
internal import GuardedHTTP
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// The state of a brand's webhook; it is configured in the brand's settings.
enum WebhookRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/brands/:brand/webhook") { try await get($0) }
        routes.on(.post, "/v1/brands/:brand/webhook/replay") { try await replay($0) }
    }

    private static func get(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let receiver = OutboundReceiver(brand: brand.id)
        let state = try await call.read { store throws(StorageError) in try await store.webhookState(of: receiver) }
        guard let state, let webhook = brand.webhook else { throw Problem.notFound("webhook") }
        return try await response(call, brand.id, webhook.url, state)
    }

    private static func replay(_ call: Call) async throws -> Response {
        let brand = try await call.requireBackend(.brandAdmin)
        let after = try await call.position("after")
        let overview = try await call.read { store throws(StorageError) in
            try await store.subscriptions(brand: brand.id)
        }
        guard after <= overview.end else {
            throw Problem(invalid: "/after", "is beyond the end, which is \(overview.end)")
        }
        let audit = try call.auditEntry(.outboundReplayed, brand: brand.id, target: "webhook")
        let state = try await call.read { store throws(StorageError) in
            try await store.replayWebhook(brand: brand.id, after: after, audit: audit)
        }
        guard let state, let webhook = brand.webhook else { throw Problem.notFound("webhook") }
        call.services.outbound.webhookChanged()
        return try await response(call, brand.id, webhook.url, state)
    }

    /// The reason for a missing response, in full for the instance's administrator: others could use it to probe which
    /// hosts and ports the gateway can reach.
    private static func lastError(_ text: String, _ call: Call) -> String {
        guard !call.isForInstanceAdmin, GuardedFailure(word: text) != nil else { return text }
        return GuardedFailure.unreachable.rawValue
    }

    /// Returns the state of a receiver of the brand's items.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - brand: The brand.
    ///   - url: The receiver's address, as it was set.
    ///   - state: Its state.
    /// - Returns: The response.
    /// - Throws: `Problem` 503.
    static func response(
        _ call: Call,
        _ brand: BrandID,
        _ url: String,
        _ state: WebhookState
    ) async throws -> Response {
        let overview = try await call.read { store throws(StorageError) in
            try await store.subscriptions(brand: brand)
        }
        let lastError = state.lastError.map { Self.lastError($0, call) }
        return ResponseFactory.object(.ok, capacity: 384) { writer in
            writer.member("url", url)
            writer.member("state", state.isSwitchedOff ? "off" : state.attempts > 0 ? "failing" : "working")
            writer.member("position", state.mark)
            writer.member("lag", max(overview.end - state.mark, 0))
            writer.member("keptAfter", overview.removedThrough)
            writer.member("attempts", Int64(state.attempts))
            writer.member("lastTriedAt", orNull: state.lastTriedAt)
            writer.member("lastStatus", orNull: state.lastStatus.map { Int64($0) })
            writer.member("lastError", orNull: lastError)
            writer.member("nextTryAt", orNull: state.isSwitchedOff ? nil : state.nextTry)
        }
    }
}
