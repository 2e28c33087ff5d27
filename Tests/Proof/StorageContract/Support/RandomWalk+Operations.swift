import GatewayModel
import GatewayStorage

/// The operations of a turn: mostly on what is there already, in every state that it may have.
extension RandomWalk {
    // MARK: Responses and stopped devices

    mutating func outcomes() -> [OutcomeRecord] {
        // Now and then more in one turn than an engine may store with one statement.
        let isForAll = chance(5) || held.count > 12
        var outcomes: [OutcomeRecord] = []
        var kept: [OutboxRow] = []
        for row in held {
            if isForAll || chance(15) { outcomes.append(outcome(of: row)) } else { kept.append(row) }
        }
        held = kept
        return outcomes
    }

    private mutating func outcome(of row: OutboxRow) -> OutcomeRecord {
        let seconds = Int64.random(in: 0...4, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<60: return f.response(row)
        case 60..<75: return f.retry(row, seconds: seconds)
        case 75..<85: return f.unsent(row, .release(due: f.now.adding(seconds: seconds - 2)))
        case 85..<89: return f.unsent(row, .finished(.expired, nil))
        case 89..<93: return f.response(row, .rejected(token: .keep), status: 400, reason: "BadTopic")
        case 93..<97:
            // Dead since now, since a while ago, or by the time of the attempt.
            let since = chance(30) ? nil : f.now.adding(seconds: chance(30) ? -60 : 0)
            return dead(row, since: since)
        default:
            let token = OutcomeRecord.TokenEffect.quarantine(token: row.token)
            return f.record(row, .finished(.failed, nil), .rejected(token: .quarantine), status: 400, token: token)
        }
    }

    /// Returns the response to a push to a dead token; nil stands for the time of the push.
    func dead(_ row: OutboxRow, since: Timestamp?) -> OutcomeRecord {
        let token = OutcomeRecord.TokenEffect.drop(token: row.token, since: since)
        return f.record(row, .finished(.failed, nil), .unregistered(since: since), status: 410, token: token)
    }

    mutating func anyStopped() -> StoppedDeviceRequest {
        let by = f.now.adding(seconds: -Int64.random(in: 0...5, using: &random))
        return StoppedDeviceRequest(lane: any([f.apns, f.fcm]), stoppedBy: by, limit: any([1, 2, 100]))
    }

    // MARK: Windows

    /// Opens and closes windows before a turn; returns the consumers of closed ones.
    mutating func moveWindows() -> [ConsumerName] {
        if chance(20), windows.count < 6 {
            let device = chance(70) ? anyDevice() : nil
            let name = f.name(anyConsumer())
            windows.append((name, device))
            f.windows.open(name, device: device)
        }
        var closed: [ConsumerName] = []
        while chance(25), !windows.isEmpty {
            closed.append(closeWindow(Int.random(in: 0..<windows.count, using: &random)))
        }
        return closed
    }

    /// Closes all windows; returns their consumers.
    mutating func closeWindows() -> [ConsumerName] {
        var closed: [ConsumerName] = []
        while !windows.isEmpty { closed.append(closeWindow(0)) }
        return closed
    }

    private mutating func closeWindow(_ place: Int) -> ConsumerName {
        let window = windows.remove(at: place)
        f.windows.close(window.name, device: window.device)
        return window.name
    }

    // MARK: Names

    /// Returns a name: mostly one of few, else one that may lead to another or whose consumer was erased.
    mutating func anyConsumer() -> String { any(chance(70) ? Array(consumers.prefix(6)) : consumers) }

    private mutating func anyDevice() -> DeviceID {
        DeviceID(trusted: "d-\(Int.random(in: 0..<9, using: &random))")
    }

    /// Returns a device: mostly one with a delivery of a message.
    private mutating func anyDevice(of message: MessageID) -> DeviceID {
        let rows = model.open.merging(model.finished) { first, _ in first }.filter { $0.value.message == message }
        let devices = rows.values.map(\.device).sorted()
        return devices.isEmpty || chance(25) ? anyDevice() : DeviceID(trusted: any(devices))
    }

