import Foundation
import Testing

@testable import Identity

@Suite("Sealed secrets open with their key, in their context, unchanged")
struct SecretBoxTests {
    @Test("a sealed secret opens again, and no two seals are the same", arguments: [0, 1, 15, 16, 17, 4096, 100_000])
    func roundTrip(count: Int) throws {
        let box = SecretBox(key: MasterKey())
        let secret = SecureRandom.bytes(count)
        let sealed = try box.seal(secret, context: "app/a/b")
        #expect(sealed.count == 1 + 8 + 12 + count + 16)
        #expect(try box.open(sealed, context: "app/a/b") == secret)
        #expect(try box.seal(secret, context: "app/a/b") != sealed)
    }

    @Test("a change of any bit of any byte is detected, with the right error")
    func tampered() throws {
        let box = SecretBox(key: MasterKey())
        let sealed = try box.seal(Array("a secret".utf8), context: "app/a/b")
        for index in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[index] ^= 1 << bit
                let expected: SecretBoxError =
                    index == 0 ? .unknownVersion(changed[0]) : index <= 8 ? .wrongKey : .damaged
                #expect(throws: expected) { try box.open(changed, context: "app/a/b") }
            }
        }
    }

    @Test("truncated or extended it is damaged")
    func length() throws {
        let box = SecretBox(key: MasterKey())
        let sealed = try box.seal(Array("a secret".utf8), context: "app/a/b")
        for count in 0..<sealed.count {
            #expect(throws: SecretBoxError.damaged) { try box.open(Array(sealed[..<count]), context: "app/a/b") }
        }
        #expect(throws: SecretBoxError.damaged) { try box.open(sealed + [0], context: "app/a/b") }
    }

    @Test("in another context it does not open", arguments: ["", "app/a/c", "app/a/b ", "app/a", "credential/a/b"])
    func context(other: String) throws {
        let box = SecretBox(key: MasterKey())
        let sealed = try box.seal(Array("a secret".utf8), context: "app/a/b")
        #expect(throws: SecretBoxError.damaged) { try box.open(sealed, context: other) }
    }

    @Test("another key is the error wrongKey")
    func wrongKey() throws {
        let sealed = try SecretBox(key: MasterKey()).seal([1, 2, 3], context: "x")
        #expect(throws: SecretBoxError.wrongKey) { try SecretBox(key: MasterKey()).open(sealed, context: "x") }
    }

    @Test("an error does not affect the next use")
    func afterFailure() throws {
        let box = SecretBox(key: MasterKey())
        let sealed = try box.seal([1, 2, 3], context: "x")
        #expect(throws: SecretBoxError.damaged) { try box.open(sealed, context: "y") }
        #expect(try box.open(sealed, context: "x") == [1, 2, 3])
    }

    @Test("a master key is formatted and parsed, without white space around it")
    func masterKey() throws {
        let key = MasterKey()
        let again = try MasterKey(base64: " \t" + key.base64 + "\r\n")
        #expect(again.bytes == key.bytes && again.id == key.id)
        #expect(Data(base64Encoded: key.base64).map { [UInt8]($0) } == key.bytes)
        #expect(MasterKey().bytes != key.bytes)
    }

    @Test(
        "a text that is not a master key is an error with the reason",
        arguments: [
            ("", .wrongLength(bytes: 0)), ("AAAA", .wrongLength(bytes: 3)), ("not base64!", .notBase64),
            (String(repeating: "A", count: 43), .notBase64), (String(repeating: "A", count: 42) + "B=", .notBase64),
            (String(repeating: "A", count: 44), .wrongLength(bytes: 33)),
            (String(repeating: "a", count: 64), .wrongLength(bytes: 48)),
            (String(repeating: "_", count: 43) + "=", .notBase64),
            (String(repeating: "A", count: 22) + "\n" + String(repeating: "A", count: 21) + "=", .notBase64),
        ] as [(String, MasterKey.Rejection)]
    )
    func refusedMasterKey(text: String, rejection: MasterKey.Rejection) {
        #expect(throws: rejection) { try MasterKey(base64: text) }
        #expect(text.isEmpty || !rejection.text.contains(text))
    }
}
