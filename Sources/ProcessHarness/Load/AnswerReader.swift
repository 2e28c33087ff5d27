import NIOCore

/// Finds where the answers of an HTTP/1.1 connection end, and their status; reads nothing else of them.
///
/// For loads, which must cost less than what they load: only answers with a `content-length` (RFC 9112 section 6.2), which
/// is what the gateway sends.
struct AnswerReader {
    /// The longest head.
    private static let maxHead = 16 << 10

    private var buffer = ByteBuffer()

    /// Takes what came from the socket.
    mutating func append(_ part: inout ByteBuffer) {
        if buffer.readableBytes == 0 { buffer = part } else { buffer.writeBuffer(&part) }
    }

    /// The status of the next whole answer; nil when more must come.
    ///
    /// - Throws: ``HarnessError`` for what it cannot read.
    mutating func next() throws -> Int? {
        let found = try buffer.withUnsafeReadableBytes { bytes -> (status: Int, size: Int)? in
            guard let head = Self.headSize(bytes) else {
                guard bytes.count <= Self.maxHead else { throw HarnessError("an answer's head does not end") }
                return nil
            }
            guard bytes.starts(with: "HTTP/1.1 ".utf8), let status = Self.number(bytes[9..<head]),
                let length = Self.contentLength(bytes[..<head])
            else { throw HarnessError("an answer has no status or no length") }
            return bytes.count >= head + length ? (status, head + length) : nil
        }
        guard let found else { return nil }
        buffer.moveReaderIndex(forwardBy: found.size)
        return found.status
    }

    /// The bytes up to the first byte of the body.
    private static func headSize(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var place = 3
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "\n"), bytes[place - 1] == UInt8(ascii: "\r"),
                bytes[place - 2] == UInt8(ascii: "\n")
            {
                return place + 1
            }
            place += 1
        }
        return nil
    }

    private static func contentLength(_ head: Slice<UnsafeRawBufferPointer>) -> Int? {
        let name = "content-length:".utf8
        var line = head
        while let end = line.firstIndex(of: UInt8(ascii: "\n")) {
            line = line[(end + 1)...]
            guard line.count > name.count, zip(line, name).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) else { continue }
            return number(line.dropFirst(name.count))
        }
        return nil
    }

    /// The decimal number behind spaces.
    private static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        var value: Int?
        for byte in bytes.drop(while: { $0 == UInt8(ascii: " ") }) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), (value ?? 0) < 1 << 32 else { break }
            value = (value ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
