internal import TextFormats

extension JSONWriter {
    /// Appends a complete JSON value that was validated before.
    package mutating func value(_ value: JSONText) { raw(value.text) }

    /// Appends a member, whose name needs no escape, with a complete JSON value that was validated before; nothing for
    /// nil.
    package mutating func member(_ name: StaticString, _ value: JSONText?) {
        guard let value else { return }
        self.name(known: name)
        self.value(value)
    }

    /// Appends an id in its canonical lower-case form, without quotes.
    package mutating func identifier(_ id: MessageID) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: MessageID.textBytes) { buffer in
            id.write(to: buffer)
            raw(UnsafeBufferPointer(rebasing: buffer[..<MessageID.textBytes]))
        }
    }
}
