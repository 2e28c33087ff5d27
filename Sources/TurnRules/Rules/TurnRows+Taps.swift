internal import GatewayModel
internal import GatewayStorage

/// Reports of devices about pushes.
extension TurnRows {
    /// Records a tap.
    mutating func tap(_ request: TapRequest, _ context: inout TurnContext) throws(Failure) -> StoreChangeResult {
        let (key, now) = (Int64(bitPattern: request.message.high), context.turn.now)
        let name = ConsumerName(brand: request.brand, consumer: request.consumer)
        // The consumer's own messages are never pushed.
        guard let consumer = try self.consumer(request.brand, request.consumer),
            let (message, conversation) = try self.message(request.message, of: consumer.key, named: name),
            message.kind != .consumer
        else { return .notFound }
        try see(request.device, of: consumer.key, at: now)
        if let first = try firstTap(of: key) {
            return .tapped(TapResult(message: message, tappedAt: first, first: false))
        }
        if let until = message.lookBackUntil, until < now, !request.showsExpired { return .gone }
        // A device's clock may be behind: a tap cannot precede its message.
        var tap = request
        tap.tappedAt = max(tap.tappedAt, message.acceptedAt)
        try store(tap, of: consumer.key)
        try forgetPending(key, in: conversation)
        let brand = consumer.name.brand
        if let campaign = message.campaign { try noteTapped(campaign, brand: brand) }
        if tap.clearsOthers { try clearPending(of: consumer.key, &context) }
        try storeInLog(tap)
        try publish(
            brand,
            at: now,
            .tapped(
                tap,
                conversation: message.conversation,
                sequence: message.sequence,
                kind: message.kind,
                campaign: message.campaign
            )
        )
        return .tapped(TapResult(message: message, tappedAt: tap.tappedAt, first: true))
    }

    /// Clears all of a consumer's proactive messages that wait to be tapped, and cancels their waiting pushes.
    private mutating func clearPending(of consumer: Int64, _ context: inout TurnContext) throws(Failure) {
        for (conversation, message) in try pendingProactive(of: consumer) {
            try forgetPending(message, in: conversation)
            for id in try rows(of: consumer, message: message) {
                try withdraw(id, state: .cancelled, by: .read, &context)
            }
        }
    }

    /// Records receipts of a consumer's devices.
    mutating func record(
        _ receipts: [DeviceReceipt],
        _ brand: BrandID,
        _ consumer: ConsumerID,
        at now: Timestamp
    ) throws(Failure) -> StoreChangeResult {
        guard let key = try self.consumer(brand, consumer)?.key else {
            return .receipts(met: receipts.map { _ in false })
        }
        for device in Set(receipts.map(\.device)) { try see(device, of: key, at: now) }
        var met: [Bool] = []
        met.reserveCapacity(receipts.count)
        for receipt in receipts { met.append(try record(receipt, of: key)) }
        return .receipts(met: met)
    }
}
