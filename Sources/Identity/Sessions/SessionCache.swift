import GatewayModel
import GatewayStorage
import TextFormats

/// A bounded cache of sessions, found by their tokens' hashes and removed by consumer, credential or brand.
///
/// Each brand has its share: a brand with many sessions does not evict another's. A session is a slot of about 100
/// bytes in one array; names of brands and credentials are stored once. Ending all sessions of a brand or a credential
/// has a constant cost: its name's number is invalidated, and sessions with an invalid number are not found. The
/// sessions of one consumer are linked, so that ending them visits no others.
struct SessionCache {
    /// The 32 bytes of a hash as a key without a heap allocation.
    struct Key: Hashable {
        let words: SIMD4<UInt64>

        init(_ bytes: [UInt8]) {
            words = bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
        }

        // A part of a SHA-256 is as good as all of it.
        func hash(into hasher: inout Hasher) { hasher.combine(words.x) }
    }

    /// A slot for a session; an unused one is in the free list.
    private struct Slot {
        var key: Key
        var consumer: String
        /// Empty for none; a device's id is never empty.
        var device: String
        var expiresAt: Timestamp
        var createdAt: Timestamp
        var brand: Int32
        var credential: Int32
        /// The next session of the consumer, or the next free slot.
        var next: Int32
        var previous: Int32
        /// The hour since 1970 in which its device's activity was last recorded.
        var seenHour: Int32 = 0
        var isUsed: Bool
    }

    private static let none: Int32 = -1

    private let limit: Int
    private var slots: [Slot] = []
    private var byKey: [Key: Int32] = [:]
    /// The first session of a consumer, by a hash of its brand and id; several consumers may share it.
    private var byConsumer: [Int: Int32] = [:]
    private var firstFree = none
    private var brands = InternedNames()
    private var credentials = InternedNames()
    /// The start of the next search for a victim.
    private var hand = 0

    init(limit: Int) { self.limit = limit }

    var count: Int { byKey.count }

    // MARK: Lookup and insertion

    /// Returns the session of a token; its hash is passed again, so that it need not be built from the key.
    mutating func session(_ key: Key, tokenHash: [UInt8]) -> StoredSession? {
        guard let index = byKey[key] else { return nil }
        let slot = slots[Int(index)]
        guard isAlive(slot), let brand = brands.name(slot.brand) else {
            remove(index)
            return nil
        }
        return StoredSession(
            tokenHash: tokenHash,
            brand: BrandID(trusted: brand),
            consumer: ConsumerID(trusted: slot.consumer),
            device: slot.device.isEmpty ? nil : DeviceID(trusted: slot.device),
            credential: slot.credential == Self.none ? nil : credentials.name(slot.credential),
            expiresAt: slot.expiresAt,
            createdAt: slot.createdAt
        )
    }

    /// Returns whether a session is used for the first time in an hour; true only once.
    mutating func isFirstUse(_ key: Key, inHour hour: Int32) -> Bool {
        guard let index = byKey[key], slots[Int(index)].seenHour != hour else { return false }
        slots[Int(index)].seenHour = hour
        return true
    }

    /// Returns whether neither its brand nor its credential has ended.
    private func isAlive(_ slot: Slot) -> Bool {
        brands.name(slot.brand) != nil && (slot.credential == Self.none || credentials.name(slot.credential) != nil)
    }

    /// Inserts a session; others are evicted when there are too many.
    mutating func insert(_ session: StoredSession, _ key: Key, now: Timestamp) {
        if let known = byKey[key] { remove(known) }
        if byKey.count >= limit { makeRoom(now: now) }
        let tag = Self.tag(session.brand, session.consumer)
        let next = byConsumer[tag] ?? Self.none
        let slot = Slot(
            key: key,
            consumer: session.consumer.rawValue,
            device: session.device?.rawValue ?? "",
            expiresAt: session.expiresAt,
            createdAt: session.createdAt,
            brand: brands.number(session.brand.rawValue),
            credential: session.credential.map { credentials.number($0) } ?? Self.none,
            next: next,
            previous: Self.none,
            isUsed: true
        )
        let index: Int32
        if firstFree != Self.none {
            index = firstFree
            firstFree = slots[Int(index)].next
            slots[Int(index)] = slot
        } else {
            index = Int32(slots.count)
            slots.append(slot)
        }
        if next != Self.none { slots[Int(next)].previous = index }
        byConsumer[tag] = index
        byKey[key] = index
    }

