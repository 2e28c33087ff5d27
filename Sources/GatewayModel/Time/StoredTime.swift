/// The times in the stored data at a start.
package struct StoredTime: Sendable, Equatable {
    /// The stored mark; nil before the first.
    package var mark: ClockMark?
    /// The times of the newest rows, in any order and by any clock; empty when there is no data.
    package var written: [Timestamp]

    /// Creates a value from the data.
    package init(mark: ClockMark? = nil, written: [Timestamp] = []) {
        self.mark = mark
        self.written = written
    }

    /// The newest time by a trusted clock; nil when there is no data.
    ///
    /// With a trusted clock a mark is minutes old at most, so a row far ahead of it was written by a guarded clock.
    /// After a start with the right clock such a row must not set the time.
    package var newest: Timestamp? {
        guard let trusted = mark?.trusted else { return written.max() }
        let latest = trusted.adding(milliseconds: ClockGuard.farAheadMilliseconds)
        return written.reduce(trusted) { $1 <= latest ? max($0, $1) : $0 }
    }
}
