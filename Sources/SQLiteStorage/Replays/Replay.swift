internal import Crypto
import TurnRules

/// The key that identifies an event and its replays.
struct Replay {
    /// Source and id in one text.
    let key: String
    let brand: Int64
    /// The day on which it came, since 1970.
    let day: Int64
    /// The hash of a long key: pages with short keys hold more of them.
    let hash: [UInt8]?

    /// The first half of a SHA-256 is shorter than most ids with their source, and has no collisions in practice.
    private static let hashBytes = 16

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - key: Source and id.
    ///   - brand: The brand.
    ///   - day: The day, since 1970.
    ///   - isHashed: Whether a long key is hashed; keys that are found by a prefix are not.
    init(key: String, brand: Int64, day: Int64, isHashed: Bool) {
        self.key = key
        self.brand = brand
        self.day = day
        guard isHashed, key.utf8.count > Self.hashBytes else {
            hash = nil
            return
        }
        var sha = SHA256()
        var key = key
        key.withUTF8 { sha.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        hash = Array(sha.finalize().prefix(Self.hashBytes))
    }

    /// Creates the key of an event.
    init(_ event: EventKey) { self.init(key: event.text, brand: event.brand, day: event.day, isHashed: true) }

    /// Creates the key of an app's request, which is found by its prefix.
    init(_ request: ClientRequest) {
        self.init(key: request.text, brand: request.brand, day: request.day, isHashed: false)
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
