/// A cache of the most recently used values within about a number of bytes: two generations instead of a list, so that
/// a hit costs one lookup and no write.
///
/// Entries stay until ``settle()``, which begins a new generation when the young one has half of the bytes: so a turn's
/// changes are not lost before they are stored, however small the limit.
struct GenerationalCache<Key: Hashable, Value> {
    private let limit: Int
    /// The approximate memory of a value and its key.
    private let size: (Key, Value) -> Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private var youngBytes = 0

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - limit: The bytes of both generations.
    ///   - size: The approximate memory of a value and its key, in bytes.
    init(limit: Int, size: @escaping (Key, Value) -> Int) {
        self.limit = limit
        self.size = size
    }

    /// Returns the value of a key; one of the old generation becomes young again.
    mutating func value(_ key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old[key] else { return nil }
        keep(value, for: key)
        return value
    }

    /// Returns the value of a key, without making it young: for work that is not on the hot path.
    func peek(_ key: Key) -> Value? { young[key] ?? old[key] }

    mutating func keep(_ value: Value, for key: Key) {
        young[key] = value
        youngBytes += size(key, value)
    }

    /// Adds to the size of a cached value.
    mutating func grew(by bytes: Int) { youngBytes += bytes }

    /// Begins a new generation when the young one is full; the old generation's values are evicted.
    mutating func settle() {
        guard youngBytes >= limit / 2 else { return }
        let count = young.count
        old = young
        young = [:]
        young.reserveCapacity(count)
        youngBytes = 0
    }

    mutating func remove(_ key: Key) {
        if let value = young.removeValue(forKey: key) { youngBytes = max(youngBytes - size(key, value), 0) }
        old[key] = nil
    }

    mutating func removeAll() {
        young = [:]
        old = [:]
        youngBytes = 0
    }
}
