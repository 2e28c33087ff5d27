extension StrictJSON {
    /// Returns whether a text is a JSON pointer (RFC 6901 section 3).
    package static func isPointer(_ text: String) -> Bool { tokens(of: text) != nil }

    /// Returns the value at a JSON pointer; nil where there is none, and for a text that is no pointer.
    package func value(at pointer: String) -> StrictJSON? {
        guard let tokens = Self.tokens(of: pointer) else { return nil }
        var value = self
        for token in tokens {
            switch value {
            case .object(let members):
                guard let next = BoundedName(token).flatMap({ members[$0] }) else { return nil }
                value = next
            case .array(let items):
                let isIndex = token.utf8.first != UInt8(ascii: "0") || token.utf8.count == 1
                guard isIndex, token.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let index = Int(token),
                    items.indices.contains(index)
                else { return nil }
                value = items[index]
            default: return nil
            }
        }
        return value
    }

    /// Returns the names from the root down; nil for a text that is no pointer.
    static func tokens(of pointer: String) -> [String]? {
        let parts = pointer.byteSplit("/", omittingEmptySubsequences: false)
        guard parts.first?.isEmpty ?? false else { return pointer.isEmpty ? [] : nil }
        var tokens: [String] = []
        for part in parts.dropFirst() {
            var name: [UInt8] = []
            var isEscape = false
            for byte in part.utf8 {
                switch (isEscape, byte) {
                case (true, UInt8(ascii: "0")): name.append(UInt8(ascii: "~"))
                case (true, UInt8(ascii: "1")): name.append(UInt8(ascii: "/"))
                case (true, _): return nil
                case (false, UInt8(ascii: "~")): break
                case (false, _): name.append(byte)
                }
                isEscape = !isEscape && byte == UInt8(ascii: "~")
            }
            guard !isEscape else { return nil }
            tokens.append(String(decoding: name, as: UTF8.self))
        }
        return tokens
    }
}
