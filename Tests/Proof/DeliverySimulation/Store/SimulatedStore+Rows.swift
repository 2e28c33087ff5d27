import GatewayModel
import GatewayStorage
import TurnRules

/// The rows that the product's rules of a turn read and write, with the faults that are injected on purpose.
extension SimulatedStore: TurnRows {
    typealias Failure = Never

    // MARK: Consumers

    func brandKey(_ brand: BrandID) -> Int64? { hasBrand(brand) ? number(of: brand) : nil }

    /// Returns the number of a brand, also of a deleted one.
    func number(of brand: BrandID) -> Int64 { Int64(brands.firstIndex(of: brand) ?? 0) + 1 }

    func brand(_ number: Int64) -> BrandID { brands[Int(number) - 1] }

    mutating func consumer(_ name: BrandedName) -> KnownConsumer? {
        guard let key = consumerKeys[brand(name.brand)]?[ConsumerID(trusted: name.id)] else { return nil }
        return turnConsumer(key)
    }

    /// Returns a consumer as the turn has changed it so far.
    mutating func turnConsumer(_ key: Int64) -> KnownConsumer {
        if let known = turnConsumers[key] { return known }
        let stored = consumers[Int(key) - 1]
        let name = BrandedName(brand: number(of: stored.brand), id: stored.id.rawValue)
        let unread = stored.conversations.reduce(0) { $0 + conversations[Int($1) - 1].unread }
        let consumer = KnownConsumer(key: key, name: name, unread: unread, mergedNames: mergedNames(of: key))
        turnConsumers[key] = consumer
        return consumer
    }

    mutating func makeConsumer(_ name: BrandedName, isAnonymous: Bool, at now: Timestamp) -> KnownConsumer {
        let (brand, id) = (brand(name.brand), ConsumerID(trusted: name.id))
        var consumer = Consumer(brand: brand, id: id, createdAt: now)
        consumer.isAnonymous = isAnonymous
        consumers.append(consumer)
        let key = Int64(consumers.count)
        consumerKeys[brand]?[id] = key
        return turnConsumer(key)
    }

    func forgetUnused(_ name: BrandedName) {}

    func registrations(of consumer: Int64) -> [KnownRegistration] {
        var found: [KnownRegistration] = []
        for key in consumers[Int(consumer) - 1].registrations {
            guard let stored = registration(key), isPushedTo(stored) else { continue }
            found.append(
                KnownRegistration(
                    id: key,
                    lane: stored.lane.rawValue,
                    token: stored.token,
                    platform: stored.platform,
                    receives: stored.receives,
                    device: stored.device.rawValue,
                    traits: traits(of: key),
                    isImported: stored.isImported
                )
            )
        }
        return found
    }

    func isAnonymous(_ consumer: Int64) -> Bool { consumers[Int(consumer) - 1].isAnonymous }

    func quietHours(of consumer: Int64) -> QuietHours? { consumers[Int(consumer) - 1].quietHours }

    func customer(_ consumer: Int64) -> CustomerData? { consumers[Int(consumer) - 1].data }

    mutating func store(_ data: CustomerData, of consumer: Int64, at now: Timestamp) {
        consumers[Int(consumer) - 1].data = data
    }

    // MARK: Conversations

    /// Returns the id of a conversation of a consumer, who may have several names; nil when there is none.
    func conversation(_ name: ConversationID?, of consumer: ConsumerID, _ brand: BrandID) -> Int64? {
        guard let name, let key = consumerKeys[brand]?[consumer] else { return nil }
        return conversation(name, of: key)
    }

    private func conversation(_ name: ConversationID, of consumer: Int64) -> Int64? {
        consumers[Int(consumer) - 1].conversations.first { conversations[Int($0) - 1].name == name }
    }

    func conversation(_ name: BrandedName, of consumer: KnownConsumer) -> KnownConversation? {
        if let known = consumer.conversations.last(where: { $0.name == name }) { return known }
        guard let key = self.conversation(ConversationID(trusted: name.id), of: consumer.key) else { return nil }
        let stored = conversations[Int(key) - 1]
        let conversation = KnownConversation(
            key: key,
            name: name,
            consumer: consumer.key,
            lastSequence: stored.lastSequence,
            readSequence: stored.readSequence,
            unread: stored.unread,
            lastMessage: stored.lastMessage,
            lastSpoken: stored.lastSpoken,
            isResolved: stored.isResolved
        )
        consumer.remember(conversation)
        return conversation
    }

