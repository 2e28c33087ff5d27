/// How far a window's conversations are downloaded and acknowledged; a pure value.
///
/// The gateway sends each message once in a connection, in order, except that live messages may precede those of a late
/// `resume`. What a new connection must send again is decided here.
struct WindowPositions: Sendable {
    /// The most conversations; a consumer may open 1,000.
    static let maxConversations = 2000
    /// The most messages of a conversation that are remembered before their turn; more may come twice.
    static let maxAhead = 1024

    private struct Position: Sendable {
        /// Every message up to it was received, or does not exist any more.
        var through: Int
        /// The value of ``through`` at the start of the connection: a message that is not beyond it is a repetition.
        var floor: Int
        /// The last sequence when the connection opened; 0 if it was not named.
        var target = 0
        /// The later messages that came before those up to the target, also in an earlier connection.
        var ahead: Set<Int> = []
        /// The sequence up to which the app showed the messages.
        var shown = 0
        /// The sequence up to which the gateway counts them as read.
        var confirmed = 0
        /// The sequence of the last acknowledgement in this connection.
        var acknowledged = 0
        /// Whether an acknowledgement waits.
        var isWaiting = false

        /// The sequence to acknowledge; nil if there is none.
        var acknowledgement: Int? {
            let upTo = min(shown, through)
            return upTo > max(confirmed, acknowledged) ? upTo : nil
        }

        /// Continues behind the messages that came ahead, once those before them are there.
        mutating func merge() {
            guard through >= target else { return }
            through = max(through, ahead.max() ?? 0)
            ahead = []
        }
    }

    private var positions: [ByteText: Position] = [:]
    private var waiting: [ByteText] = []
    /// Whether requested messages have arrived in this connection: no live message comes before the last of them then.
    private var hasPages = false

    /// Creates positions.
    ///
    /// - Parameter stored: The last sequences that the app has stored.
    init(stored: [String: Int]) {
        for (id, sequence) in stored.prefix(Self.maxConversations) where sequence >= 0 {
            positions[ByteText(id)] = Position(through: sequence, floor: sequence)
        }
    }

    /// Whether everything is received that was there when the connection opened.
    var isDownloaded: Bool { !positions.values.contains { $0.through < $0.target } }

    /// Whether an acknowledgement waits to be sent.
    var hasAcknowledgement: Bool { !waiting.isEmpty }

    /// Begins a connection.
    ///
    /// - Parameters:
    ///   - conversations: The conversations of `ready`.
    ///   - hasMore: Whether there are others.
    /// - Returns: The messages to request: of the named conversations that have some, then of others as far as one
    ///   `resume` has room.
    mutating func begin(
        _ conversations: [WindowServerFrame.Counts],
        hasMore: Bool
    ) -> [WindowClientFrame.Resumption] {
        waiting = []
        hasPages = false
        for (key, known) in positions {
            var position = known
            position.floor = position.through
            position.target = 0
            position.acknowledged = 0
            position.isWaiting = false
            positions[key] = position
        }
        var list: [WindowClientFrame.Resumption] = []
        var named: Set<ByteText> = []
        for counts in conversations {
            let key = ByteText(counts.id)
            named.insert(key)
            guard positions[key] != nil || positions.count < Self.maxConversations else { continue }
            var position = positions[key] ?? Position(through: counts.readSequence, floor: counts.readSequence)
            if position.through > counts.lastSequence {
                // The gateway's data was restored from a backup, or the app's sequence is not one of this gateway.
                position.through = counts.lastSequence
                position.floor = counts.lastSequence
                position.shown = min(position.shown, counts.lastSequence)
                position.ahead = []
            }
            position.target = counts.lastSequence
            position.confirmed = counts.readSequence
            positions[key] = position
            guard position.through < position.target, list.count < WindowClientFrame.maxResumed else { continue }
            list.append(.init(id: counts.id, afterSequence: position.through))
        }
        var bytes = list.reduce(0) { $0 + Self.bytes(of: $1.id) }
        for key in sortedKeys {
            guard let position = positions[key] else { continue }
            enqueue(key)
            guard hasMore, !named.contains(key), list.count < WindowClientFrame.maxResumed else { continue }
            bytes += Self.bytes(of: key.text)
            guard bytes < WindowClientFrame.maxBytes - 256 else { continue }
            list.append(.init(id: key.text, afterSequence: position.through))
        }
        return list
    }

