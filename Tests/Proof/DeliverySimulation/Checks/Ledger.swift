import GatewayModel
import GatewayStorage

/// An independent count of what the store should hold of consumers and conversations, from requests and results.
struct Ledger: Sendable {
    private struct First: Sendable {
        var response: AcceptedEvent
        var hash: UInt64
        /// The index of its message's conversation; nil when it made none.
        var conversation: Int?
    }

    private struct Conversation: Sendable {
        var consumer: Int
        /// Whether each message counts as unread, in order.
        var counts: [Bool] = []
        var unread: Int64 = 0
    }

    /// Unread counts, by the consumer's index.
    private(set) var unread: [Int64] = []
    /// The number of reads that lowered the unread count, by the consumer's index.
    private(set) var reads: [Int] = []
    /// Read marks, by the conversation's index.
    private(set) var marks: [Int64] = []
    /// The number of deliveries of each message according to its result, in the order in which they were accepted.
    private(set) var deliveries: [Int] = []
    /// The indexes of messages in that order, by the increasing part of their ids.
    private(set) var places: [UInt64: Int] = [:]
    /// The indexes of consumers that were erased, and of those that were merged into them.
    private(set) var erased: Set<Int> = []
    /// The indexes of consumers whose brand was deleted.
    private(set) var deleted: Set<Int> = []
    /// The consumers that others were merged into, by their indexes.
    private var mergedInto: [Int: Int] = [:]
    private var conversations: [Conversation] = []
    private var events: [String: First] = [:]

    mutating func follow(
        _ turn: WriterTurn,
        _ result: WriterTurnResult,
        _ store: SimulatedStore
    ) throws(Violation) {
        while unread.count < store.consumers.count {
            unread.append(0)
            reads.append(0)
        }
        while conversations.count < store.conversations.count {
            let consumer = store.conversations[conversations.count].consumer
            conversations.append(Conversation(consumer: Int(consumer) - 1))
            marks.append(0)
        }
        for (change, response) in zip(turn.changes, result.changes) {
            switch response {
            case .sessionOpened(let opening), .merged(let opening):
                for merged in opening.merged { merge(merged) }
                continue
            case .erased:
                if case .erase(let request) = change { erase(request, store) }
                continue
            default: break
            }
            guard case .read(let request) = change, case .read(let read) = response,
                case .sequence(let sequence) = request.target
            else { continue }
            let place = Int(read.conversation.rawValue) - 1
            self.read(place, upTo: sequence)
            try expect(.unreadIsExact, read.readSequence == marks[place]) {
                "a read returned mark \(read.readSequence) instead of \(marks[place])"
            }
        }
        for (request, responses) in zip(turn.accepts, result.accepts) {
            for (input, response) in zip(request.events, responses) {
                try follow(input.event, input.messageID, response, request.brand, store)
            }
        }
        for (place, consumer) in store.consumers.enumerated() {
            try expect(.unreadIsExact, consumer.unread == unread[place]) {
                "consumer \(place + 1) has unread \(consumer.unread) instead of \(unread[place])"
            }
        }
        for (key, count) in result.updates.unread {
            try expect(.unreadIsExact, count == unread[Int(key.rawValue) - 1]) {
                "a turn returned unread \(count) of consumer \(key.rawValue)"
            }
        }
    }

    private mutating func follow(
        _ event: AgentEvent,
        _ messageID: MessageID,
        _ response: EventResult,
        _ brand: BrandID,
        _ store: SimulatedStore
    ) throws(Violation) {
        let name = brand.rawValue + "/" + event.id.rawValue
        let first = events[name]
        switch response {
        case .rejected: break
        case .duplicate(let accepted, let bodyDiffers):
            guard let first else {
                throw Violation(invariant: .replayCountsNothing, detail: "\(name) is new and was treated as a replay")
            }
            let isSame = accepted.messageID == first.response.messageID && accepted.sequence == first.response.sequence
            try expect(.replayCountsNothing, isSame && bodyDiffers == (first.hash != event.bodyHash)) {
                "a replay of \(name) has another result than the first"
            }
        case .accepted(let accepted):
            try expect(.replayCountsNothing, first == nil) { "\(name) was accepted twice" }
            let conversation = store.conversation(accepted.conversation, of: event.consumer, brand).map { Int($0) - 1 }
            events[name] = First(
                response: accepted,
                hash: event.bodyHash,
                conversation: accepted.messageID == nil ? nil : conversation
            )
            if event.type == .messagesRead, case .sequence(let sequence) = event.readTarget, let conversation {
                read(conversation, upTo: sequence)
            } else if accepted.messageID != nil {
                try add(event, messageID, accepted, brand, store)
            }
        }
    }

