import Foundation
import PushPayloads
import Testing

@Suite struct JSONWriterTests {
    @Test("every relevant scalar survives an independent parser, at every offset of a word")
    func escapes() throws {
        let scalars = (0..<0x100).map { UInt32($0) } + [0x2028, 0x2029, 0xFFFD, 0x1F600, 0xE000, 0x10FFFF]
        for value in scalars {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for padding in 0..<17 {
                let text = String(repeating: "x", count: padding) + String(scalar) + "tail of nine"
                var writer = JSONWriter(capacity: 8)
                writer.literal("[")
                writer.string(text)
                writer.literal("]")
                let parsed = try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String]
                #expect(parsed == [text], "U+\(String(value, radix: 16)) behind \(padding)")
                var escaped = 0
                for byte in text.utf8 { escaped += JSONWriter.escapedCount(byte) }
                #expect(writer.bytes.count == escaped + 4)
            }
        }
    }

    @Test(
        "integers are written as Swift writes them",
        arguments: [0, 1, 9, 10, -1, -10, 1_234_567, Int64.max, Int64.min]
    )
    func integers(number: Int64) {
        var writer = JSONWriter(capacity: 8)
        writer.integer(number)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == String(number))
    }
}
