internal import CNghttp2

/// A header block under construction, in storage that is reused from request to request.
///
/// Values are copied into one arena, so that all their pointers are valid at once; nghttp2 copies them again when the
/// block is submitted. Names are static and not copied.
final class HeaderBlock {
    private var arena: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var used = 0
    private(set) var fields: [nghttp2_nv] = []

    init() {
        capacity = 4096
        arena = .allocate(capacity: capacity)
        fields.reserveCapacity(24)
    }

    deinit {
        arena.deallocate()
    }

    /// Starts a block whose copied bytes are at most `byteCount`.
    func begin(byteCount: Int) {
        fields.removeAll(keepingCapacity: true)
        used = 0
        guard byteCount > capacity else { return }
        arena.deallocate()
        capacity = max(byteCount, capacity * 2)
        arena = .allocate(capacity: capacity)
    }

    /// Appends a header with a static name; the value is copied.
    func append(_ name: StaticString, _ value: String, flags: UInt8 = UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)) {
        let (start, count) = copy(value)
        fields.append(
            nghttp2_nv(
                name: UnsafeMutablePointer(mutating: name.utf8Start),
                value: start,
                namelen: name.utf8CodeUnitCount,
                valuelen: count,
                flags: flags | UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
            )
        )
    }

    /// Appends a header whose name is copied too.
    func append(copying name: String, _ value: String) {
        let (nameStart, nameCount) = copy(name)
        let (valueStart, valueCount) = copy(value)
        fields.append(
            nghttp2_nv(name: nameStart, value: valueStart, namelen: nameCount, valuelen: valueCount, flags: 0)
        )
    }

    private func copy(_ text: String) -> (UnsafeMutablePointer<UInt8>, Int) {
        var text = text
        let start = arena + used
        let count = text.withUTF8 { bytes in
            precondition(used + bytes.count <= capacity, "a header block is larger than declared in begin")
            if let base = bytes.baseAddress { start.update(from: base, count: bytes.count) }
            return bytes.count
        }
        used += count
        return (start, count)
    }
}