    private mutating func add(
        _ event: AgentEvent,
        _ messageID: MessageID,
        _ accepted: AcceptedEvent,
        _ brand: BrandID,
        _ store: SimulatedStore
    ) throws(Violation) {
        guard let key = store.conversation(accepted.conversation, of: event.consumer, brand) else { return }
        let place = Int(key) - 1
        let counts = event.kind == .agent && !event.silent
        conversations[place].counts.append(counts)
        let sequence = Int64(conversations[place].counts.count)
        try expect(.sequenceDense, accepted.sequence == sequence) {
            "message \(sequence) of conversation \(key) has sequence \(accepted.sequence ?? 0)"
        }
        let consumer = conversations[place].consumer
        if counts {
            conversations[place].unread += 1
            unread[consumer] += 1
        }
        try expect(.unreadIsExact, accepted.unread == unread[consumer]) {
            "an event returned unread \(accepted.unread) instead of \(unread[consumer])"
        }
        places[messageID.high] = deliveries.count
        deliveries.append(accepted.deliveries)
    }

    private mutating func merge(_ merged: ConsumerMerge) {
        let (from, into) = (Int(merged.from.rawValue) - 1, Int(merged.into.rawValue) - 1)
        for place in conversations.indices where conversations[place].consumer == from {
            conversations[place].consumer = into
        }
        unread[into] += unread[from]
        unread[from] = 0
        for (other, target) in mergedInto where target == from { mergedInto[other] = into }
        mergedInto[from] = into
        // Both have read as often as either: one fall of a badge too many is missed, but no correct one is reported.
        reads[into] += reads[from]
    }

    /// Follows an erasure: of the consumer that has had its name longest among the existing ones, since names can be
    /// used again.
    private mutating func erase(_ request: ErasureRequest, _ store: SimulatedStore) {
        let named = store.consumers.indices.first {
            store.consumers[$0].brand == request.brand && store.consumers[$0].id == request.consumer && !isGone($0)
        }
        guard let named else { return }
        let place = mergedInto[named] ?? named
        erased.insert(place)
        erased.formUnion(mergedInto.keys.filter { mergedInto[$0] == place })
        for (name, first) in events {
            guard let conversation = first.conversation, erased.contains(conversations[conversation].consumer) else {
                continue
            }
            // A replay is recognized as one, but names no message.
            events[name]?.response.messageID = nil
            events[name]?.response.sequence = nil
        }
    }

    /// Follows the deletion of a brand: its events are forgotten.
    mutating func delete(_ brand: BrandID, _ store: SimulatedStore) {
        deleted.formUnion(store.consumers.indices.filter { store.consumers[$0].brand == brand })
        events = events.filter { !$0.key.hasPrefix(brand.rawValue + "/") }
    }

    /// Returns whether a consumer was erased, or deleted with its brand.
    func isGone(_ consumer: Int) -> Bool { erased.contains(consumer) || deleted.contains(consumer) }

    private mutating func read(_ place: Int, upTo target: Int64) {
        let mark = min(target, Int64(conversations[place].counts.count))
        guard mark > marks[place] else { return }
        marks[place] = mark
        var left: Int64 = 0
        for index in Int(mark)..<conversations[place].counts.count where conversations[place].counts[index] {
            left += 1
        }
        let consumer = conversations[place].consumer
        if left < conversations[place].unread { reads[consumer] += 1 }
        unread[consumer] += left - conversations[place].unread
        conversations[place].unread = left
    }
}

/// Throws when an invariant does not hold.
func expect(_ invariant: Invariant, _ holds: Bool, _ detail: () -> String) throws(Violation) {
    guard holds else { throw Violation(invariant: invariant, detail: detail()) }
}
