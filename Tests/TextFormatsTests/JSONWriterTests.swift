import Foundation
import Testing
import TextFormats

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

    @Test(
        "control characters are escaped by letters or numbers",
        arguments: [
            (.short, #""\b\t\n\u000b\f\r\u001f\"\\/""#), (.whiteSpace, #""\u0008\t\n\u000b\u000c\r\u001f\"\\/""#),
            (.numbers, #""\u0008\u0009\u000a\u000b\u000c\u000d\u001f\"\\/""#),
        ] as [(JSONWriter.Escapes, String)]
    )
    func controls(escapes: JSONWriter.Escapes, text: String) {
        var writer = JSONWriter(capacity: 8, escapes: escapes)
        writer.string("\u{8}\t\n\u{B}\u{C}\r\u{1F}\"\\/")
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    @Test("members and items are separated, and nil is left out")
    func members() {
        var writer = JSONWriter(capacity: 8)
        writer.literal("{")
        writer.member("a", String?.none)
        writer.member("b", "{")
        writer.member("c", Int64?.none)
        writer.member("d", -1)
        writer.name("e\"")
        writer.literal("[")
        for inner in ["{}", "[]", "[1]"] {
            writer.separate()
            writer.raw(inner)
        }
        writer.literal("]")
        writer.name(known: "f")
        writer.boolean(true)
        writer.array("g", [Int64](1...3)) { $0.integer($1) }
        writer.array("h", [String]()) { $0.string($1) }
        writer.literal("}")
        let text = #"{"b":"{","d":-1,"e\"":[{},[],[1]],"f":true,"g":[1,2,3],"h":[]}"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }
}
