/// The numbers of deliveries of one span of time by provider, state and reason, and the latencies of each provider.
///
/// Stored as entries of 16 bytes: provider and state (16 bits each, the numbers of words), reason (32 bits, 0 for none)
/// and count (64 bits), all little-endian. An entry without a state counts latencies: its reason is a ``bucket(of:)``.
struct LogCounts: Sendable {
    /// The key of a count.
    struct Key: Hashable {
        var provider: UInt16
        var state: UInt16
        var reason: UInt32
    }

    private static let entrySize = 16
    private(set) var counts: [Key: Int64] = [:]

    init() {}

    init(bytes: [UInt8]) {
        counts.reserveCapacity(bytes.count / Self.entrySize)
        add(bytes: bytes)
    }

    var isEmpty: Bool { counts.isEmpty }

    mutating func add(_ key: Key, _ count: Int64) {
        let new = counts[key, default: 0] + count
        counts[key] = new == 0 ? nil : new
    }

    mutating func add(_ others: LogCounts) {
        for (key, count) in others.counts { add(key, count) }
    }

    private mutating func add(bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in Self.forEach(in: bytes) { add($0, $1) } }
    }

    /// Reads the stored entries one by one.
    @inline(__always)
    static func forEach(in bytes: UnsafeRawBufferPointer, _ body: (Key, Int64) -> Void) {
        var offset = 0
        while offset + entrySize <= bytes.count {
            let key = Key(
                provider: UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)),
                state: UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 2, as: UInt16.self)),
                reason: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
            )
            body(key, Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: Int64.self)))
            offset += entrySize
        }
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(counts.count * Self.entrySize)
        for (key, count) in counts {
            withUnsafeBytes(of: key.provider.littleEndian) { bytes.append(contentsOf: $0) }
            withUnsafeBytes(of: key.state.littleEndian) { bytes.append(contentsOf: $0) }
            withUnsafeBytes(of: key.reason.littleEndian) { bytes.append(contentsOf: $0) }
            withUnsafeBytes(of: count.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    // MARK: Latencies

    /// The number of buckets.
    static let bucketCount = Int(bucket(of: longestLatency)) + 1

    /// Longer ones, beyond a day, count as a day.
    private static let longestLatency: Int64 = 86_400_000

    /// Returns the bucket of a latency in milliseconds.
    ///
    /// The layout of HdrHistogram with two significant digits (256 buckets, then 128 for each doubling): the result is
    /// at most 1/128 above the input.
    static func bucket(of milliseconds: Int64) -> UInt32 {
        let value = min(max(milliseconds, 0), longestLatency)
        guard value >= 256 else { return UInt32(value) }
        let shift = Int64.bitWidth - value.leadingZeroBitCount - 8
        return UInt32(shift << 7) + UInt32(value >> Int64(shift))
    }

    /// Returns the longest latency that falls into a bucket, in milliseconds.
    static func longest(in bucket: UInt32) -> Int64 {
        guard bucket >= 256 else { return Int64(bucket) }
        return (Int64(bucket & 127) + 129) << Int64((bucket >> 7) - 1) - 1
    }
}