    func namesakes(of source: KnownConsumer, in consumer: KnownConsumer) -> [(conversation: Int64, id: String)] {
        consumers[Int(source.key) - 1].conversations.sorted().compactMap { key in
            let name = conversations[Int(key) - 1].name
            return conversation(name, of: consumer.key).map { _ in (conversation: key, id: name.rawValue) }
        }
    }

    mutating func rename(_ conversation: Int64, to id: String) {
        conversations[Int(conversation) - 1].name = ConversationID(trusted: id)
    }

    mutating func insertConversation(
        _ name: BrandedName,
        of consumer: KnownConsumer,
        own: Int64?
    ) -> KnownConversation {
        conversations.append(Conversation(name: ConversationID(trusted: name.id), consumer: consumer.key))
        conversations[conversations.count - 1].isOwn = own != nil
        let key = Int64(conversations.count)
        consumers[Int(consumer.key) - 1].conversations.append(key)
        let conversation = KnownConversation(
            key: key,
            name: name,
            consumer: consumer.key,
            lastSequence: flaw == .skipsSequence ? 1 : 0,
            lastMessage: own ?? 0
        )
        consumer.remember(conversation)
        return conversation
    }

    func newestConversation(of consumer: Int64) -> String? {
        let unresolved = consumers[Int(consumer) - 1].conversations.map { conversations[Int($0) - 1] }
            .filter { !$0.isResolved }
        let spoken = { (one: Conversation) in one.lastSpoken == 0 ? one.lastMessage : one.lastSpoken }
        return unresolved.max { spoken($0) < spoken($1) }?.name.rawValue
    }

    mutating func flush(_ context: inout TurnContext) {
        for conversation in context.takeChanged() {
            let place = Int(conversation.key) - 1
            conversations[place].lastSequence = conversation.lastSequence
            conversations[place].readSequence = conversation.readSequence
            conversations[place].unread = conversation.unread
            conversations[place].lastMessage = conversation.lastMessage
            conversations[place].lastSpoken = conversation.lastSpoken
            conversations[place].isResolved = conversation.isResolved
        }
        for (key, consumer) in turnConsumers { consumers[Int(key) - 1].unread = consumer.unread }
        endStranger(&context)
    }

    func storeReadSent(_ conversation: Int64, at now: Timestamp) {}

    // MARK: Messages

    mutating func insert(_ message: Message, key: Int64, after previous: Int64, conversation: Int64) {
        let place = Int(conversation) - 1
        messages[key] = (message, conversation)
        conversations[place].messages.append(
            MessageLink(
                key: key,
                low: Int64(bitPattern: message.id.low),
                sequence: message.sequence,
                countsAsUnread: message.countsAsUnread,
                kind: message.kind.rawValue,
                sourceSequence: message.sourceSequence,
                isSilent: message.silent,
                collapseKey: message.collapseKey,
                previous: previous
            )
        )
        lastMessage = max(lastMessage ?? message.id, message.id)
        if flaw == .miscounts, message.countsAsUnread {
            let consumer = turnConsumers[conversations[place].consumer]
            consumer?.unread -= 1
            consumer?.conversations.last { $0.key == conversation }?.unread -= 1
        }
    }

    mutating func notePending(_ message: Int64, in conversation: Int64) {
        conversations[Int(conversation) - 1].untapped.append(message)
    }

    mutating func forgetPending(_ message: Int64, in conversation: Int64) {
        conversations[Int(conversation) - 1].untapped.removeAll { $0 == message }
    }

    func pendingProactive(of consumer: Int64) -> [(conversation: Int64, message: Int64)] {
        consumers[Int(consumer) - 1].conversations.flatMap { key in
            conversations[Int(key) - 1].untapped.map { (conversation: key, message: $0) }
        }
    }

    func visit(upTo sequence: Int64?, of conversation: KnownConversation, _ body: (MessageLink) -> Bool) {
        if flaw == .miscountsReads, sequence != nil { return }
        for link in conversations[Int(conversation.key) - 1].messages.reversed() {
            if let sequence, link.sequence > sequence { continue }
            guard body(link) else { return }
        }
    }

