/// The headers of a response in one allocation: they arrive far more often than they are looked up.
///
/// Any thread.
///
/// Names are lower case. Trailers follow the headers. `:status` is not among them.
package struct HTTP2ResponseHeaders: Sendable {
    /// For each field: length of name and of value as big-endian UInt16, name, value.
    private var storage: [UInt8] = []

    /// No headers.
    package init() {}

    /// Bytes of names and values so far, with four bytes of overhead per field.
    var byteCount: Int { storage.count }

    mutating func removeAll() {
        storage.removeAll()
    }

    mutating func append(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        guard name.count <= Int(UInt16.max), value.count <= Int(UInt16.max) else { return }
        if storage.isEmpty { storage.reserveCapacity(192) }
        storage.append(UInt8(name.count >> 8))
        storage.append(UInt8(truncatingIfNeeded: name.count))
        storage.append(UInt8(value.count >> 8))
        storage.append(UInt8(truncatingIfNeeded: value.count))
        storage.append(contentsOf: name)
        storage.append(contentsOf: value)
    }

    /// The value of the first header of that lower-case name.
    package subscript(name: String) -> String? {
        var index = 0
        while let field = field(at: index) {
            if storage[field.name].elementsEqual(name.utf8) {
                return String(decoding: storage[field.value], as: UTF8.self)
            }
            index = field.value.upperBound
        }
        return nil
    }

    /// All headers in the order of arrival.
    package var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        var index = 0
        while let field = field(at: index) {
            fields.append(
                (
                    String(decoding: storage[field.name], as: UTF8.self),
                    String(decoding: storage[field.value], as: UTF8.self)
                )
            )
            index = field.value.upperBound
        }
        return fields
    }

    private func field(at index: Int) -> (name: Range<Int>, value: Range<Int>)? {
        guard index + 4 <= storage.count else { return nil }
        let nameLength = Int(storage[index]) << 8 | Int(storage[index + 1])
        let valueLength = Int(storage[index + 2]) << 8 | Int(storage[index + 3])
        let name = index + 4..<index + 4 + nameLength
        return (name, name.upperBound..<name.upperBound + valueLength)
    }
}
