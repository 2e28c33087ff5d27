internal import TextFormats

/// The parts of a token in compact serialization (RFC 7515 section 3.1, RFC 7516 section 3.1).
struct CompactParts: Sendable {
    /// The text as received.
    let text: [UInt8]
    /// The parts between its dots, not decoded.
    let parts: [ArraySlice<UInt8>]

    /// Splits a text that has exactly the given number of parts and at most the given number of bytes; nil for every
    /// other.
    init?(_ text: [UInt8], count: Int, maxBytes: Int) {
        guard text.count <= maxBytes else { return nil }
        // One more than allowed is enough to detect that there are too many.
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: count, omittingEmptySubsequences: false)
        guard parts.count == count else { return nil }
        self.text = text
        self.parts = parts
    }

    /// Returns a part's decoded bytes.
    func bytes(_ index: Int) -> [UInt8]? { StrictBase64.decode(parts[index], .url) }

    /// Returns a part's members, when it is a JSON object.
    func object(_ index: Int) -> StrictJSON.Members? {
        guard let decoded = bytes(index) else { return nil }
        return (try? StrictJSON.parse(decoded))?.members
    }

    /// The header's members; nil when it is not an object or requires an extension.
    ///
    /// Every name in `crit` must be supported, and none is (RFC 7515 section 4.1.11). `jku`, `x5u`, `jwk` and `x5c` are
    /// ignored: a token does not choose its own key (RFC 8725 section 3.10).
    var header: StrictJSON.Members? {
        guard let header = object(0), header["crit"] == nil else { return nil }
        return header
    }
}
