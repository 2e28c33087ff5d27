import GatewayModel
import GatewayStorage

/// The messages that a window must read from the store, and the changes that wait until it has.
///
/// The number of waiting changes is bounded: when there are too many, the messages among them are read from the store
/// again.
struct CatchUp: Sendable {
    /// The last sequence of each conversation that was sent, or that the counts in `ready` include.
    private var cursors: [ConversationID: Int64] = [:]
    /// Conversations to read; the first one is being read.
    private var queue: [ConversationID] = []
    /// Conversations of which messages were dropped since their last read began.
    private var mustRead: Set<ConversationID> = []
    /// Conversations to read from an earlier sequence than the page that is being read.
    private var restarted: Set<ConversationID> = []
    /// The sequences sent live before the client requested the messages before them.
    private var sentLive: [ConversationID: ClosedRange<Int64>] = [:]
    /// The messages that the window itself wrote meanwhile.
    private var written: [ConversationID: Set<Int64>] = [:]
    private var buffered: [WindowEvent.Kind] = []

    /// Whether there is nothing to read and nothing waits.
    var isDone: Bool { queue.isEmpty && buffered.isEmpty }

    /// Requests the messages after a sequence.
    mutating func want(_ conversation: ConversationID, after sequence: Int64, sentLive range: ClosedRange<Int64>?) {
        sentLive[conversation] = range
        guard queue.contains(conversation) else {
            cursors[conversation] = sequence
            queue.append(conversation)
            return
        }
        // It is being read already, because too many changes waited, but perhaps from a later sequence.
        if sequence < cursors[conversation] ?? 0 {
            cursors[conversation] = sequence
            restarted.insert(conversation)
        }
    }

    /// Marks messages that `ready` counts as sent, except those since the window was registered: nothing else reports
    /// them.
    mutating func cover(_ conversation: ConversationID, upTo sequence: Int64) {
        var last = sequence
        for case .message(let message) in buffered where message.conversation == conversation {
            last = min(last, message.sequence - 1)
        }
        cursors[conversation] = max(cursors[conversation] ?? 0, last)
    }

    /// Records a message of the window itself: it is not sent to it, not even when it is read from the store.
    mutating func wrote(_ conversation: ConversationID, _ sequence: Int64) {
        // Only a client that writes much faster than it gets responses comes here; it receives the rest again.
        guard written[conversation]?.count ?? 0 < WindowLimits.maxBuffered else { return }
        written[conversation, default: []].insert(sequence)
    }

    // MARK: Reading

    /// Returns the page to read now.
    mutating func nextPage() -> (ConversationID, after: Int64)? {
        guard let first = queue.first else { return nil }
        mustRead.remove(first)
        restarted.remove(first)
        return (first, cursors[first] ?? 0)
    }

    /// Processes a page that was read.
    ///
    /// - Parameters:
    ///   - page: The messages in order; nil for a conversation that is not the consumer's.
    ///   - limit: The requested number of messages.
    /// - Returns: The messages to send.
    mutating func took(_ page: [Message]?, limit: Int) -> [Message] {
        guard let conversation = queue.first, restarted.remove(conversation) == nil else { return [] }
        if let last = page?.last { cursors[conversation] = max(cursors[conversation] ?? 0, last.sequence) }
        if (page?.count ?? 0) < limit, !mustRead.contains(conversation) { queue.removeFirst() }
        let (skipped, own) = (sentLive[conversation], written[conversation])
        if own != nil, let cursor = cursors[conversation] {
            written[conversation] = own?.filter { $0 > cursor }
        }
        return (page ?? []).filter {
            !(skipped?.contains($0.sequence) ?? false) && !(own?.contains($0.sequence) ?? false)
        }
    }

    // MARK: Changes

    /// Stores a waiting change; returns false when there is no room even without messages.
    mutating func keep(_ kind: WindowEvent.Kind) -> Bool {
        if buffered.count >= WindowLimits.maxBuffered { dropMessages() }
        guard buffered.count < WindowLimits.maxBuffered else { return false }
        buffered.append(kind)
        return true
    }

    /// Returns the next change to send; nil when there is none, or when something must be read first.
    mutating func nextEvent() -> WindowEvent.Kind? {
        guard queue.isEmpty else { return nil }
        var position = 0
        defer { buffered.removeFirst(position) }
        while position < buffered.count {
            let kind = buffered[position]
            position += 1
            guard case .message(let message) = kind else { return kind }
            guard message.sequence <= cursors[message.conversation] ?? 0 else {
                cursors[message.conversation] = message.sequence
                return kind
            }
        }
        return nil
    }

    /// Drops the waiting messages and has them read from the store; of reads, only the last of each conversation stays.
    private mutating func dropMessages() {
        var kept: [WindowEvent.Kind] = []
        var reads: Set<ConversationID> = []
        for kind in buffered.reversed() {
            switch kind {
            case .message: break
            case .read(let conversation, _, _):
                if reads.insert(conversation).inserted { kept.append(kind) }
            case .resolved: kept.append(kind)
            case .typing: break
            }
        }
        for case .message(let message) in buffered {
            let conversation = message.conversation
            if let cursor = cursors[conversation], message.sequence <= cursor { continue }
            if cursors[conversation] == nil { cursors[conversation] = message.sequence - 1 }
            mustRead.insert(conversation)
            if !queue.contains(conversation) { queue.append(conversation) }
        }
        buffered = kept.reversed()
    }
}
