import GatewayModel
import GatewayStorage

/// Logins, merges, erasures, and what consumers do in their conversations.
extension ContractModel {
    // MARK: Sessions

    /// Opens a session; no walk is so long that a session or its proof expires.
    ///
    /// Consumers are merged in the given order: of conversations of one id the first keeps it.
    mutating func logIn(_ session: StoredSession, _ terms: LoginTerms, order: [String]) -> String {
        let owner = name(session.consumer.rawValue)
        meet(owner)
        let isAnonymous = consumers[owner]?.isAnonymous == true
        let device = session.device?.rawValue
        let others = isAnonymous ? [] : anonymousConsumers(of: session, terms).subtracting([owner])
        var count = 0
        var ended: [RegistrationID] = []
        for other in order.filter({ others.contains($0) }) + others.subtracting(order) {
            count += endSessions { $0.consumer == other }
            ended += endOthers(than: device, of: other)
            move(other, into: owner)
        }
        if !others.isEmpty { release(owner) }
        if let device, terms.singleDevice {
            count += endSessions { $0.consumer == owner }
            ended += endOthers(than: device, of: owner)
        }
        if let device, let proof = terms.currentToken {
            for (id, value) in registrations
            where value.device == device && value.consumer != owner && proof.proves(value.token) {
                if isAnonymous, consumers[value.consumer]?.isAnonymous == true { continue }
                ended += end(id, .tokenMoved, .tokenMoved)
            }
        }
        let own = sessions.filter { $0.consumer == owner }.sorted { $0.createdAt < $1.createdAt }
        for oldest in own.dropLast(SessionLimits.perConsumer - 1) {
            count += endSessions { $0.token == oldest.token }
        }
        sessions.append(
            Session(token: session.tokenHash, consumer: owner, device: device, createdAt: session.createdAt)
        )
        return opening(owner, count, ended, merged: others.sorted())
    }

    func opening(_ consumer: String, _ count: Int, _ ended: [RegistrationID], merged: [String]) -> String {
        let kind = consumers[consumer]?.isAnonymous == true ? "anonymous" : "known"
        return "opened \(consumer) \(kind) \(count) \(Self.list(ended)) \(merged)"
    }

    /// Returns the consumers to merge at a login with an identifier.
    private func anonymousConsumers(of login: StoredSession, _ terms: LoginTerms) -> Set<String> {
        var found = Set(sessions.filter { $0.token == terms.anonymousToken }.map(\.consumer))
        if terms.anonymousMerge == .device, let device = login.device?.rawValue {
            let latest = sessions.filter { $0.device == device }.max { $0.createdAt < $1.createdAt }
            if let latest { found.insert(latest.consumer) }
            for value in registrations.values where value.device == device && value.state != .stopped {
                found.insert(value.consumer)
            }
        }
        return found.filter { consumers[$0]?.isAnonymous == true }
    }

    /// Ends sessions; returns their number.
    mutating func endSessions(where isEnded: (Session) -> Bool) -> Int {
        let before = sessions.count
        for session in sessions where isEnded(session) { turn.ends.insert(session.consumer) }
        sessions.removeAll(where: isEnded)
        return before - sessions.count
    }

    mutating func endSession(_ token: [UInt8], _ scope: UnregisterScope) -> String {
        guard let session = sessions.first(where: { $0.token == token }) else { return "not found" }
        let count = endSessions { $0.token == token }
        // A session without a device has registered none.
        let device = session.device.map(DeviceID.init(trusted:))
        let change = unregister(device == nil ? nil : session.consumer, device, scope, .logout)
        return "sessions ended \(count) \(Self.text(change))"
    }

    mutating func endSessions(
        of consumer: ConsumerID,
        _ device: DeviceID?,
        _ scope: UnregisterScope
    ) -> String {
        guard let owner = known(consumer) else { return "sessions ended 0 \(Self.text(RegistrationsChange()))" }
        // A session that is bound to no device may be used on any.
        let count = endSessions {
            $0.consumer == owner && (device == nil || $0.device == nil || $0.device == device?.rawValue)
        }
        return "sessions ended \(count) \(Self.text(unregister(owner, device, scope, .remoteLogout)))"
    }

    static func text(_ change: RegistrationsChange) -> String {
        "\(list(change.ended)) \(list(change.narrowed))"
    }

    // MARK: Merges and erasures

    private mutating func move(_ consumer: String, into other: String) {
        rename(conversationsOf: consumer, in: other)
        for (alias, target) in merged where target == consumer { merged[alias] = other }
        merged[consumer] = other
        consumers[consumer] = nil
        for number in conversations.keys where conversations[number]?.consumer == consumer {
            conversations[number]?.consumer = other
        }
        for id in registrations.keys where registrations[id]?.consumer == consumer {
            registrations[id]?.consumer = other
        }
    }

