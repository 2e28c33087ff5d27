internal import Cryptography
import TurnRules

/// The key that identifies an event of a consumer, or a request of its app, and its replays.
struct Replay {
    /// The whole key in one text.
    let key: String
    let brand: Int64
    /// The day on which it came, since 1970.
    let day: Int64
    /// The hash that is stored instead of the key; nil where the key itself is stored, as a text.
    let hash: [UInt8]?

    /// The first half of a SHA-256 is shorter than most ids with their consumer, and has no collisions in practice.
    private static let hashBytes = 16

    /// Creates the key of an event under one of its consumer's names.
    ///
    /// Always hashed: the stored key names nobody, and stays when its consumer is erased.
    init(_ event: EventKey, of consumer: String) {
        key = event.text(of: consumer)
        brand = event.brand
        day = event.day
        hash = Self.hash(key)
    }

    /// Creates the key under which the earlier version stored an event of whatever consumer; only a long one is hashed.
    init(byBrand event: EventKey) {
        key = event.text
        brand = event.brand
        day = event.day
        hash = key.utf8.count > Self.hashBytes ? Self.hash(key) : nil
    }

    /// Creates the key of an app's request, which is stored as it is, because it is found by its prefix.
    init(_ request: ClientRequest) {
        key = request.text
        brand = request.brand
        day = request.day
        hash = nil
    }

    /// Returns the stored key of an event that came as the `number`-th of its bucket, from 0 on: the number first, so that
    /// the keys of a turn are neighbours.
    ///
    /// - Parameter number: Less than ``ReplayMemory/bucketSize``.
    /// - Returns: 18 bytes; nil where the key is stored as a text.
    func key(number: Int) -> [UInt8]? {
        hash.map { [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)] + $0 }
    }

    /// The number of bytes before the hash in a key with a number.
    private static let numberBytes = 2

    /// Returns the number of a stored key; nil where it has none.
    static func number(_ key: UnsafeRawBufferPointer) -> Int? {
        key.count == numberBytes + hashBytes ? Int(key[0]) << 8 | Int(key[1]) : nil
    }

    /// Returns the mark of a stored key with a number.
    static func mark(numbered key: UnsafeRawBufferPointer, brand: Int64) -> UInt32 {
        mark(UnsafeRawBufferPointer(rebasing: key.dropFirst(numberBytes)), brand: brand)
    }

    private static func hash(_ key: String) -> [UInt8] {
        var key = key
        let digest = key.withUTF8 { SHA256.hash(data: $0) }
        return digest.withUnsafeBytes { [UInt8](UnsafeRawBufferPointer(rebasing: $0.prefix(hashBytes))) }
    }

    /// The mark of the stored key in a ``ReplayFilter``.
    var mark: UInt32 {
        if let hash { return hash.withUnsafeBytes { Self.mark($0, brand: brand) } }
        var key = key
        return key.withUTF8 { Self.mark(UnsafeRawBufferPointer($0), brand: brand) }
    }

    /// Returns the mark of a stored key.
    ///
    /// Marks are stored: a change of this function must delete the earlier ones, or events are accepted twice.
    static func mark(_ bytes: UnsafeRawBufferPointer, brand: Int64) -> UInt32 {
        var hash = UInt64(bitPattern: brand) ^ UInt64(bytes.count) << 32
        var place = 0
        while place < bytes.count {
            var word: UInt64 = 0
            for byte in bytes[place..<min(place + 8, bytes.count)] { word = word << 8 | UInt64(byte) }
            hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
            place += 8
        }
        return UInt32(truncatingIfNeeded: hash &* 0x9E37_79B9_7F4A_7C15 >> 32)
    }
}

extension Statement {
    /// Binds the stored key of an event.
    func event(_ replay: Replay) -> Statement { if let hash = replay.hash { blob(hash) } else { text(replay.key) } }
}
