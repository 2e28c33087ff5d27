import GatewayModel
import Testing

@Suite("Identifiers have the documented format")
struct IdentifierTests {
    @Test("1 to 256 bytes of UTF-8 pass", arguments: ["a", "ü", "a b/c%2F", String(repeating: "x", count: 256), "👍"])
    func takes(text: String) { #expect(ConsumerID(text)?.rawValue == text) }

    @Test(
        "rejects empty identifiers, too long ones and control characters",
        arguments: [
            "", String(repeating: "x", count: 257), "a\u{0}", "a\nb", "\u{7F}", "a\u{85}",
            String(repeating: "é", count: 129),
        ]
    )
    func refuses(text: String) { #expect(DeviceID(text) == nil) }

    @Test(
        "brand and app ids are narrower",
        arguments: [("brand-1.x_Y", true), ("a b", false), ("ü", false), ("", false)]
    )
    func names(text: String, isValid: Bool) {
        #expect((BrandID(text) != nil) == isValid)
        #expect((AppID(text) != nil) == isValid)
    }

    @Test("message ids increase even when the clock stands still or goes back")
    func rising() {
        var generator = MessageIDGenerator()
        let now = Timestamp(milliseconds: 1_767_323_045_678)
        var ids: [MessageID] = []
        for step in 0..<10_000 { ids.append(generator.next(at: step % 100 == 99 ? now.adding(seconds: -60) : now)) }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0.high < $1.high })
        #expect(ids.allSatisfy { ($0.high >> 12) & 0xF == 7 && $0.low >> 62 == 2 })
        #expect(ids[0].high >> 16 == 1_767_323_045_678)
    }

    @Test("the random part differs between ids")
    func random() {
        var generator = MessageIDGenerator()
        let now = Timestamp(milliseconds: 1_767_323_045_678)
        let parts = Set((0..<10_000).map { _ in generator.next(at: now).low })
        #expect(parts.count == 10_000)
        // Each of its 62 bits is sometimes 0 and sometimes 1.
        #expect(parts.reduce(0, |) == 0xBFFF_FFFF_FFFF_FFFF)
        #expect(parts.reduce(~0, &) == 0x8000_0000_0000_0000)
    }

    @Test("ids increase over a restart after which the clock is behind")
    func risingOverRestart() {
        let now = Timestamp(milliseconds: 1_767_323_045_678)
        var generator = MessageIDGenerator()
        var last = generator.next(at: now)
        for _ in 0..<5000 { last = generator.next(at: now) }
        var restarted = MessageIDGenerator(after: last)
        #expect(restarted.next(at: now.adding(seconds: -3600)).high > last.high)
    }

    @Test("only the canonical form is parsed, and it parses to the same id")
    func canonical() {
        let id = MessageID(high: 0x0123_4567_89AB_7CDE, low: 0x8123_4567_89AB_CDEF)
        #expect(id.description == "01234567-89ab-7cde-8123-456789abcdef")
        #expect(MessageID(id.description.uppercased()) == id)
        #expect(id.bytes.count == 16)
        for text in [
            "", "01234567-89ab-7cde-8123-456789abcde", "0123456789ab7cde8123456789abcdef",
            "g1234567-89ab-7cde-8123-456789abcdef",
        ] {
            #expect(MessageID(text) == nil)
        }
    }

    @Test("the id of a device's push is derived from message and registration, and differs for each")
    func derived() {
        let id = MessageID(high: 0x0123_4567_89AB_7CDE, low: 0x8123_4567_89AB_CDEF)
        let derived = (1...10_000).map { id.derived(by: Int64($0)) }
        #expect(Set(derived).count == derived.count)
        #expect(derived[4] == id.derived(by: 5))
        #expect(derived.allSatisfy { ($0.high >> 12) & 0xF == 8 && $0.low >> 62 == 2 })
    }

    @Test("a derived id leads to the few messages that it may be derived from, and other ids lead to none")
    func origins() throws {
        var generator = MessageIDGenerator()
        for milliseconds in [1, 1_767_323_045_678, 1 << 46] as [Int64] {
            let id = generator.next(at: Timestamp(milliseconds: milliseconds))
            #expect(id.highOfOrigins == nil)
            for number in [1, 2, 77_777, Int64.max] {
                let origins = try #require(id.derived(by: number).highOfOrigins)
                #expect(origins.contains(id.high) && origins.count == 16)
            }
        }
        #expect(MessageID(high: 0xFFFF_FFFF_FFFF_8FFF, low: 0).highOfOrigins?.upperBound == 0xFFFF_FFFF_FFFF_7FFF)
    }
}