    /// Gives another id to each conversation whose id the other consumer has, too: the id, a tilde and the number of
    /// the conversation, with more tildes while one of both consumers has that.
    private mutating func rename(conversationsOf consumer: String, in other: String) {
        let own = conversations.filter { $0.value.consumer == consumer }.mapValues(\.name)
        for (key, name) in own.sorted(by: { $0.key < $1.key }) where number(name, of: other) != nil {
            var id = "\(name)~\(key)"
            while number(id, of: other) != nil || number(id, of: consumer) != nil { id += "~" }
            conversations[key]?.name = id
            turn.renamed += 1
        }
    }

    mutating func merge(_ request: MergeRequest) -> String {
        guard let owner = known(request.consumer) else { return "not found" }
        guard let source = known(request.from) else { return "not merged \(MergeRejection.unknown)" }
        guard source == request.from.rawValue else {
            return source == owner ? opening(owner, 0, [], merged: []) : "not merged \(MergeRejection.elsewhere)"
        }
        guard source != owner else { return "not merged \(MergeRejection.itself)" }
        if consumers[owner]?.isAnonymous == true, consumers[source]?.isAnonymous == false {
            return "not merged \(MergeRejection.intoAnonymous)"
        }
        let count = endSessions { $0.consumer == source }
        move(source, into: owner)
        release(owner)
        return opening(owner, count, [], merged: [source])
    }

    /// Erases a consumer and those that were merged into it, with everything that they have.
    mutating func erase(_ consumer: ConsumerID) -> String {
        guard let owner = known(consumer) else { return "not found" }
        let ids = registrations.filter { $0.value.consumer == owner }.map(\.key)
        for id in ids { end(id, .unregistered, nil) }
        _ = endSessions { $0.consumer == owner }
        conversations = conversations.filter { $0.value.consumer != owner }
        for (id, row) in finished where name(row.consumer) == owner { finished[id] = nil }
        for (id, message) in sent where name(message.consumer) == owner { sent[id] = nil }
        merged = merged.filter { $0.value != owner }
        consumers[owner] = nil
        turn.erased.insert(owner)
        return "erased \(Self.list(ids))"
    }

    // MARK: Conversations

    mutating func write(_ message: ConsumerMessage) -> String {
        guard let owner = known(message.consumer) else { return "not found" }
        if let first = sent[message.clientID.rawValue], name(first.consumer) == owner {
            guard find(first.message) != nil else { return "gone" }
            // The conversation of one that was sent by another name may have another id since.
            let isSame = first.consumer != owner || first.conversation == message.conversation.rawValue
            guard isSame, first.text == message.text else { return "conflict" }
            return "written \(first.message) \(first.sequence) again"
        }
        let conversation = message.conversation.rawValue
        guard let found = number(conversation, of: owner) else { return "not found" }
        activate(found)
        let entry = MessageEntry(
            id: message.messageID,
            sequence: 0,
            kind: .consumer,
            acceptedAt: turn.now,
            expiresAt: turn.now
        )
        let sequence = append(entry, to: found)
        sent[message.clientID.rawValue] = Sent(
            consumer: owner,
            message: message.messageID,
            conversation: conversation,
            text: message.text,
            sequence: sequence
        )
        turn.feed.append(
            #"consumer.message {"messageId":"\#(message.messageID)","clientId":"\#(message.clientID.rawValue)","#
                + #""consumer":"\#(owner)","conversation":"\#(conversation)","sequence":\#(sequence),"#
                + #""text":"\#(message.text)","sentAt":"\#(turn.now.rfc3339)"}"#
        )
        return "written \(message.messageID) \(sequence) new"
    }

    mutating func openConversation(_ request: ConversationToOpen) -> String {
        guard let owner = known(request.consumer) else { return "not found" }
        let active = active(owner)
        let number = active ?? make(request.messageID.description, of: owner)
        if active == nil { activate(number) }
        guard let found = conversations[number] else { return "not found" }
        let counts = "\(found.unread) \(found.last) \(found.mark)"
        return "conversation \(found.name) \(counts) \(active == nil ? "new" : "active")"
    }

    mutating func resolve(_ consumer: ConsumerID, _ id: ConversationID) -> String {
        guard let owner = known(consumer), let found = number(id.rawValue, of: owner) else { return "not found" }
        guard conversations[found]?.isResolved == false else { return "conflict" }
        resolve(found, byConsumer: true)
        return "resolved"
    }
}
