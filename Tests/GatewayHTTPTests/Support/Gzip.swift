import CZlib

/// Returns bytes in the gzip format, as one member.
func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    // zlib refers to it by its address.
    return withUnsafeMutablePointer(to: &stream) { stream in
        let size = Int32(MemoryLayout<z_stream>.size)
        deflateInit2_(stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        defer { deflateEnd(stream) }
        var (bytes, packed) = (bytes, [UInt8](repeating: 0, count: bytes.count / 2 + 1000))
        while true {
            let written = bytes.withUnsafeMutableBufferPointer { input in
                packed.withUnsafeMutableBufferPointer { output in
                    stream.pointee.next_in = input.baseAddress
                    stream.pointee.avail_in = UInt32(input.count)
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = UInt32(output.count)
                    let isWhole = deflate(stream, Z_FINISH) == Z_STREAM_END
                    return isWhole ? output.count - Int(stream.pointee.avail_out) : nil as Int?
                }
            }
            if let written { return Array(packed[..<written]) }
            deflateReset(stream)
            packed += packed
        }
    }
}