    // MARK: Removal

    /// Removes the sessions of a consumer.
    mutating func remove(brand: BrandID, consumer: ConsumerID) {
        guard let number = brands.known(brand.rawValue) else { return }
        var index = byConsumer[Self.tag(brand, consumer)] ?? Self.none
        while index != Self.none {
            let slot = slots[Int(index)]
            if slot.brand == number, slot.consumer.hasSameBytes(as: consumer.rawValue) { remove(index) }
            index = slot.next
        }
    }

    mutating func remove(brand: BrandID) { brands.kill(brand.rawValue) }

    mutating func remove(credential: String) { credentials.kill(credential) }

    private mutating func remove(_ index: Int32) {
        let slot = slots[Int(index)]
        byKey[slot.key] = nil
        if slot.next != Self.none { slots[Int(slot.next)].previous = slot.previous }
        if slot.previous != Self.none {
            slots[Int(slot.previous)].next = slot.next
        } else {
            // The first of its consumer; its brand's name may already be invalid.
            let tag = Self.tag(BrandID(trusted: brands.names[Int(slot.brand)]), ConsumerID(trusted: slot.consumer))
            byConsumer[tag] = slot.next == Self.none ? nil : slot.next
        }
        slots[Int(index)].consumer = ""
        slots[Int(index)].device = ""
        slots[Int(index)].isUsed = false
        slots[Int(index)].next = firstFree
        firstFree = index
    }

    private mutating func makeRoom(now: Timestamp) {
        let before = byKey.count
        for index in slots.indices where slots[index].isUsed {
            if slots[index].expiresAt <= now || !isAlive(slots[index]) { remove(Int32(index)) }
        }
        // A part is evicted at once, including live sessions if needed, so that the next inserts do not each scan all
        // of them.
        var excess = max(0, limit / 8 + 1 - (before - byKey.count))
        guard excess > 0, !byKey.isEmpty else { return }
        var held: [Int32: Int] = [:]
        for slot in slots where slot.isUsed { held[slot.brand, default: 0] += 1 }
        // Brands with more than their share of the remaining sessions are evicted: there is one as long as there is
        // excess.
        let share = (byKey.count - excess) / held.count
        while excess > 0, !byKey.isEmpty {
            hand = hand + 1 < slots.count ? hand + 1 : 0
            let (slot, count) = (slots[hand], held[slots[hand].brand] ?? 0)
            guard slot.isUsed, count > share else { continue }
            remove(Int32(hand))
            held[slot.brand] = count - 1
            excess -= 1
        }
    }

    private static func tag(_ brand: BrandID, _ consumer: ConsumerID) -> Int {
        var hasher = Hasher()
        hasher.combine(brand)
        hasher.combine(consumer)
        return hasher.finalize()
    }
}

/// Names as numbers.
///
/// A number can be invalidated: it then has no name, and its name gets another number.
struct InternedNames {
    /// The names by number; an invalid one keeps a few bytes.
    private(set) var names: [String] = []
    private var isDead: [Bool] = []
    private var numbers: [String: Int32] = [:]

    /// Returns the number of a name, a new one if needed.
    mutating func number(_ name: String) -> Int32 {
        if let known = numbers[name] { return known }
        let number = Int32(names.count)
        names.append(name)
        isDead.append(false)
        numbers[name] = number
        return number
    }

    /// Returns the number of a name; nil when it has none.
    func known(_ name: String) -> Int32? { numbers[name] }

    /// Returns the name of a number; nil when it is invalid.
    func name(_ number: Int32) -> String? { isDead[Int(number)] ? nil : names[Int(number)] }

    mutating func kill(_ name: String) {
        if let number = numbers.removeValue(forKey: name) { isDead[Int(number)] = true }
    }
}
