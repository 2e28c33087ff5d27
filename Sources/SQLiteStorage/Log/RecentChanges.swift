import DequeModule
import GatewayModel
import GatewayStorage
import Synchronization

/// The newest changes of the delivery logs that are followed, in memory: a reader that keeps up does not read again what
/// the writer has just written.
///
/// A brand's log is followed from its first read on, until it was not read for ``idleTime``. The writer adds what a
/// transaction has changed when it is committed. A reader that has not read everything before it, or for which it is
/// too short, reads the database. Any thread may call.
final class RecentChanges: Sendable {
    /// One change.
    struct Change {
        /// Its place in the order of changes.
        var position: Int64
        /// The delivery.
        var delivery: Int64
        /// The key of the delivery's brand.
        var brand: Int64
        /// The delivery after the change; nil when it is to be read from the log.
        var followed: FollowedDelivery?
    }

    /// The changes after a position.
    struct Found {
        /// In order, without those that a later one replaces.
        var changes: [Change]
        /// The position up to which changes were found.
        var position: Int64
        /// Whether there are no more.
        var isEnd: Bool
    }

    /// The logs that the running transaction reports.
    struct Following {
        /// The keys of the brands that are followed.
        var brands: [Int64] = []
        /// The position after which changes of followed logs may be in memory.
        var start: Int64 = 0
        /// The brands that are followed from this transaction on.
        var awaited: [BrandID] = []

        var isEmpty: Bool { brands.isEmpty && awaited.isEmpty }
    }

    /// A transaction's changes of one brand, none of them empty.
    private struct Piece {
        var changes: [Change]
        /// The deliveries that are to be read from the log: only these may have an earlier change.
        var unread: [Int64]
    }

    private struct Log {
        let brand: Int64
        /// Every change after this position is here.
        var start: Int64
        var pieces = Deque<Piece>()
        var readAt: ContinuousClock.Instant

        /// The position of its oldest change.
        var oldest: Int64? { pieces.first?.changes.first?.position }
    }

    private struct State {
        var logs: [BrandID: Log] = [:]
        /// When brands were read whose logs are followed from the next transaction on.
        var awaited: [BrandID: ContinuousClock.Instant] = [:]
        /// The number of changes in all logs.
        var count = 0

        /// Removes the oldest changes of all logs until so many are left; returns them, to be freed without the lock.
        mutating func trim(to limit: Int) -> [Piece] {
            var removed: [Piece] = []
            while count > limit {
                let oldest = logs.min { ($0.value.oldest ?? .max) < ($1.value.oldest ?? .max) }?.key
                guard let oldest, let piece = logs[oldest]?.pieces.popFirst() else { break }
                count -= piece.changes.count
                if let last = piece.changes.last { logs[oldest]?.start = last.position }
                removed.append(piece)
            }
            return removed
        }

        /// Removes a log and returns it.
        mutating func remove(_ brand: BrandID) -> Log? {
            let log = logs.removeValue(forKey: brand)
            count -= log?.pieces.reduce(0) { $0 + $1.changes.count } ?? 0
            return log
        }
    }

    /// The number of changes that are kept, shared by the logs, about 8 MB: more than are made while a reader waits between
    /// two reads.
    static let changesInAll = 16_384
    /// The number of brands whose logs are followed at once: the streams of all brands together have the same limit.
    static let brandLimit = 64
    /// The time without a read after which a log is not followed any more.
    static let idleTime = Duration.seconds(10)

    private let changesInAll: Int
    private let idleTime: Duration
    private let state = Mutex(State())

    /// Creates it without logs; only tests have other limits.
    init(changesInAll: Int = RecentChanges.changesInAll, idleTime: Duration = RecentChanges.idleTime) {
        self.changesInAll = changesInAll
        self.idleTime = idleTime
    }

    // MARK: Readers

    /// Returns the changes of a brand's log after a position; nil when not all of them are here: then the log is followed
    /// from the next transaction on.
    func changes(of brand: BrandID, after position: Int64, limit: Int) -> Found? {
        let pieces: Deque<Piece>? = state.withLock { state in
            guard state.logs[brand] != nil else {
                let isKnown = state.awaited[brand] != nil
                if isKnown || state.logs.count + state.awaited.count < Self.brandLimit { state.awaited[brand] = .now }
                return nil
            }
            state.logs[brand]?.readAt = .now
            guard let log = state.logs[brand], position >= log.start else { return nil }
            return log.pieces
        }
        guard let pieces else { return nil }
        var first = pieces.endIndex
        while first > 0, let last = pieces[first - 1].changes.last, last.position > position { first -= 1 }
        // A delivery appears at its newest change only.
        let again = Set(pieces[first...].lazy.flatMap(\.unread))
        var found = Found(changes: [], position: position, isEnd: true)
        for piece in pieces[first...] {
            for change in piece.changes where change.position > position {
                guard found.changes.count < limit else {
                    found.isEnd = false
                    return found
                }
                found.position = change.position
                if change.followed == nil || again.isEmpty || !again.contains(change.delivery) {
                    found.changes.append(change)
                }
            }
        }
        return found
    }

    // MARK: The writer

    /// Returns what the next transaction reports.
    func following() -> Following {
        // Those that are not followed any more are freed without the lock.
        let (following, _): (Following, [Log]) = state.withLock { state in
            guard !state.logs.isEmpty || !state.awaited.isEmpty else { return (Following(), []) }
            let now = ContinuousClock.now
            let idle = state.logs.filter { now - $1.readAt >= idleTime }.map(\.key)
            let removed = idle.compactMap { state.remove($0) }
            for (brand, readAt) in state.awaited where now - readAt >= idleTime { state.awaited[brand] = nil }
            let following = Following(
                brands: state.logs.values.map(\.brand),
                start: state.logs.values.map(\.start).min() ?? 0,
                awaited: Array(state.awaited.keys)
            )
            return (following, removed)
        }
        return following
    }

    /// Adds what a committed transaction has changed.
    ///
    /// - Parameters:
    ///   - changes: The changes of followed logs, in order.
    ///   - opened: The keys of awaited brands; of these logs every later change is added.
    ///   - awaited: The brands that were awaited, with those that do not exist.
    ///   - last: The position of the last change.
    func add(_ changes: [Change], opened: [BrandID: Int64], awaited: [BrandID], last: Int64) {
        let byBrand = Dictionary(grouping: changes, by: \.brand)
        // What is removed is freed without the lock.
        _ = state.withLock { state -> [Piece] in
            // By index: a copy of a log here would copy its pieces.
            var index = state.logs.startIndex
            while index != state.logs.endIndex {
                if let own = byBrand[state.logs.values[index].brand] {
                    let unread = own.filter { $0.followed == nil }.map(\.delivery)
                    state.logs.values[index].pieces.append(Piece(changes: own, unread: unread))
                    state.count += own.count
                }
                state.logs.formIndex(after: &index)
            }
            for (id, brand) in opened {
                guard let readAt = state.awaited[id] else { continue }
                state.logs[id] = Log(brand: brand, start: last, readAt: readAt)
            }
            for id in awaited { state.awaited[id] = nil }
            return state.trim(to: changesInAll)
        }
    }

    /// Forgets all changes: readers read the log until the next ones.
    func forgetAll() {
        _ = state.withLock { state -> [BrandID: Log] in
            for (id, log) in state.logs { state.awaited[id] = log.readAt }
            defer { (state.logs, state.count) = ([:], 0) }
            return state.logs
        }
    }
}
