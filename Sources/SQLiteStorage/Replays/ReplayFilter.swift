/// Which buckets may hold an event id: it leaves out none that does, and names a wrong one for about one id in 250.
///
/// A table with places of two bytes, at most five eighths of them in use: linear probing, by the lower bits of an id's mark; a
/// place holds ten of the upper ones and the number of the bucket, counted from 1.
struct ReplayFilter {
    /// The places of a table: a power of two, at most 2^20.
    enum Size: Int {
        /// For 81,920 ids: a quarter of a megabyte, for gateways with little to do.
        case small = 0x2_0000
        /// For 655,360 ids: two megabytes.
        case large = 0x10_0000
    }

    /// How many buckets it takes.
    static let maxBuckets = 63

    /// The buckets; nil where one is gone.
    private var buckets: [Int64?] = []
    private var places: [UInt16]
    private let mask: Int
    private var count = 0

    /// An empty one.
    init(_ size: Size) {
        places = [UInt16](repeating: 0, count: size.rawValue)
        mask = size.rawValue - 1
    }

    /// How many ids it takes.
    private var capacity: Int { places.count / 8 * 5 }

    /// Whether none of its buckets is there any more.
    var isEmpty: Bool { buckets.allSatisfy { $0 == nil } }

    /// The buckets that are there.
    var present: [Int64] { buckets.compactMap(\.self) }

    /// Takes a bucket in, whose ids follow.
    ///
    /// - Parameters:
    ///   - bucket: The bucket.
    ///   - size: How many ids it may come to have.
    /// - Returns: Its number for ``add(_:to:)``; nil when there is no room.
    mutating func open(_ bucket: Int64, size: Int) -> Int? {
        guard buckets.count < Self.maxBuckets, count + size <= capacity else { return nil }
        buckets.append(bucket)
        return buckets.count
    }

    /// Takes an id in.
    mutating func add(_ mark: UInt32, to number: Int) {
        var place = Int(mark) & mask
        while places[place] != 0 { place = (place + 1) & mask }
        places[place] = Self.tag(mark) | UInt16(number)
        count += 1
    }

    /// Forgets a bucket; its ids stay until all buckets are gone.
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
