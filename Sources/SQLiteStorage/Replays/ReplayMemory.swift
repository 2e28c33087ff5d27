/// The writer's memory of the stored event ids, so that it rarely reads the table for a new one.
///
/// Ids are stored in buckets, one after the other: the bucket that is being filled has few pages, so that a turn's ids
/// share them, in any order. Filters name the earlier buckets that may hold an id; the table decides.
struct ReplayMemory {
    /// The number of ids of a bucket.
    static let bucketSize = 16_384
    /// The upper bound of the number of filters, of 2 MB each except the first: beyond some 10 million ids the next
    /// ones are stored by the day, and looked up there.
    static let maxFilters = 16

    /// The bucket that is being filled.
    private struct Open {
        var bucket: Int64
        var filter: Int
        var number: Int
        /// The marks of its ids, by their numbers.
        var marks: [UInt32] = []
    }

    /// A bucket that is full, or whose day is over, with the marks of its ids by their numbers.
    struct Closed: Equatable {
        var bucket: Int64
        var marks: [UInt32]
    }

    /// Whether it was read from the file.
    var isLoaded = false
    /// The bucket of the last stored id.
    private(set) var current: Int64 = 0
    /// Buckets that are in no filter.
    private var others: [Int64] = []
    private var filters: [ReplayFilter] = []
    private var open: Open?
    /// Whether the running transaction has stored ids.
    private var hasAdded = false
    /// Buckets that the running transaction has emptied.
    private var emptied: [Int64] = []

    /// Every bucket, the newest first.
    var buckets: [Int64] { (others + filters.flatMap(\.present)).sorted(by: >) }

    // MARK: Lookup

    /// Returns the buckets in which an id must be looked up, the newest first; none of a day before the oldest that
    /// counts.
    func candidates(_ mark: UInt32, since oldest: Int64) -> [Int64] {
        var found = others
        for index in filters.indices { filters[index].find(mark, into: &found) }
        guard !found.isEmpty else { return found }
        return Set(found).filter { Self.day(of: $0) >= oldest }.sorted(by: >)
    }

    /// Returns the day of a bucket, which is its number where the earlier version stored ids by the day.
    static func day(of bucket: Int64) -> Int64 { bucket < 1 << 20 ? bucket : bucket >> 20 }

    /// Whether a filter may hold a bucket: not one that has all ids of a day.
    static func isKnown(_ bucket: Int64) -> Bool { bucket > 1 << 20 && bucket & 0xF_FFFF != 0 }

    // MARK: Adding

    /// Makes ``current`` the bucket for an id of a day.
    ///
    /// - Parameter day: The day, since 1970.
    /// - Returns: The closed bucket, if this is another.
    mutating func prepare(for day: Int64) -> Closed? {
        if let open, Self.day(of: open.bucket) == day, open.marks.count < Self.bucketSize {
            current = open.bucket
            return nil
        }
        let closed = open.map { Closed(bucket: $0.bucket, marks: $0.marks) }
        open = nil
        current = (buckets.first { Self.isKnown($0) && Self.day(of: $0) == day } ?? day << 20) + 1
        if let (filter, number) = room(for: current) {
            open = Open(bucket: current, filter: filter, number: number)
        } else {
            current = day << 20
            if !others.contains(current) { others.append(current) }
        }
        return closed
    }

    /// The number of the next id in ``current``, from 0 on; nil where ids have no numbers.
    var nextNumber: Int? { open?.marks.count }

    /// The marks of the ids of a bucket by their numbers, if it is the one that is being filled.
    func openMarks(of bucket: Int64) -> [UInt32]? { open?.bucket == bucket ? open?.marks : nil }

    /// Records that an id was stored in ``current``.
    mutating func add(_ mark: UInt32) {
        hasAdded = true
        guard let filter = open?.filter, let number = open?.number else { return }
        filters[filter].add(mark, to: number)
        open?.marks.append(mark)
    }

    /// Returns a free place for a bucket in a filter.
    private mutating func room(for bucket: Int64) -> (filter: Int, number: Int)? {
        for index in filters.indices.reversed() {
            if let number = filters[index].open(bucket, size: Self.bucketSize) { return (index, number) }
        }
        guard filters.count < Self.maxFilters else { return nil }
        filters.append(ReplayFilter(filters.isEmpty ? .small : .large))
        return filters[filters.count - 1].open(bucket, size: Self.bucketSize).map { (filters.count - 1, $0) }
    }

    // MARK: Loading

    /// Adds a bucket that an earlier process has stored.
    ///
    /// - Parameters:
    ///   - bucket: The bucket.
    ///   - marks: The marks of its ids; nil where ids are looked up in the table.
    ///   - isOpen: Whether more ids are added to it.
    mutating func load(_ bucket: Int64, _ marks: [UInt32]?, isOpen: Bool) {
        guard let marks, marks.count <= Self.bucketSize, let (filter, number) = room(for: bucket) else {
            others.append(bucket)
            return
        }
        for mark in marks { filters[filter].add(mark, to: number) }
        if isOpen { open = Open(bucket: bucket, filter: filter, number: number, marks: marks) }
    }

    // MARK: Removing

    /// Records that the running transaction has emptied a bucket.
    mutating func noteEmptied(_ bucket: Int64) { emptied.append(bucket) }

    /// Ends the running transaction with a commit: the buckets that it emptied are removed.
    mutating func committed() {
        hasAdded = false
        guard !emptied.isEmpty else { return }
        for bucket in emptied where bucket != open?.bucket {
            others.removeAll { $0 == bucket }
            for index in filters.indices { filters[index].remove(bucket) }
        }
        emptied = []
        dropFilters()
    }

    /// Ends the running transaction with a rollback: if it stored ids, everything is read again.
    mutating func rolledBack() {
        if hasAdded { self = ReplayMemory() }
        emptied = []
    }

    private mutating func dropFilters() {
        var kept: [ReplayFilter] = []
        for (index, filter) in filters.enumerated() where !filter.isEmpty {
            if open?.filter == index { open?.filter = kept.count }
            kept.append(filter)
        }
        filters = kept
    }
}
