/// The hosts that are reached without the outbound proxy (`provider.noProxy`).
///
/// An entry is compared with the host as a URL or an endpoint names it; no name is resolved for it.
package struct ProxyExceptions: Sendable, Equatable {
    /// This host, which a proxy elsewhere does not know under these names: `localhost`, `127.0.0.0/8`, `::1`.
    package static let loopback = ProxyExceptions(
        entries: [.name(Array("localhost".utf8))],
        ranges: AddressRange.loopback
    )

    private enum Entry: Equatable {
        /// A name and all names below it, in lower case.
        case name([UInt8])
        /// All names below a name: the suffix with its leading dot, in lower case.
        case suffix([UInt8])
    }

    private var entries: [Entry]
    private var ranges: [AddressRange]

    private init(entries: [Entry], ranges: [AddressRange]) {
        self.entries = entries
        self.ranges = ranges
    }

    /// Parses a list; nil when an entry is invalid.
    ///
    /// Entries are `example.com` (the name and all below it), `.example.com` (all below it), `10.1.2.3`, `2001:db8::1`,
    /// `10.0.0.0/8`; blanks around them are ignored.
    package init?(_ list: [String]) {
        self.init(entries: [], ranges: [])
        for text in list {
            let words = text.utf8.split(separator: UInt8(ascii: " "))
            guard words.count == 1, let word = words.first else { return nil }
            if let range = AddressRange(String(decoding: word, as: UTF8.self)) {
                ranges.append(range)
                continue
            }
            let name = Self.lowered(word)
            let isSuffix = name.first == UInt8(ascii: ".")
            guard Self.isName(isSuffix ? name.dropFirst() : name[...]) else { return nil }
            entries.append(isSuffix ? .suffix(name) : .name(name))
        }
    }

    /// Returns whether a host is reached without the proxy.
    ///
    /// It is a name in any case, with or without a dot at its end, or an address with or without brackets.
    package func contains(_ host: String) -> Bool {
        var bytes = Self.lowered(host.utf8)[...]
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") { bytes = bytes.dropFirst().dropLast() }
        if let address = InternetAddress(String(decoding: bytes, as: UTF8.self)) {
            return ranges.contains { $0.contains(address) }
        }
        if bytes.last == UInt8(ascii: ".") { bytes = bytes.dropLast() }
        return entries.contains { entry in
            switch entry {
            case .name(let name):
                bytes.elementsEqual(name) || Self.isSuffix([UInt8(ascii: ".")] + name, of: bytes)
            case .suffix(let suffix): Self.isSuffix(suffix, of: bytes)
            }
        }
    }

    private static func lowered(_ text: some Collection<UInt8>) -> [UInt8] {
        text.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
    }

    private static func isSuffix(_ suffix: [UInt8], of name: ArraySlice<UInt8>) -> Bool {
        name.count > suffix.count && name.suffix(suffix.count).elementsEqual(suffix)
    }

    /// Letters, digits, hyphens and underscores between single dots; not four numbers, which must be an address.
    private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let last = labels.last, name.count <= 253 else { return false }
        return labels.allSatisfy { label in
            !label.isEmpty && label.count <= 63 && label.allSatisfy { isDigit($0) || isLetter($0) }
        } && !last.allSatisfy(isDigit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }
}
