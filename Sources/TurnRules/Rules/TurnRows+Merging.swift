internal import GatewayModel
internal import GatewayStorage

/// Logins, and merges of consumers: anonymous ones that log in (R30), and those that a back-end identifies as the same.
extension TurnRows {
    /// Merges the consumers that a login merges, and ends the sessions and registrations that it ends.
    mutating func logIn(
        _ consumer: KnownConsumer,
        _ session: StoredSession,
        _ terms: LoginTerms,
        _ context: inout TurnContext
    ) throws(Failure) -> SessionOpening {
        let brand = consumer.name.brand
        var opening = try opening(of: consumer)
        if !opening.anonymous {
            for name in try anonymousConsumers(of: session, terms, brand: brand, at: context.turn.now) {
                guard let other = try self.consumer(name), other.key != consumer.key else { continue }
                opening.endedSessions += try endSessions(of: other.key)
                opening.endedRegistrations += try endOthers(than: session.device, of: other.key, &context)
                try merge(other, into: consumer, &opening, &context)
            }
            // Rows that were held for windows of sessions that have just ended are released now, before anything
            // younger.
            if !opening.merged.isEmpty { try release(consumer, session.brand, &context) }
        }
        guard let device = session.device else { return opening }
        if terms.singleDevice {
            opening.endedSessions += try endSessions(of: consumer.key)
            opening.endedRegistrations += try endOthers(than: device, of: consumer.key, &context)
        }
        // Pushes for others must not be shown on a device that the caller has now, even while the consumer has not
        // registered it, or never does (R71, R79). A login without an identifier keeps the registrations of others
        // without one: its device may have logged in again, and a login with an identifier may still merge both.
        guard let proof = terms.currentToken else { return opening }
        for other in try storedRegistrations(.device(device, brand: brand))
        where other.consumer != consumer.key && proof.proves(other.token) {
            if opening.anonymous, try isAnonymous(other.consumer) { continue }
            opening.endedRegistrations += try end(other.id, by: .tokenMoved, .tokenMoved, &context)
        }
        return opening
    }

    /// Merges the consumer that a back-end names into another.
    mutating func merge(
        _ request: MergeRequest,
        _ context: inout TurnContext
    ) throws(Failure) -> StoreChangeResult {
        guard let brand = try brandKey(request.brand),
            let consumer = try self.consumer(BrandedName(brand: brand, id: request.consumer.rawValue))
        else { return .notFound }
        let name = BrandedName(brand: brand, id: request.from.rawValue)
        guard let source = try self.consumer(name) else { return .notMerged(.unknown) }
        var opening = try opening(of: consumer)
        // Another name is that of the consumer that it was merged into.
        guard source.name == name else {
            return source.key == consumer.key ? .merged(opening) : .notMerged(.elsewhere)
        }
        guard source.key != consumer.key else { return .notMerged(.itself) }
        if opening.anonymous {
            guard try isAnonymous(source.key) else { return .notMerged(.intoAnonymous) }
        }
        opening.endedSessions += try endSessions(of: source.key)
        try merge(source, into: consumer, &opening, &context)
        try release(consumer, request.brand, &context)
        return .merged(opening)
    }

    /// Merges an anonymous consumer whom an app names beside an identified one, without proof: its devices no longer
    /// receive agents' messages, which would be the other's.
    mutating func merge(
        cookie: ConsumerID,
        into consumer: KnownConsumer,
        _ brand: BrandID,
        _ context: inout TurnContext
    ) throws(Failure) {
        let name = BrandedName(brand: consumer.name.brand, id: cookie.rawValue)
        guard let source = try self.consumer(name), source.name == name, source.key != consumer.key,
            try isAnonymous(source.key), try !isAnonymous(consumer.key)
        else { return }
        var opening = try opening(of: consumer)
        _ = try unregister(source.key, app: nil, device: nil, .agent, .unregistered, &context)
        opening.endedSessions += try endSessions(of: source.key)
        try merge(source, into: consumer, &opening, &context)
        try release(consumer, brand, &context)
        noteEnds(opening, brand, &context)
    }

    private mutating func opening(of consumer: KnownConsumer) throws(Failure) -> SessionOpening {
        SessionOpening(
            consumer: ConsumerID(trusted: consumer.name.id),
            anonymous: try isAnonymous(consumer.key)
        )
    }

    /// Moves a consumer's data to another one, whose name its own leads to from now on.
    private mutating func merge(
        _ source: KnownConsumer,
        into consumer: KnownConsumer,
        _ opening: inout SessionOpening,
        _ context: inout TurnContext
    ) throws(Failure) {
        // The engine must have the turn's counts so far.
        try flush(&context)
        let theirs = try quietHours(of: source.key)
        let own = try quietHours(of: consumer.key)
        try renameNamesakes(of: source, in: consumer)
        consumer.unread += source.unread
        consumer.active = .unknown
        if let theirs = try customer(source.key) {
            var data = try customer(consumer.key) ?? CustomerData()
            data.merge(theirs)
            try store(data, of: consumer.key, at: context.turn.now)
        }
        try move(source, into: consumer)
        consumer.mergedNames = try mergedNames(of: consumer.key)
        context.merged(source.key, into: consumer, quietHours: own)
        // Rows that wait for the end of its former quiet hours are evaluated again.
        if theirs != own { try requeue(consumer.key, &context) }
        if let data = try customer(consumer.key) { try withdrawUnconsented(of: consumer.key, data, &context) }
        opening.endedRegistrations += try endOldest(of: consumer.key, &context)
        let merge = ConsumerMerge(
            id: ConsumerID(trusted: source.name.id),
            from: ConsumerKey(source.key),
            into: ConsumerKey(consumer.key),
            quietHours: own
        )
        context.note(.merged(merge))
        opening.merged.append(merge)
    }

    /// Gives another id to each conversation of a merged consumer whose id the other consumer has, too: that one keeps
    /// it, with its sequences, and both conversations stay what they are.
    private mutating func renameNamesakes(
        of source: KnownConsumer,
        in consumer: KnownConsumer
    ) throws(Failure) {
        for namesake in try namesakes(of: source, in: consumer) {
            let id = ConversationID(trusted: namesake.id)
            var attempt = 0
            var name = BrandedName(brand: consumer.name.brand, id: "")
            var isTaken = true
            while isTaken {
                name.id = id.renamed(by: namesake.conversation, attempt: attempt).rawValue
                attempt += 1
                isTaken = try has(name, consumer)
                if !isTaken { isTaken = try has(name, source) }
            }
            try rename(namesake.conversation, to: name.id)
        }
    }

    private mutating func has(_ name: BrandedName, _ consumer: KnownConsumer) throws(Failure) -> Bool {
        try conversation(name, of: consumer) != nil
    }
}
