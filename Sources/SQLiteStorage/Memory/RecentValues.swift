/// The values that were used last, in about a number of bytes: two generations instead of a list, so that a hit costs one
/// look-up and no writing.
///
/// What is kept stays until ``settle()``, which begins a new generation when the young one has half of the bytes: what a
/// turn changes is not lost before it is stored, however small the bound.
struct RecentValues<Key: Hashable, Value> {
    private let limit: Int
    /// What a value and its key take, about.
    private let size: (Key, Value) -> Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private var youngBytes = 0

    /// Remembers nothing yet.
    ///
    /// - Parameters:
    ///   - limit: Bytes of both generations.
    ///   - size: What a value and its key take, in bytes.
    init(limit: Int, size: @escaping (Key, Value) -> Int) {
        self.limit = limit
        self.size = size
    }

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
        young[key] = value
        youngBytes += size(key, value)
    }

    /// A value that is kept takes so many bytes more.
    mutating func grew(by bytes: Int) { youngBytes += bytes }

    /// Begins a new generation when the young one is full; what both had long ago goes.
    mutating func settle() {
        guard youngBytes >= limit / 2 else { return }
        let count = young.count
        old = young
        young = [:]
        young.reserveCapacity(count)
        youngBytes = 0
    }

    mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    mutating func removeAll() {
        young = [:]
        old = [:]
        youngBytes = 0
    }
}
