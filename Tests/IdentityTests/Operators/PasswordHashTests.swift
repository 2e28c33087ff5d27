import Testing
import TextFormats

@testable import Identity

@Suite("Passwords of operators", .timeLimit(.minutes(10)))
struct PasswordHashTests {
    private static let cheap = PasswordHash.Cost(logarithm: 1, blockSize: 1, repetitions: 1)

    @Test("a password matches its own hash only, and two hashes of it differ")
    func matching() throws {
        let first = try #require(PasswordHash(of: "correct horse", Self.cheap))
        let second = try #require(PasswordHash(of: "correct horse", Self.cheap))
        #expect(first.text != second.text)
        for hash in [first, second] {
            let read = try #require(PasswordHash(text: hash.text))
            #expect(read.text == hash.text)
            #expect(read.matches("correct horse"))
            for wrong in ["", "correct hors", "correct horse ", "Correct horse", "correct horse\u{0}"] {
                #expect(!read.matches(wrong), "\(wrong)")
            }
        }
        #expect(!PasswordHash(ofNothing: Self.cheap).matches(""))
    }

    @Test("the hash is that of scrypt with the parameters of its text (RFC 7914 section 12)")
    func vector() throws {
        // As Python's hashlib.scrypt computes it.
        let salt = StrictBase64.encode(Array("sodium chloride!".utf8), .url)
        let key = "BfLXMl1KbFGfPUuLjiw1cKCFEbSYy2NGENzCNZ_8RCM"
        let hash = try #require(PasswordHash(text: "$scrypt$ln=10,r=8,p=16$\(salt)$\(key)"))
        #expect(hash.matches("password"))
        let other = try #require(PasswordHash(text: "$scrypt$ln=10,r=8,p=15$\(salt)$\(key)"))
        #expect(!other.matches("password"))
    }

    @Test("the parameters for new passwords are those of the page, and OpenSSL accepts them")
    func standard() throws {
        let hash = try #require(PasswordHash(of: "correct horse", .standard))
        #expect(hash.text.hasPrefix("$scrypt$ln=15,r=8,p=3$"))
        #expect(hash.matches("correct horse"))
    }

    @Test(
        "a text that is no hash, or has parameters that nobody stores, is not read",
        arguments: [
            "", "$", "$scrypt$ln=1,r=1,p=1", "$scrypt$ln=1,r=1,p=1$AAAA$AAAA", "$argon2$ln=1,r=1,p=1$S$K",
            "$scrypt$ln=40,r=1,p=1$S$K", "$scrypt$ln=0,r=1,p=1$S$K", "$scrypt$ln=1,r=17,p=1$S$K",
            "$scrypt$ln=1,r=1,p=-1$S$K", "$scrypt$ln=1,r=1$S$K", "$scrypt$r=1,ln=1,p=1$S$K",
            "x$scrypt$ln=1,r=1,p=1$S$K", "$scrypt$ln=1,r=1,p=1$S$K$",
        ]
    )
    func malformed(text: String) {
        let salt = StrictBase64.encode([UInt8](repeating: 1, count: 16), .url)
        let key = StrictBase64.encode([UInt8](repeating: 2, count: 32), .url)
        let whole = text.replacing("$S$", with: "$\(salt)$").replacing("$K", with: "$\(key)")
        #expect(PasswordHash(text: whole) == nil, "\(whole)")
        #expect(PasswordHash(text: "$scrypt$ln=1,r=1,p=1$\(salt)$\(key)") != nil)
    }
}
