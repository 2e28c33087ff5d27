/// A body while it is parsed; valid as long as the body is.
struct EventText {
    /// The text of one event within the body.
    struct Item {
        var start: UnsafePointer<UInt8>
        var count: Int
    }

    /// The offset of its start in the body.
    let at: UnsafePointer<UInt8>
    /// The offset of its end.
    let end: UnsafePointer<UInt8>
    /// The offset of the end of the memory after it.
    let readableEnd: UnsafePointer<UInt8>

    /// The body without surrounding white space.
    var wholeItem: Item {
        var start = at
        var stop = end
        while start < stop, Self.isSpace(start.pointee) { start += 1 }
        while stop > start, Self.isSpace((stop - 1).pointee) { stop -= 1 }
        return Item(start: start, count: stop - start)
    }

    /// The first byte that is not white space.
    var first: UInt8? {
        let item = wholeItem
        return item.count > 0 ? item.start.pointee : nil
    }

    /// White space of JSON (RFC 8259 section 2).
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}