    func sequence(ofMessage id: MessageID, in conversation: Int64) -> Int64? {
        guard let found = messages[Int64(bitPattern: id.high)], found.message.id == id,
            found.conversation == conversation
        else { return nil }
        return found.message.sequence
    }

    func message(
        _ key: Int64
    ) -> (kind: MessageKind, collapseKey: String?, consentCategory: String?, isRead: Bool)? {
        guard let (message, conversation) = messages[key] else { return nil }
        let isRead = conversations[Int(conversation) - 1].readSequence >= message.sequence
        return (message.kind, message.collapseKey, message.consentCategory, isRead)
    }

    mutating func campaign(_ name: BrandedName, at now: Timestamp) -> Int64 {
        let brand = brand(name.brand)
        if let known = campaigns[brand]?[name.id] { return known }
        lastCampaign += 1
        campaigns[brand, default: [:]][name.id] = lastCampaign
        return lastCampaign
    }

    // MARK: Replays

    mutating func remember(_ event: EventKey, hash: UInt64, message: Int64?, hours: Int64) -> FirstArrival? {
        if flaw != .countsReplay {
            for name in [event.consumer] + event.otherNames {
                if let first = firstArrival(event.text(of: name), event.brand, on: event.day, hours: hours) {
                    return first
                }
            }
        }
        dedupe[key(event.text(of: event.consumer), event.brand, on: event.day)] =
            FirstArrival(message: message, hash: hash)
        dedupeDays.insert(event.day)
        return nil
    }

    mutating func forget(_ event: EventKey) {
        dedupe[key(event.text(of: event.consumer), event.brand, on: event.day)] = nil
    }

    func firstArrival(_ request: ClientRequest, hours: Int64) -> FirstArrival? {
        firstArrival(request.text, request.brand, on: request.day, hours: hours)
    }

    mutating func remember(_ request: ClientRequest, message: Int64) {
        dedupe[key(request.text, request.brand, on: request.day)] = FirstArrival(message: message, hash: 0)
        dedupeDays.insert(request.day)
    }

    private func firstArrival(_ text: String, _ brand: Int64, on today: Int64, hours: Int64) -> FirstArrival? {
        let oldest = EventKey.oldestDay(today, hours: hours)
        for day in dedupeDays.sorted(by: >) where day >= oldest {
            if let first = dedupe[key(text, brand, on: day)] { return first }
        }
        return nil
    }

    private func key(_ text: String, _ brand: Int64, on day: Int64) -> DayKey {
        DayKey(day: day, brand: self.brand(brand), event: text)
    }

    func mergedConsumers(into consumer: Int64, limit: Int) -> [Int64] {
        let merged = consumers.indices.reversed().filter { consumers[$0].mergedInto == consumer }
        return merged.prefix(limit).map { Int64($0) + 1 }
    }

    func written(_ message: Int64) -> StoredConsumerMessage? {
        guard let (message, conversation) = messages[message] else { return nil }
        return StoredConsumerMessage(
            id: message.id,
            sequence: message.sequence,
            conversation: conversations[Int(conversation) - 1].name,
            text: message.text,
            data: message.data?.text
        )
    }

    func ownConversations(of consumer: Int64, limit: Int) -> Int {
        min(consumers[Int(consumer) - 1].conversations.count { conversations[Int($0) - 1].isOwn }, limit)
    }

    func accepted(_ message: Int64) -> AcceptedEvent? {
        guard let (message, conversation) = messages[message] else { return nil }
        let stored = conversations[Int(conversation) - 1]
        let consumer = consumers[Int(stored.consumer) - 1]
        guard !consumer.isErased, !consumer.isDeleted else { return nil }
        return AcceptedEvent(
            messageID: message.id,
            conversation: stored.name,
            sequence: message.sequence,
            unread: consumer.unread,
            deliveries: 0
        )
    }

    // MARK: Outbound feed

    func publish(_ brand: Int64, at now: Timestamp, _ fact: @autoclosure () -> OutboundFact) {}

    func publishFailed(_ delivery: Int64, at now: Timestamp) {}
}
