/// The waits after wrong passwords, by name or by address, limited in number (a value; its owner guards it).
///
/// An attempt counts as wrong from its beginning until its password proves right, so that attempts at the same time are
/// no way around the wait. The first ``free`` wrong ones are free; after the next ones, the wait is 1, 2, 4 s and so on.
/// An hour after the last attempt, all are forgotten.
struct SignInBackoff<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        var wrong: Int
        /// The time until which attempts are rejected, in nanoseconds.
        var until: UInt64
        /// The time of the last attempt.
        var last: UInt64
    }

    /// The number of wrong attempts without a wait.
    static var free: Int { 3 }

    private static var second: UInt64 { 1_000_000_000 }

    private let longestSeconds: UInt64
    private let capacity: Int
    private var entries: [Key: Entry] = [:]

    /// Creates waits.
    ///
    /// - Parameters:
    ///   - longestSeconds: The longest wait.
    ///   - capacity: The maximum number of names or addresses.
    init(longestSeconds: UInt64, capacity: Int = 10_000) {
        self.longestSeconds = longestSeconds
        self.capacity = capacity
    }

    /// The number of names or addresses with attempts.
    var count: Int { entries.count }

    /// Returns for how many seconds an attempt would be rejected; nil when it would not be.
    func wait(_ key: Key, now: UInt64) -> Int? {
        guard let entry = entries[key], entry.until > now else { return nil }
        return Int((entry.until - now + Self.second - 1) / Self.second)
    }

    /// Counts an attempt that is not rejected.
    mutating func begin(_ key: Key, now: UInt64) {
        if entries[key] == nil, entries.count >= capacity { makeRoom(now) }
        let known = entries[key].flatMap { isOver($0, now) ? nil : $0 }
        let wrong = (known?.wrong ?? 0) + 1
        let seconds = wrong > Self.free ? min(1 << UInt64(min(wrong - Self.free - 1, 32)), longestSeconds) : 0
        entries[key] = Entry(wrong: wrong, until: now + seconds * Self.second, last: now)
    }

    /// Undoes an attempt that was not wrong.
    mutating func undo(_ key: Key, now: UInt64) {
        guard var entry = entries[key] else { return }
        entry.wrong -= 1
        entry.until = now
        entries[key] = entry.wrong > 0 ? entry : nil
    }

    /// Forgets all attempts.
    mutating func forget(_ key: Key) { entries[key] = nil }

    private func isOver(_ entry: Entry, _ now: UInt64) -> Bool { entry.last + 3600 * Self.second <= now }

    /// Removes those that are over; when that is not enough, those without a wait; when that is not enough, all.
    private mutating func makeRoom(_ now: UInt64) {
        entries = entries.filter { !isOver($0.value, now) }
        if entries.count >= capacity { entries = entries.filter { $0.value.until > now } }
        if entries.count >= capacity { entries = [:] }
    }
}