    private var sortedKeys: [ByteText] {
        positions.keys.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    }

    /// The bytes of a conversation in `resume`, at most: every byte of the id may need an escape.
    private static func bytes(of id: String) -> Int {
        id.utf8.reduce(48) { $0 + ($1 == UInt8(ascii: "\"") || $1 == UInt8(ascii: "\\") ? 2 : 1) }
    }

    /// Notes a message that arrived; returns whether it is new.
    mutating func received(_ id: String, _ sequence: Int) -> Bool {
        let key = ByteText(id)
        guard var position = positions[key] else {
            guard positions.count < Self.maxConversations else { return true }
            positions[key] = Position(through: sequence, floor: sequence - 1)
            return true
        }
        defer {
            positions[key] = position
            enqueue(key)
        }
        guard sequence > position.floor else { return false }
        let isRepeated = position.ahead.contains(sequence)
        if !isRepeated, position.through < position.target, sequence > position.target, !hasPages {
            if position.ahead.count < Self.maxAhead { position.ahead.insert(sequence) }
            return true
        }
        if sequence <= position.target { hasPages = true }
        position.through = max(position.through, sequence)
        position.merge()
        return !isRepeated
    }

    /// Ends the wait for messages up to the targets: they have been removed since.
    mutating func settle() {
        for key in sortedKeys {
            guard var position = positions[key], position.through < position.target else { continue }
            position.through = position.target
            position.merge()
            positions[key] = position
            enqueue(key)
        }
    }

    /// Notes a message of this window that the gateway has stored; it is not sent to this window.
    mutating func wrote(_ id: String, _ sequence: Int) {
        let key = ByteText(id)
        guard let position = positions[key], position.through >= position.target, sequence == position.through + 1
        else { return }
        positions[key]?.through = sequence
    }

    /// Notes that the app showed messages.
    mutating func show(_ id: String, upTo sequence: Int) {
        let key = ByteText(id)
        guard positions[key] != nil || positions.count < Self.maxConversations else { return }
        var position = positions[key] ?? Position(through: sequence, floor: sequence)
        position.shown = max(position.shown, sequence)
        positions[key] = position
        enqueue(key)
    }

    /// Notes that the app showed all messages that it received in a conversation.
    mutating func showReceived(_ id: String) {
        let key = ByteText(id)
        guard let position = positions[key] else { return }
        positions[key]?.shown = max(position.shown, position.ahead.max() ?? 0, position.through)
        enqueue(key)
    }

    /// Notes that the app showed all messages that it received.
    mutating func showAll() {
        for key in sortedKeys { showReceived(key.text) }
    }

    /// Notes a read mark of the gateway.
    mutating func confirmed(_ id: String, upTo sequence: Int) {
        let key = ByteText(id)
        guard let position = positions[key] else { return }
        positions[key]?.confirmed = max(position.confirmed, sequence)
    }

    private mutating func enqueue(_ key: ByteText) {
        guard let position = positions[key], !position.isWaiting, position.acknowledgement != nil else { return }
        positions[key]?.isWaiting = true
        waiting.append(key)
    }

    /// Returns the next acknowledgement to send; nil if there is none.
    mutating func takeAcknowledgement() -> WindowClientFrame? {
        while !waiting.isEmpty {
            let key = waiting.removeFirst()
            positions[key]?.isWaiting = false
            guard let upTo = positions[key]?.acknowledgement else { continue }
            positions[key]?.acknowledged = upTo
            return .acknowledge(conversationID: key.text, upToSequence: upTo)
        }
        return nil
    }
}
