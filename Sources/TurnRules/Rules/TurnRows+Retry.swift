internal import GatewayModel
internal import GatewayStorage

/// Deliveries of the log that are sent again.
extension TurnRows {
    /// Moves a delivery that failed or expired back to the outbox.
    mutating func retry(
        _ request: RetryRequest,
        _ context: inout TurnContext
    ) throws(Failure) -> StoreChangeResult {
        let id = request.delivery.rawValue
        guard let brand = try brandKey(request.brand), let ended = try storedDelivery(id), ended.brand == brand
        else { return .notFound }
        guard ended.state == .failed || ended.state == .expired else { return .notRetried(.state(ended.state)) }
        let known = try storedRegistrations(.consumer(ended.consumer))
        guard let found = known.first(where: { $0.app == ended.app && $0.device == ended.device && !$0.isHidden })
        else { return .notRetried(.registrationGone) }
        guard let registration = try registrations(of: ended.consumer).first(where: { $0.id == found.id })
        else { return .notRetried(.registrationQuarantined) }
        let expiresAt = context.turn.now.adding(seconds: request.ttlSeconds)
        guard let rejection = try reopen(id, ended, for: registration, until: expiresAt, &context)
        else { return .retried }
        return .notRetried(rejection)
    }

    /// Moves a delivery back to the outbox, unless something forbids it.
    mutating func reopen(
        _ id: Int64,
        _ ended: StoredDelivery,
        for registration: KnownRegistration,
        until expiresAt: Timestamp,
        _ context: inout TurnContext
    ) throws(Failure) -> RetryRejection? {
        // The engine must have how far its conversation has been read.
        try flush(&context)
        // A badge counts agents' messages.
        var wanted = Receives.agent
        var queue = OutboxQueue.badge
        var collapseKey: String?
        if let key = ended.message {
            guard let message = try message(key) else { return .messageGone }
            if message.isRead { return .read }
            if message.kind != .agent { wanted = .proactive }
            queue = OutboxQueue(message: message.kind, campaign: ended.campaign)
            collapseKey = message.collapseKey
            let consent = message.consentCategory.map { ConsentRequirement(category: $0, isAssumed: true) }
            guard try allows(consent, ended.consumer, at: context.turn.now) else { return .notReceived }
        }
        guard registration.receives.contains(wanted) else { return .notReceived }
        if try isReplaced(id, message: ended.message, collapseKey, on: registration.id) { return .collapsed }
        try reopen(id, for: registration, queue, until: expiresAt)
        try addWaiting(1, queue, of: registration.id, lane: registration.lane, &context)
        return nil
    }
}
