import GatewayModel
import GatewayStorage
import TextFormats

/// Sessions in memory, at most so many, found by their tokens' hashes and ended by consumer, credential or brand.
///
/// Each brand has its share of them: one with many has no other's forgotten.
/// Each is a slot of about 100 bytes in one array; names of brands and credentials are there once. What ends all sessions
/// of a brand or a credential costs the same however many they are: its name's number dies, and sessions with a number
/// that is dead are not found. The sessions of one consumer hang together, so that to end them walks over no others.
struct SessionCache {
    /// The 32 bytes of a hash as a key that needs no memory of its own.
    struct Key: Hashable {
        let words: SIMD4<UInt64>

        init(_ bytes: [UInt8]) {
            words = bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
        }

        // A part of a SHA-256 is as good as all of it.
        func hash(into hasher: inout Hasher) { hasher.combine(words.x) }
    }

    /// A place for a session; one without is in the list of free ones.
    private struct Slot {
        var key: Key
        var consumer: String
        /// Empty is none, which no device's id is.
        var device: String
        var expiresAt: Timestamp
        var createdAt: Timestamp
        var brand: Int32
        var credential: Int32
        /// The next session of the consumer, or the next free slot.
        var next: Int32
        var previous: Int32
        /// The hour since 1970 in which its device was last noted as seen.
        var seenHour: Int32 = 0
        var isUsed: Bool
    }

    private static let none: Int32 = -1

    private let limit: Int
    private var slots: [Slot] = []
    private var byKey: [Key: Int32] = [:]
    /// The first session of a consumer, by a hash of its brand and id; others may share it.
    private var byConsumer: [Int: Int32] = [:]
    private var firstFree = none
    private var brands = InternedNames()
    private var credentials = InternedNames()
    /// Where the next search for room begins.
    private var hand = 0

    init(limit: Int) { self.limit = limit }

    var count: Int { byKey.count }

    // MARK: Finding and keeping

    /// The session of a token, whose hash is given again so that it need not be made of the key.
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

    /// Whether a session is in use for the first time in an hour; says so once.
    mutating func isFirstUse(_ key: Key, inHour hour: Int32) -> Bool {
        guard let index = byKey[key], slots[Int(index)].seenHour != hour else { return false }
        slots[Int(index)].seenHour = hour
        return true
    }

    /// Whether neither its brand nor its credential has ended.
    private func isAlive(_ slot: Slot) -> Bool {
        brands.name(slot.brand) != nil && (slot.credential == Self.none || credentials.name(slot.credential) != nil)
    }

    /// Keeps a session; others make room when there are too many.
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

    // MARK: Forgetting

    /// Forgets the sessions of a consumer.
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
            // The first of its consumer; its brand's name may be dead already.
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
        // A part makes room at once, of live ones if need be, so that the next ones do not each look at all of them.
        var excess = max(0, limit / 8 + 1 - (before - byKey.count))
        guard excess > 0, !byKey.isEmpty else { return }
        var held: [Int32: Int] = [:]
        for slot in slots where slot.isUsed { held[slot.brand, default: 0] += 1 }
        // Brands with more than their share of what stays make the room: some brand has more as long as there is excess.
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

/// Names as numbers, each of which can die: then it has no name, and its name gets another number.
struct InternedNames {
    /// By number; a few bytes are left of each that is dead.
    private(set) var names: [String] = []
    private var isDead: [Bool] = []
    private var numbers: [String: Int32] = [:]

    /// The number of a name, a new one if need be.
    mutating func number(_ name: String) -> Int32 {
        if let known = numbers[name] { return known }
        let number = Int32(names.count)
        names.append(name)
        isDead.append(false)
        numbers[name] = number
        return number
    }

    /// The number of a name; nil when it has none.
    func known(_ name: String) -> Int32? { numbers[name] }

    /// The name of a number; nil when it is dead.
    func name(_ number: Int32) -> String? { isDead[Int(number)] ? nil : names[Int(number)] }

    mutating func kill(_ name: String) {
        if let number = numbers.removeValue(forKey: name) { isDead[Int(number)] = true }
    }
}
