import GatewayModel
import GatewayStorage

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
        var found: [(key: Int64, mark: ReadMark)] = []
        let rows = try db.prepare(
            """
            SELECT key, id, read_sequence FROM conversations WHERE consumer = ? AND told_at > ? \
            ORDER BY told_at DESC, key DESC LIMIT ?
            """
        ).int(consumer).int(now.adding(seconds: -ReadMark.toldForSeconds).milliseconds).int(ReadMark.maxConversations)
        while try rows.next() {
            let mark = ReadMark(
                conversation: ConversationID(trusted: rows.string(1)),
                upToSequence: rows.int64(2),
                messageIDs: []
            )
            found.append((rows.int64(0), mark))
        }
        var room = ReadMark.maxMessages
        for index in found.indices where room > 0 {
            let ids = try messages(of: found[index].key, upTo: found[index].mark.upToSequence, limit: room)
            found[index].mark.messageIDs = ids
            room -= ids.count
        }
        return found.map(\.mark)
    }

    /// Returns the newest messages up to a sequence whose notifications have their id as tag.
    private func messages(of conversation: Int64, upTo sequence: Int64, limit: Int) throws -> [MessageID] {
        var ids: [MessageID] = []
        let rows = try db.prepare(
            """
            SELECT key, low FROM messages WHERE conversation = ? AND sequence <= ? AND sequence > ? AND silent = 0 \
            AND kind <> 'consumer' AND collapse_key IS NULL ORDER BY sequence DESC LIMIT ?
            """
        ).int(conversation).int(sequence).int(sequence - ReadMark.messagesLookedAt).int(limit)
        while try rows.next() {
            ids.append(
                MessageID(high: UInt64(bitPattern: rows.int64(0)), low: UInt64(bitPattern: rows.int64(1)))
            )
        }
        return ids
    }
}
