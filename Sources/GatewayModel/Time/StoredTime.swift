/// The times that stored data shows at a start.
package struct StoredTime: Sendable, Equatable {
    /// The mark that the gateway kept; nil before the first.
    package var mark: ClockMark?
    /// The times of the newest rows, in any order, whatever clock wrote them; empty when there is no data.
    package var written: [Timestamp]

    /// Takes what the data shows.
    ///
    /// - Parameters:
    ///   - mark: The mark that the gateway kept.
    ///   - written: The times of the newest rows.
    package init(mark: ClockMark? = nil, written: [Timestamp] = []) {
        self.mark = mark
        self.written = written
    }

    /// The newest time that a trusted clock wrote; nil when there is no data.
    ///
    /// A mark is minutes old at most when a trusted clock writes, so that a row far ahead of it is of a guarded clock. After
    /// a start with the right clock it must not lead time astray again.
    package var newest: Timestamp? {
        guard let trusted = mark?.trusted else { return written.max() }
        let latest = trusted.adding(milliseconds: ClockGuard.farAheadMilliseconds)
        return written.reduce(trusted) { $1 <= latest ? max($0, $1) : $0 }
    }
}
