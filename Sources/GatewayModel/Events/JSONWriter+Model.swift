internal import TextFormats

extension JSONWriter {
    /// Appends a JSON value that was validated before.
    ///
    /// - Parameter value: A complete JSON value.
    package mutating func value(_ value: JSONText) { raw(value.text) }

    /// Appends a member with a JSON value that was validated before.
    ///
    /// - Parameters:
    ///   - name: A name that needs no escape.
    ///   - value: A complete JSON value; for nil nothing is written.
    package mutating func member(_ name: StaticString, _ value: JSONText?) {
        guard let value else { return }
        self.name(known: name)
        self.value(value)
    }

    /// Appends an id in its canonical lower-case form, without quotes.
    ///
    /// - Parameter id: A message's id.
    package mutating func identifier(_ id: MessageID) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: MessageID.textBytes) { buffer in
            id.write(to: buffer)
            raw(UnsafeBufferPointer(rebasing: buffer[..<MessageID.textBytes]))
        }
    }
}
