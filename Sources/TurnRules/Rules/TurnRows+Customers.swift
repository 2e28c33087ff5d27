internal import GatewayModel
internal import GatewayStorage

/// Consumers' properties and consents.
extension TurnRows {
    /// Changes a consumer's data, and publishes its event.
    mutating func track(
        _ change: CustomerChange,
        _ context: inout TurnContext
    ) throws(Failure) -> StoreChangeResult {
        guard let brand = try brandKey(change.brand) else { return .notFound }
        let now = context.turn.now
        guard let id = change.consumer else {
            if let event = change.event { try publish(brand, at: now, .tracked(consumer: nil, event)) }
            return .tracked(nil)
        }
        let name = BrandedName(brand: brand, id: id.rawValue)
        let known = try self.consumer(name)
        guard known != nil || change.creates else { return .notFound }
        let consumer: KnownConsumer
        if let known {
            consumer = known
        } else {
            consumer = try makeConsumer(name, isAnonymous: change.isAnonymous, at: now)
        }
        if let cookie = change.cookie { try merge(cookie: cookie, into: consumer, change.brand, &context) }
        if change.changesData {
            var data = try customer(consumer.key) ?? CustomerData()
            data.apply(change)
            guard data.fits else { return .conflict }
            try store(data, of: consumer.key, at: now)
            if !change.consents.isEmpty { try withdrawUnconsented(of: consumer.key, data, &context) }
        }
        if let event = change.event { try publish(brand, at: now, .tracked(consumer: consumer.name.id, event)) }
        try write(change.audit)
        return .tracked(ConsumerID(trusted: consumer.name.id))
    }

    /// Whether a consumer's pushes with a requirement may be sent; true without one.
    mutating func allows(
        _ requirement: ConsentRequirement?,
        _ consumer: Int64,
        at now: Timestamp
    ) throws(Failure) -> Bool {
        guard let requirement else { return true }
        return try (customer(consumer) ?? CustomerData()).allows(requirement, at: now)
    }

    /// Writes a delivery that ends at once, without having been in a lane.
    mutating func refuse(
        _ row: TurnContext.NewRow,
        by suppressedBy: SuppressedBy,
        _ context: inout TurnContext
    ) throws(Failure) {
        try insert(row, owner: context.turn.incarnation, at: context.turn.now)
        context.noteNew(row.id)
        try withdraw(row.id, state: .cancelled, by: suppressedBy, &context)
    }

    /// Ends the rows of a consumer that need a consent which it has withdrawn.
    ///
    /// Where it has decided nothing, the category's assumption allowed them.
    mutating func withdrawUnconsented(
        of consumer: Int64,
        _ data: CustomerData,
        _ context: inout TurnContext
    ) throws(Failure) {
        for row in try rowsWithConsent(of: consumer) {
            let requirement = ConsentRequirement(category: row.category, isAssumed: true)
            if data.allows(requirement, at: context.turn.now) { continue }
            try withdraw(row.id, state: .cancelled, by: .noConsent, &context)
        }
    }
}
