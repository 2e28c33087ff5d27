import TextFormats

/// Returns the bytes of hexadecimal digits; spaces are ignored.
func hex(_ text: String) -> [UInt8] {
    let values = text.utf8.compactMap { Hexadecimal.value(of: $0) }
    return stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
}
