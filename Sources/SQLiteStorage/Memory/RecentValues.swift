/// The values that were used last, at most twice `limit` of them: two generations instead of a list, so that a hit
/// costs one look-up and no writing.
struct RecentValues<Key: Hashable, Value> {
    private let limit: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    init(limit: Int) { self.limit = limit }

    /// The value of a key; one of the old generation becomes young again.
    mutating func value(_ key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old[key] else { return nil }
        keep(value, for: key)
        return value
    }

    /// The value of a key, without making it young: for work that is not on the hot path.
    func peek(_ key: Key) -> Value? { young[key] ?? old[key] }

    mutating func keep(_ value: Value, for key: Key) {
        if young.count >= limit {
            old = young
            young = [:]
            young.reserveCapacity(limit)
        }
        young[key] = value
    }

    mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
