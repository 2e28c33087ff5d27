import Foundation
import Testing
import TextFormats

@Suite("Base64 has one text for one value")
struct StrictBase64Tests {
    @Test("encodes as Foundation does and decodes its own output", arguments: 0...70)
    func agreesWithFoundation(count: Int) {
        for _ in 0..<8 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max) }
            let standard = Data(bytes).base64EncodedString()
            let url = standard.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            #expect(StrictBase64.encode(bytes, .standard) == standard)
            #expect(StrictBase64.encode(bytes, .url) == url)
            #expect(StrictBase64.decode(standard.utf8, .standard) == bytes)
            #expect(StrictBase64.decode(url.utf8, .url) == bytes)
        }
    }

    @Test(
        "rejects everything but the canonical text",
        arguments: [
            "A", "AAAAA", "AA==", "AAA=", "AB", "AAB", "A A", "AA\n", "AA+A", "AA/A", "AA.A", "=", "AÄ", "AA\0A",
        ]
    )
    func refusesURL(text: String) {
        #expect(StrictBase64.decode(text.utf8, .url) == nil)
    }

    @Test(
        "rejects wrong padding, unused bits that are set and the other alphabet",
        arguments: [
            "AA", "AAA", "AA=", "AA===", "====", "=AAA", "A=AA", "AA=A", "A===", "AB==", "AAB=", "AA-A", "AA_A",
            "AA==AAAA", "AAAA====", "AAAA=", "AAAA\n", " AAAA", "AAAÄ",
        ]
    )
    func refusesStandard(text: String) {
        #expect(StrictBase64.decode(text.utf8, .standard) == nil)
    }

    @Test("of all four-character endings exactly the canonical ones decode")
    func onlyOneText() {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var two = 0
        var three = 0
        for first in alphabet {
            for second in alphabet {
                if let bytes = StrictBase64.decode([first, second], .url) {
                    two += 1
                    #expect(Array(StrictBase64.encode(bytes, .url).utf8) == [first, second])
                }
                if StrictBase64.decode([UInt8(ascii: "A"), first, second], .url) != nil { three += 1 }
            }
        }
        #expect(two == 256)
        // The first six bits are fixed: ten of the sixteen are free.
        #expect(three == 1024)
    }
}
