import Crypto
import Testing

@testable import Identity

@Suite("HMAC with a prepared key")
struct PreparedHMACTests {
    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test(
        "gives the codes of RFC 4231",
        arguments: [
            // Test cases 1, 2 and 6: a short key, a shorter one, and one longer than a block.
            (
                [UInt8](repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ]
    )
    func vectors(key: [UInt8], text: String, code: String) {
        #expect(Self.hexadecimal(PreparedHMAC(key: key).code(of: Array(text.utf8))) == code)
    }

    @Test("gives the library's codes for keys and texts of all lengths, again and again")
    func lengths() {
        for count in 0...200 {
            let key = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
            let prepared = PreparedHMAC(key: key)
            for length in [0, 1, count, 63, 64, 65, 1000] {
                let text = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ count) }
                let code = HMAC<SHA256>.authenticationCode(for: text, using: SymmetricKey(data: key))
                #expect(prepared.code(of: text) == Array(code))
                let half = length / 2
                #expect(prepared.code(of: Array(text[..<half]), Array(text[half...])) == Array(code))
            }
        }
    }
}
