import Foundation
import Testing

/// A minimal DER encoder (X.690) for hostile key files.
enum TestDER {
    static let sequence: UInt8 = 0x30
    static let octets: UInt8 = 0x04
    static let integer: UInt8 = 0x02
    static let object: UInt8 = 0x06
    static let explicit: UInt8 = 0xA0

    /// `data` of PKCS#7.
    static let data: [UInt8] = value(object, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01])

    static func value(_ tag: UInt8, _ contents: [UInt8]...) -> [UInt8] {
        let content = contents.flatMap { $0 }
        guard content.count >= 128 else { return [tag, UInt8(content.count)] + content }
        let length = withUnsafeBytes(of: UInt32(content.count).bigEndian) { Array($0) }.drop { $0 == 0 }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    /// Returns the consecutive values, headers included.
    static func values(in bytes: some Sequence<UInt8>) throws -> [[UInt8]] {
        var (rest, found) = (Array(bytes)[...], [[UInt8]]())
        while !rest.isEmpty {
            let header = try header(of: rest)
            try #require(header.start + header.count <= rest.count)
            found.append(Array(rest.prefix(header.start + header.count)))
            rest = rest.dropFirst(header.start + header.count)
        }
        return found
    }

    /// Returns the content of a value.
    static func content(of value: [UInt8]) throws -> [UInt8] {
        Array(value.dropFirst(try header(of: value[...]).start))
    }

    private static func header(of bytes: ArraySlice<UInt8>) throws -> (start: Int, count: Int) {
        let bytes = Array(bytes.prefix(6))
        let first = try #require(bytes.dropFirst().first)
        guard first >= 0x80 else { return (2, Int(first)) }
        let length = bytes.dropFirst(2).prefix(Int(first & 0x7F))
        return (2 + length.count, length.reduce(0) { $0 << 8 | Int($1) })
    }

    /// Returns encrypted PKCS#8 with that many PBKDF2 rounds; its content cannot be decrypted.
    static func encryptedKey(rounds: Int32) -> [UInt8] {
        let pbes2: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0D]
        let pbkdf2: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0C]
        let aes128CBC: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x02]
        let count = withUnsafeBytes(of: rounds.bigEndian) { Array($0) }
        let derivation = value(
            sequence,
            value(object, pbkdf2),
            value(sequence, value(octets, Array(repeating: 7, count: 8)), value(integer, count))
        )
        let cipher = value(sequence, value(object, aes128CBC), value(octets, Array(repeating: 9, count: 16)))
        return value(
            sequence,
            value(sequence, value(object, pbes2), value(sequence, derivation, cipher)),
            value(octets, Array(repeating: 3, count: 48))
        )
    }

    static func pem(_ label: String, header: String = "", _ content: [UInt8]) -> [UInt8] {
        let text = Data(content).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let body = content.isEmpty ? "" : text + "\n"
        return Array(("-----BEGIN \(label)-----\n" + header + body + "-----END \(label)-----\n").utf8)
    }
}