    private mutating func anyScope() -> UnregisterScope { any(UnregisterScope.allCases) }

    /// Returns a conversation: mostly one that the consumer has, else one that may be new, also with an id that another
    /// consumer uses, or all of them.
    private mutating func anyConversation(of consumer: String) -> String {
        let owner = model.name(consumer)
        let own = model.conversations.values.filter { $0.consumer == owner }.map(\.name).sorted()
        if !own.isEmpty, chance(50) { return any(own) }
        let user = chance(70) ? consumer : chance(50) ? anyConsumer() : "all"
        return "c-\(user)-\(Int.random(in: 0..<3, using: &random))"
    }

    private mutating func anyTarget(in conversation: String, of consumer: String) -> ReadTarget {
        let found = model.number(conversation, of: model.name(consumer)).flatMap { model.conversations[$0] }
        if chance(15), let message = found?.messages.randomElement(using: &random) { return .message(message.id) }
        if chance(5), let message = posted.last { return .message(message.id) }
        return .sequence(Int64.random(in: 0...((found?.last ?? 0) + 1), using: &random))
    }

    // MARK: Events

    mutating func anyEvent() -> AgentEvent {
        let consumer = anyConsumer()
        let conversation = chance(70) ? anyConversation(of: consumer) : nil
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<52:
            var event = f.message(consumer, in: conversation)
            event.silent = chance(15)
            if chance(50) { event.ttlSeconds = Int64.random(in: 1...60, using: &random) }
            if chance(30) { event.collapseKey = any(["k-1", "k-2"]) }
            return event
        case 52..<68:
            var event = f.proactive(consumer, in: conversation)
            event.silent = chance(15)
            if chance(50) { event.lookBackSeconds = Int64.random(in: 1...60, using: &random) }
            return event
        case 68..<76: return f.event(.conversationResolved, consumer, in: anyConversation(of: consumer))
        case 76..<83:
            // Also where more than a badge looks at was read.
            if chance(15) {
                return f.readEvent("u-0", in: "c-u-0-0", .sequence(Int64.random(in: 200...320, using: &random)))
            }
            let conversation = anyConversation(of: consumer)
            return f.readEvent(consumer, in: conversation, anyTarget(in: conversation, of: consumer))
        case 83..<88: return f.event(.agentTyping, consumer, in: conversation)
        default:
            guard let first = events.randomElement(using: &random) else { return f.message(consumer, in: conversation) }
            // One with the id of another consumer's event is new.
            let name = chance(50) ? first.consumer : chance(60) ? model.name(first.consumer) : consumer
            var event = f.message(name, in: conversation, id: first.id)
            if chance(30) { event.bodyHash = 1 }
            return event
        }
    }

    // MARK: Changes

    mutating func anyChanges() -> [StoreChange] {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<14: return anyLogin()
        case 14..<20: return anyRetry()
        case 20..<26: return [anyLogout()]
        case 26..<30:
            let guests = model.consumers.filter { $0.value.isAnonymous }.keys.sorted()
            let from = chance(75) && !guests.isEmpty ? any(guests) : anyConsumer()
            return [.merge(MergeRequest(brand: f.brand, consumer: id(anyConsumer()), from: id(from)))]
        case 30..<33: return [.erase(ErasureRequest(brand: f.brand, consumer: id(anyConsumer()), audit: nil))]
        case 33..<36:
            names += 1
            let name = "n-\(names)"
            var change = ProfileChange(brand: f.brand, consumer: id(anyConsumer()))
            change.name = .some(name)
            guard chance(50) else { return [.changeProfile(change)] }
            let profile = ConsumerProfile(name: name)
            let isAnonymous = chance(50)
            return [
                .upsertConsumer(brand: f.brand, id: change.consumer, anonymous: isAnonymous, profile: profile)
            ]
        case 36..<52: return [anyWords()]
        default: return [anyReport()]
        }
    }

    private func id(_ consumer: String) -> ConsumerID { ConsumerID(trusted: consumer) }

    private mutating func anyReport() -> StoreChange {
        let consumer = anyConsumer()
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<34: return .register(anyRegistration(of: consumer))
        case 34..<48:
            let waiting = model.open.keys.sorted().compactMap { id in model.open[id].map(\.registration) }
            if chance(60), let id = waiting.randomElement(using: &random), let device = model.registrations[id] {
                return f.unregister(device.consumer, device: device.device, anyScope())
            }
            return f.unregister(consumer, device: chance(70) ? anyDevice().rawValue : nil, anyScope())
        case 48..<72:
            let withheld = model.open.keys.sorted().compactMap { id in model.open[id] }.filter { $0.place == .window }
            if chance(50), let row = withheld.randomElement(using: &random),
                let conversation = row.conversation.flatMap({ model.conversations[$0] })
            {
                return f.read(conversation.consumer, conversation.name, row.sequence)
            }
            let conversation = anyConversation(of: consumer)
            return .read(
                ReadRequest(
                    brand: f.brand,
                    consumer: id(consumer),
                    conversation: ConversationID(trusted: conversation),
                    target: anyTarget(in: conversation, of: consumer),
                    device: chance(60) ? anyDevice() : nil
                )
            )
        case 72..<88: return anyTap()
        default:
            guard !posted.isEmpty else { return f.receipt(consumer, "d-0", MessageID(high: 1, low: 1)) }
            let message = any(Array(posted.suffix(30)))
            let state = any(DeviceReceipt.State.allCases)
            let owner = chance(80) ? message.consumer : consumer
            let receipt = DeviceReceipt(
                message: message.id,
                device: anyDevice(of: message.id),
                state: state,
                at: f.now.adding(seconds: -Int64.random(in: 0...20, using: &random))
            )
            return .receipts(brand: f.brand, consumer: id(owner), [receipt])
        }
    }

    private mutating func anyTap() -> StoreChange {
        let pending = model.conversations.values.flatMap(\.messages).filter(\.isPending).map(\.id).sorted()
        let none = (consumer: "u-0", id: MessageID(high: 1, low: 1))
        var message = posted.suffix(30).randomElement(using: &random) ?? none
        if chance(25), let again = tapped.randomElement(using: &random) { message = again }
        if chance(40), let id = pending.randomElement(using: &random),
            let owner = model.find(id).flatMap({ model.conversations[$0.conversation]?.consumer })
        {
            message = (owner, id)
        }
        if chance(15) { message.consumer = anyConsumer() }
        var tap = TapRequest(
            brand: f.brand,
            consumer: id(message.consumer),
            message: message.id,
            device: anyDevice(of: message.id),
            tappedAt: f.now.adding(seconds: -Int64.random(in: 0...20, using: &random)),
            action: nil
        )
        tap.clearsOthers = chance(25)
        return .tap(tap)
    }

    /// Returns a change in a conversation by its consumer.
    private mutating func anyWords() -> StoreChange {
        let consumer = anyConsumer()
        let conversation = anyConversation(of: consumer)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25:
            let request = ConversationToOpen(brand: f.brand, consumer: id(consumer))
            return f.numbered(.openConversation(request))
        case 25..<50:
            return .resolve(
                brand: f.brand,
                consumer: id(consumer),
                conversation: ConversationID(trusted: conversation)
            )
        default:
            // No consumer is searched for the ids of more than so many that were merged into it.
            let isSearched = model.merged.values.count { $0 == model.name(consumer) } < 20
            let own = model.sent.filter { model.name($0.value.consumer) == model.name(consumer) }
            let kept = own.filter { model.find($0.value.message) != nil }
            let ids = (chance(85) ? kept : own).keys.sorted()
            if chance(60), isSearched, !ids.isEmpty {
                let client = any(ids)
                let first = model.sent[client]
                let text = chance(70) ? first?.text : nil
                let place = chance(80) ? first?.conversation : nil
                return f.words(client, text ?? "another", in: place ?? conversation, of: consumer)
            }
            names += 1
            return f.words("m-\(names)", "words \(names)", in: conversation, of: consumer)
        }
    }

    // MARK: Sessions

    /// Returns a login: of a new consumer without an identifier, or of one with an identifier on a device that may have
    /// such a consumer.
    private mutating func anyLogin() -> [StoreChange] {
        names += 1
        // No two sessions have the same time: otherwise the order of keys would decide which is the latest.
        f.now = f.now.adding(milliseconds: 1)
        let device = chance(85) ? anyDevice().rawValue : nil
        var terms = LoginTerms(singleDevice: chance(20), anonymousMerge: chance(50) ? .device : .token)
        let guests = model.sessions.filter { model.consumers[$0.consumer]?.isAnonymous == true }
        if !guests.isEmpty, chance(40) { terms.anonymousToken = any(guests).token }
        if let device, chance(40) { terms.currentToken = proof(for: device) }
        guard chance(50) else { return [.openSession(session(anyConsumer(), device), terms)] }
        let guest = "a-\(names)"
        consumers.append(guest)
        return [f.anonymous(guest), .openSession(session(guest, device), terms)]
    }

    private mutating func anyLogout() -> StoreChange {
        if !model.sessions.isEmpty, chance(60) {
            return .endSession(tokenHash: any(model.sessions).token, unregister: anyScope())
        }
        return .endSessions(
            brand: f.brand,
            consumer: id(anyConsumer()),
            device: chance(50) ? anyDevice() : nil,
            unregister: anyScope()
        )
    }

    private func session(_ consumer: String, _ device: String?) -> StoredSession {
        var session = f.session(0, consumer, device: device)
        session.tokenHash = (0..<32).map { UInt8(truncatingIfNeeded: names >> ($0 % 4 * 8)) }
        return session
    }

    /// Returns a token to present for a device, mostly its present one.
    private mutating func proof(for device: String) -> PushTokenProof {
        let present = model.registrations.values.first { $0.device == device }?.token
        return ContractFixture.proof(chance(70) ? present ?? "none" : "t-0-\(Int.random(in: 0..<6, using: &random))")
    }

    // MARK: Devices

    /// Returns a registration of a new device, of the consumer's own or of another's, by a back-end or by a session.
    private mutating func anyRegistration(of consumer: String) -> DeviceToRegister {
        let ids = model.registrations.keys.sorted { $0.rawValue < $1.rawValue }
        var (owner, name) = (consumer, anyDevice().rawValue)
        if !ids.isEmpty, chance(30) {
            let known = any(ids)
            owner = model.registrations[known]?.consumer ?? owner
            name = model.registrations[known]?.device ?? name
        }
        var session: [UInt8]?
        if !model.sessions.isEmpty, chance(60) {
            let found = any(model.sessions)
            session = found.token
            owner = found.consumer
            if let bound = found.device, chance(80) { name = bound }
        }
        // A device keeps its kind; its token is often another's.
        let kind = (name.last?.wholeNumberValue ?? 0) % 2
        var device = f.device(
            name,
            of: owner,
            token: "t-\(kind)-\(Int.random(in: 0..<6, using: &random))",
            pushType: kind == 0 ? .apns : .fcm,
            receives: chance(70) ? .all : any([.agent, .proactive])
        )
        device.session = session
        guard session != nil else { return device }
        if chance(10) { device.session = [UInt8](repeating: 0xEE, count: 32) }
        device.singleDevice = chance(15)
        if chance(30) { device.currentToken = proof(for: name) }
        return device
    }

    /// Returns a retry of a delivery that waits, or of a finished one whose response is not pending any more.
    private mutating func anyRetry() -> [StoreChange] {
        let pending = Set(held.map(\.id))
        let isFailed = chance(70)
        let rows = model.finished.filter { id, row in
            !pending.contains(id) && (!isFailed || row.state == .failed || row.state == .expired)
        }
        let ids = (chance(10) ? model.open : rows).keys.sorted()
        guard !ids.isEmpty else { return [] }
        let ttl = Int64.random(in: 1...60, using: &random)
        return [.retry(RetryRequest(brand: f.brand, delivery: any(ids), ttlSeconds: ttl))]
    }
}
