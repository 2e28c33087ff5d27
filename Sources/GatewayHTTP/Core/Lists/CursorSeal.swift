internal import Cryptography
internal import TextFormats

/// Creates and reads the cursors of lists: opaque to callers, and valid only for the list that returned them.
///
/// A cursor is base64url of twelve bytes of an HMAC-SHA256 and the position in the list. The position is the key of an
/// item and not its index, so that a page continues after the last item whatever was deleted meanwhile.
struct CursorSeal: Sendable {
    private static let tagLength = 12
    private static let maxLength = 2048

    private let key: [UInt8]

    /// Creates a seal with the instance's key for cursors.
    init(key: [UInt8]) { self.key = key }

    /// Returns the cursor of a position.
    ///
    /// - Parameters:
    ///   - place: The key of the last item that was returned.
    ///   - list: Identifies the list with its filters.
    /// - Returns: The cursor.
    func seal(_ place: String, of list: String) -> String {
        StrictBase64.encode(tag(place, list) + Array(place.utf8), .url)
    }

    /// Returns the position of a cursor; nil when it is not one of this list.
    func open(_ cursor: String, of list: String) -> String? {
        guard cursor.utf8.count <= Self.maxLength, let bytes = StrictBase64.decode(cursor.utf8, .url),
            bytes.count > Self.tagLength,
            let place = String(validating: bytes[Self.tagLength...], as: UTF8.self),
            // An attacker that measures the time can only forge the key of an item that it may read anyway.
            bytes.prefix(Self.tagLength).elementsEqual(tag(place, list))
        else { return nil }
        return place
    }

    private func tag(_ place: String, _ list: String) -> [UInt8] {
        let text = Array("\(list.utf8.count)\u{0}\(list)\(place)".utf8)
        let code = HMAC<SHA256>.authenticationCode(for: text, using: key)
        return Array(code.prefix(Self.tagLength))
    }
}
