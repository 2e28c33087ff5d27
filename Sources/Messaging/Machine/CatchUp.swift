import GatewayModel
import GatewayStorage

/// What a window has to read from the store, and the news that wait until it has.
///
/// News are bounded: when there are too many, the messages among them are read from the store again.
struct CatchUp: Sendable {
    /// Up to where each conversation is covered by what was sent, or by what `ready` says.
    private var cursors: [ConversationID: Int64] = [:]
    /// Conversations that are read, the first one now.
    private var queue: [ConversationID] = []
    /// Conversations of which messages were dropped since their last read began.
    private var mustRead: Set<ConversationID> = []
    /// Conversations that are to be read from before the page that is being read.
    private var restarted: Set<ConversationID> = []
    /// What was sent live before the client asked for what lies before it.
    private var sentLive: [ConversationID: ClosedRange<Int64>] = [:]
    /// What the window itself wrote meanwhile, of which it knows.
    private var written: [ConversationID: Set<Int64>] = [:]
    private var buffered: [WindowNews.Kind] = []

    /// Whether nothing is to be read and nothing waits.
    var isDone: Bool { queue.isEmpty && buffered.isEmpty }

    /// Asks for what came after a sequence.
    mutating func want(_ conversation: ConversationID, after sequence: Int64, sentLive range: ClosedRange<Int64>?) {
        sentLive[conversation] = range
        guard queue.contains(conversation) else {
            cursors[conversation] = sequence
            queue.append(conversation)
            return
        }
        // It is read already, because too much news waited, but perhaps from further on.
        if sequence < cursors[conversation] ?? 0 {
            cursors[conversation] = sequence
            restarted.insert(conversation)
        }
    }

    /// What `ready` says is not new, but for what has come since the window is known: nobody else tells that.
    mutating func cover(_ conversation: ConversationID, upTo sequence: Int64) {
        var last = sequence
        for case .message(let message) in buffered where message.conversation == conversation {
            last = min(last, message.sequence - 1)
        }
        cursors[conversation] = max(cursors[conversation] ?? 0, last)
    }

    /// A message of the window itself is not said again, also when it is read from the store.
    mutating func wrote(_ conversation: ConversationID, _ sequence: Int64) {
        // Only a client that writes much faster than it is answered gets so far; it hears the rest of it again.
        guard written[conversation]?.count ?? 0 < WindowLimits.maxBuffered else { return }
        written[conversation, default: []].insert(sequence)
    }

    // MARK: Reading

    /// What is to be read now.
    mutating func nextPage() -> (ConversationID, after: Int64)? {
        guard let first = queue.first else { return nil }
        mustRead.remove(first)
        restarted.remove(first)
        return (first, cursors[first] ?? 0)
    }

    /// Takes what was read.
    ///
    /// - Parameters:
    ///   - page: The messages in order; nil for a conversation that is not the consumer's.
    ///   - limit: How many were asked for.
    /// - Returns: Those to send.
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

    // MARK: News

    /// Keeps news; false when there is no room even without messages.
    mutating func keep(_ kind: WindowNews.Kind) -> Bool {
        if buffered.count >= WindowLimits.maxBuffered { dropMessages() }
        guard buffered.count < WindowLimits.maxBuffered else { return false }
        buffered.append(kind)
        return true
    }

    /// The next news that may be sent; nil when there are none, or something is to be read first.
    mutating func nextNews() -> WindowNews.Kind? {
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

    /// Forgets the messages that wait and has them read from the store; of reads only the last of each conversation is left.
    private mutating func dropMessages() {
        var kept: [WindowNews.Kind] = []
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
