extension StrictJSON {
    /// A JSON pointer (RFC 6901): read once, and used for many values.
    package struct Pointer: Sendable {
        /// One name of the way from the root down.
        struct Step: Sendable {
            /// The name of a member; nil for a text that is longer than any member's name.
            let name: BoundedName?
            /// The index in an array; nil for a text that is no index (RFC 6901 section 4).
            let index: Int?
        }

        /// The pointer as it was received.
        package let text: String
        let steps: [Step]

        /// Reads a pointer; nil for a text that is none (RFC 6901 section 3).
        package init?(_ text: String) {
            let parts = text.byteSplit("/", omittingEmptySubsequences: false)
            guard text.isEmpty || parts.first?.isEmpty ?? false else { return nil }
            var steps: [Step] = []
            for part in parts.dropFirst() {
                guard let step = Self.step(part.utf8) else { return nil }
                steps.append(step)
            }
            self.text = text
            self.steps = steps
        }

        private static func step(_ part: Substring.UTF8View) -> Step? {
            var name: [UInt8] = []
            var isEscape = false
            for byte in part {
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
            let text = String(decoding: name, as: UTF8.self)
            let isIndex = name.first != UInt8(ascii: "0") || name.count == 1
            let isNumber = isIndex && name.allSatisfy { (0x30...0x39).contains($0) }
            return Step(name: BoundedName(text), index: isNumber ? Int(text) : nil)
        }
    }

    /// Returns the value at a JSON pointer; nil where there is none.
    package func value(at pointer: Pointer) -> StrictJSON? {
        var value = self
        for step in pointer.steps {
            guard let next = value.value(at: step) else { return nil }
            value = next
        }
        return value
    }

    /// Returns the member or the item at one step of a pointer; nil when there is none.
    func value(at step: Pointer.Step) -> StrictJSON? {
        switch self {
        case .object(let members): step.name.flatMap { members[$0] }
        case .array(let items): step.index.flatMap { items.indices.contains($0) ? items[$0] : nil }
        default: nil
        }
    }

    /// Returns the value at a JSON pointer; nil where there is none, and for a text that is no pointer.
    package func value(at pointer: String) -> StrictJSON? { Pointer(pointer).flatMap { value(at: $0) } }
}
