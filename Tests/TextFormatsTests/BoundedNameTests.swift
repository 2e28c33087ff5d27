import Testing

@testable import TextFormats

@Suite("BoundedName and byte-wise text functions")
struct BoundedNameTests {
    private enum Word: String, CaseIterable {
        case plain
        case accented = "caf\u{E9}"
    }

    @Test("names that differ only after their first eight bytes differ, and zero bytes count")
    func longNames() {
        let names: [BoundedName] = [
            "", "\0", "a", "a\0", "a\0b", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefgh\0",
            "abcdefghi", "abcdefghij",
        ]
        #expect(names.shuffled().sorted() == names)
        #expect(Set(names).count == names.count)
        for name in names {
            #expect(BoundedName(name.text[...]) == name && BoundedName(name.text)?.hashValue == name.hashValue)
        }
    }

    @Test("names are equal only when their bytes are, even if they look the same")
    func bytes() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(composed == decomposed, "Swift finds them equal")
        #expect(BoundedName(composed) != BoundedName(decomposed))
        #expect(Set([composed, decomposed].compactMap { BoundedName($0) }).count == 2)
        #expect(!composed.hasSameBytes(as: decomposed))
        #expect(Word(word: composed) == .accented)
        #expect(Word(word: decomposed) == nil)
        #expect(Word(word: "plainer") == nil && Word(word: "plai") == nil)
    }

    @Test("a name has at most 256 bytes")
    func bound() {
        #expect(BoundedName(String(repeating: "a", count: 256))?.text.utf8.count == 256)
        #expect(BoundedName(String(repeating: "a", count: 257)) == nil)
        #expect(BoundedName(lowercasing: String(repeating: "\u{301}", count: 128)) != nil)
        #expect(BoundedName(lowercasing: String(repeating: "\u{301}", count: 129)) == nil)
    }

    @Test("names are ordered by their bytes")
    func order() {
        let names: [BoundedName] = ["b", "a", "\u{E9}", "ab", ""]
        #expect(names.sorted() == ["", "a", "ab", "b", "\u{E9}"])
    }

    @Test("only ASCII letters are lowercased")
    func lowercase() {
        #expect(BoundedName(lowercasing: "X-Request-ID\u{C9}") == "x-request-id\u{C9}")
    }

    @Test("a separator is found also before a combining mark")
    func parts() {
        let text = "a,\u{301}b"
        #expect(!text.contains(","), "for Swift the comma is part of another character")
        #expect(text.byteSplit(",").map { Array($0.utf8) } == [[0x61], [0xCC, 0x81, 0x62]])
        #expect("".byteSplit(",", omittingEmptySubsequences: false).count == 1)
        #expect("a,b,c".byteSplit(",", maxSplits: 1).map(String.init) == ["a", "b,c"])
    }

    @Test("bytes are found at both ends and in between")
    func search() {
        #expect("bearer.x".hasBytePrefix("bearer.") && !"bear".hasBytePrefix("bearer."))
        #expect("a+json".hasByteSuffix("+json") && !"json".hasByteSuffix("+json"))
        #expect("an aandroid".containsBytes(of: "android") && !"androi".containsBytes(of: "android"))
        #expect("aab".containsBytes(of: "ab") && "x".containsBytes(of: ""))
        #expect(" \t a b\t "[...].trimmingBlanks == "a b")
        #expect(" \t"[...].trimmingBlanks.isEmpty && ""[...].trimmingBlanks.isEmpty)
    }

    @Test("a word matches case-insensitively, and only as a whole")
    func words() {
        for text in ["basic", "BASIC", "Basic", "bAsIc"] { #expect(text.isWord("basic"), "\(text)") }
        for text in ["", "basi", "basics", "b\u{E1}sic", "BASI\u{43}\u{301}", "\u{212A}elvi"] {
            #expect(!text.isWord("basic") && !text.isWord("kelvi"), "\(text)")
        }
        #expect("Basic abc".hasWordPrefix("basic ") && !"Basi".hasWordPrefix("basic") && "x".hasWordPrefix(""))
        // Substrings, and texts that are not stored as contiguous UTF-8, give the same results.
        #expect("x=Charset=UTF-8"[...].dropFirst(2).hasWordPrefix("charset="))
        #expect("ab".reversed().map(String.init).joined().isWord("ba"))
    }

    @Test("a text is ASCII when each of its bytes is")
    func ascii() {
        #expect("".isASCII && "abc\u{7F}".isASCII && String(repeating: "x", count: 100).isASCII)
        for place in [0, 1, 15, 16, 17, 63, 64, 99] {
            var text = Array(repeating: UInt8(ascii: "x"), count: 100)
            text.replaceSubrange(place..<min(place + 2, 100), with: Array("\u{E1}".utf8))
            #expect(!String(decoding: text, as: UTF8.self).isASCII, "\(place)")
        }
    }

    @Test("a prefix is compared as bytes")
    func prefixes() {
        #expect("sb_s_1".hasBytePrefix("sb_s_") && "a".hasBytePrefix("") && !"".hasBytePrefix("a"))
        #expect("e\u{301}".hasBytePrefix("e") && !"\u{E9}".hasBytePrefix("e") && !"\u{E9}".hasBytePrefix("e\u{301}"))
    }
}
