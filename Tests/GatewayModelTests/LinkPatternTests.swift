import TestSupport
import Testing

@testable import GatewayModel

@Suite("Patterns of links")
struct LinkPatternTests {
    private static func matches(_ path: [UInt8], _ pattern: [UInt8]) -> (isMatch: Bool, steps: Int) {
        var steps = 0
        let isMatch = LinkPattern.matches(path.span, pattern.span, steps: &steps)
        return (isMatch, steps)
    }

    /// Returns the result by the definition: the prefixes of the path that each prefix of the pattern matches.
    private static func takes(_ path: [UInt8], _ pattern: [UInt8]) -> Bool {
        var row = [Bool](repeating: false, count: path.count + 1)
        row[0] = true
        for byte in pattern {
            var next = [Bool](repeating: false, count: path.count + 1)
            for end in 0...path.count {
                switch byte {
                case UInt8(ascii: "*"): next[end] = row[end] || end > 0 && next[end - 1]
                case UInt8(ascii: "?"): next[end] = end > 0 && row[end - 1]
                default: next[end] = end > 0 && row[end - 1] && path[end - 1] == byte
                }
            }
            row = next
        }
        return row[path.count]
    }

    private static func text(of alphabet: String, length: Int, _ random: inout some RandomNumberGenerator) -> [UInt8] {
        let bytes = Array(alphabet.utf8)
        return (0..<length).map { _ in bytes.randomElement(using: &random) ?? 0 }
    }

    @Test("a pattern matches by its definition, in no more steps than both have bytes", arguments: 0..<8)
    func definition(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        var taken = 0
        for round in 0..<3000 {
            // Short patterns cover all cases, long ones all words of the bit set.
            let isLong = round % 10 == 0
            let path = Self.text(of: "ab", length: Int.random(in: 0...(isLong ? 300 : 8), using: &random), &random)
            let length = Int.random(in: 0...(isLong ? LinkPattern.maxBytes : 6), using: &random)
            let alphabet = isLong ? "ab???????*" : "ab?*"
            let pattern = Self.text(of: alphabet, length: length, &random)
            let (isMatch, steps) = Self.matches(path, pattern)
            let expected = Self.takes(path, pattern)
            taken += expected ? 1 : 0
            #expect(
                isMatch == expected,
                "\(String(decoding: pattern, as: UTF8.self)) on \(String(decoding: path, as: UTF8.self))"
            )
            #expect(steps <= path.count + pattern.count)
        }
        // Both results were frequent.
        #expect((300...2700).contains(taken))
    }

    @Test("a pattern of the maximum length matches a path that needs its last byte")
    func longest() {
        let letters = (0..<LinkPattern.maxBytes).map { UInt8(ascii: "a") + UInt8($0 % 26) }
        #expect(Self.matches(letters, letters).isMatch)
        let starred = [UInt8(ascii: "*")] + letters.dropLast()
        #expect(Self.matches([UInt8(ascii: "-")] + letters.dropLast(), starred).isMatch)
        #expect(!Self.matches(Array(letters.dropLast(2)), starred).isMatch)
        #expect(!Self.matches(letters, letters + [UInt8(ascii: "*")]).isMatch)
    }

    @Test(
        "no pattern makes a long path expensive",
        arguments: [
            "/*a*a*a*a*b", "/" + String(repeating: "*a", count: 127), "/*" + String(repeating: "a", count: 253) + "b",
            "/*" + String(repeating: "a?", count: 126) + "b*", "/" + String(repeating: "*", count: 255),
        ]
    )
    func steps(pattern: String) {
        let path = "/" + String(repeating: "a", count: LinkSettings.maxPathBytes - 1)
        var steps = 0
        let links = LinkSettings(host: "a.example", paths: Array(repeating: pattern, count: 50))
        let isOpened = links.opens(path, steps: &steps)
        #expect(isOpened == Self.takes(Array(path.utf8), Array(pattern.utf8)))
        #expect(steps <= 50 * (LinkSettings.maxPathBytes + LinkPattern.maxBytes))
    }
}
