import GatewayModel
import GatewayStorage
import TurnRules

/// The read marks of badges; derived from the stored data, so that a badge that is retried, or that replaced others,
/// has all of their marks.
extension Writer {
    /// Adds the read marks to badges that are about to be sent; the turn's counters are stored already.
    func addReadMarks(to rows: inout [OutboxRow], now: Timestamp) throws {
        var known: [ConsumerKey: [ReadMark]] = [:]
        for index in rows.indices where rows[index].kind == .badge {
            let consumer = rows[index].consumer
            let marks = try known[consumer] ?? readMarks(of: consumer.rawValue, now: now)
            known[consumer] = marks
            rows[index].read = marks
        }
    }

    /// Returns a consumer's conversations whose reads were lately sent to its devices, the last one first.
    func readMarks(of consumer: Int64, now: Timestamp) throws -> [ReadMark] {
        var found: [(head: MessageChains.Head, mark: ReadMark)] = []
        let rows = try db.prepare(
            """
            SELECT c.key, c.id, c.read_sequence, h.last_message FROM conversations c \
            JOIN conversation_heads h ON h.conversation = c.key WHERE c.consumer = ? AND c.told_at > ? \
            ORDER BY c.told_at DESC, c.key DESC LIMIT ?
            """
        ).int(consumer).int(now.adding(seconds: -ReadMark.sentForSeconds).milliseconds).int(ReadMark.maxConversations)
        while try rows.next() {
            let mark = ReadMark(
                conversation: ConversationID(trusted: rows.string(1)),
                upToSequence: rows.int64(2),
                messageIDs: []
            )
            found.append((MessageChains.Head(conversation: rows.int64(0), last: rows.int64(3)), mark))
        }
        var room = ReadMark.maxMessages
        for index in found.indices where room > 0 {
            let ids = try messages(of: found[index].head, upTo: found[index].mark.upToSequence, limit: room)
            found[index].mark.messageIDs = ids
            room -= ids.count
        }
        return found.map(\.mark)
    }

    /// Returns the newest messages up to a sequence whose notifications have their id as tag.
    private func messages(of head: MessageChains.Head, upTo sequence: Int64, limit: Int) throws -> [MessageID] {
        var ids: [MessageID] = []
        try chains.visit(upTo: sequence, of: head) { link in
            guard link.sequence > sequence - ReadMark.messagesLookedAt else { return false }
            if !link.isSilent, link.collapseKey == nil, MessageKind(rawValue: link.kind) != .consumer {
                ids.append(MessageID(high: UInt64(bitPattern: link.key), low: UInt64(bitPattern: link.low)))
            }
            return ids.count < limit
        }
        return ids
    }
}
