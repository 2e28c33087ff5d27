extension BidirectionalCollection<UInt8> {
    /// The bytes without ASCII white space at either end, which an edited file may have.
    var trimmingASCIISpace: SubSequence {
        let start = drop(while: Self.isSpace)
        guard let last = start.lastIndex(where: { !Self.isSpace($0) }) else { return start }
        return start[...last]
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
