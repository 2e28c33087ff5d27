/// The unread count on the device; a pure value.
///
/// The count is always one that the gateway named: by a fetch, by a push, by a read mark. Nothing is added up.
struct UnreadState: Sendable, Equatable {
    /// The time within which a fetched count is still an answer.
    static let cacheDuration = Duration.seconds(10)

    private(set) var count: Int?
    private var fetchedAt: Duration?
    /// The number of counts from pushes and read marks, to see those that come during a fetch.
    private(set) var changes = 0

    init(count: Int? = nil) { self.count = count }

    /// Returns the count if it needs no fetch.
    func cached(at now: Duration) -> Int? {
        guard let fetchedAt, now - fetchedAt < Self.cacheDuration else { return nil }
        return count
    }

    /// A fetch has ended.
    ///
    /// - Parameters:
    ///   - value: The count of the response.
    ///   - changesBefore: ``changes`` at its start.
    ///   - now: The uptime.
    mutating func fetched(_ value: Int, changesBefore: Int, at now: Duration) {
        // A push that came meanwhile is at least as new; the next call fetches again.
        guard changesBefore == changes else { return }
        count = value
        fetchedAt = now
    }

    /// A push, or a read mark, named the count.
    mutating func pushed(_ value: Int) {
        count = value
        changes += 1
    }

    /// All repetitions of a fetch failed.
    mutating func failed(_ profile: PlatformProfile) {
        guard profile.resetsUnreadOnFailure else { return }
        count = 0
        fetchedAt = nil
    }
}
