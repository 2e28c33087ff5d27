/// A filter for the buckets that may hold an event id: no false negatives, and a false positive for about one id in
/// 250.
///
/// A table with entries of two bytes, at most five eighths of them in use: linear probing, by the lower bits of an id's
/// mark. An entry holds ten of the upper ones and the number of the bucket, counted from 1.
struct ReplayFilter {
    /// The number of entries of a table: a power of two, at most 2^20.
    enum Size: Int {
        /// For 81,920 ids: a quarter of a megabyte, for gateways with little load.
        case small = 0x2_0000
        /// For 655,360 ids: two megabytes.
        case large = 0x10_0000
    }

    /// The upper bound of the number of buckets.
    static let maxBuckets = 63

    /// The buckets; nil for a removed one.
    private var buckets: [Int64?] = []
    private var places: [UInt16]
    private let mask: Int
    private var count = 0

    /// Creates an empty filter.
    init(_ size: Size) {
        places = [UInt16](repeating: 0, count: size.rawValue)
        mask = size.rawValue - 1
    }

    /// The upper bound of the number of ids.
    private var capacity: Int { places.count / 8 * 5 }

    /// Whether all of its buckets were removed.
    var isEmpty: Bool { buckets.allSatisfy { $0 == nil } }

    /// The buckets that were not removed.
    var present: [Int64] { buckets.compactMap(\.self) }

    /// Adds a bucket, whose ids follow.
    ///
    /// - Parameters:
    ///   - bucket: The bucket.
    ///   - size: The number of ids that it may get.
    /// - Returns: Its number for ``add(_:to:)``; nil when there is no room.
    mutating func open(_ bucket: Int64, size: Int) -> Int? {
        guard buckets.count < Self.maxBuckets, count + size <= capacity else { return nil }
        buckets.append(bucket)
        return buckets.count
    }

    /// Adds an id.
    mutating func add(_ mark: UInt32, to number: Int) {
        var place = Int(mark) & mask
        while places[place] != 0 { place = (place + 1) & mask }
        places[place] = Self.tag(mark) | UInt16(number)
        count += 1
    }

    /// Removes a bucket; its ids stay until all buckets are removed.
    mutating func remove(_ bucket: Int64) {
        for index in buckets.indices where buckets[index] == bucket { buckets[index] = nil }
    }

    /// Appends the buckets that may hold an id.
    func find(_ mark: UInt32, into found: inout [Int64]) {
        let tag = Self.tag(mark)
        var place = Int(mark) & mask
        while places[place] != 0 {
            let number = Int(places[place] & 0x3F)
            if places[place] & 0xFFC0 == tag, let bucket = buckets[number - 1] { found.append(bucket) }
            place = (place + 1) & mask
        }
    }

    private static func tag(_ mark: UInt32) -> UInt16 { UInt16(truncatingIfNeeded: mark >> 20 & 0x3FF) << 6 }
}
