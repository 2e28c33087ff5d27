import Cryptography
import Testing

@Suite("Hashes are those of FIPS 180-4")
struct HashTests {
    private static let long896 =
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"

    @Test(
        "SHA-256",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ]
    )
    func sha256(_ message: String, _ digest: String) {
        #expect(Array(SHA256.hash(data: Array(message.utf8))) == hex(digest))
        // A lazy collection is not in one piece.
        #expect(Array(SHA256.hash(data: message.utf8.lazy.map { $0 })) == hex(digest))
    }

    @Test("SHA-384 and SHA-512")
    func longer() {
        #expect(
            Array(SHA384.hash(data: Array("abc".utf8)))
                == hex(
                    "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
                )
        )
        #expect(
            Array(SHA384.hash(data: Array(Self.long896.utf8)))
                == hex(
                    "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039"
                )
        )
        #expect(
            Array(SHA512.hash(data: Array("abc".utf8)))
                == hex("ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a")
                + hex("2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
        )
        #expect(
            Array(SHA512.hash(data: Array(Self.long896.utf8)))
                == hex("8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018")
                + hex("501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909")
        )
        #expect(SHA256.hash(data: []).count == 32 && SHA512.hash(data: []).count == 64)
    }

    @Test("functions alternate on one thread, and many threads hash at once", .timeLimit(.minutes(10)))
    func threads() async {
        let key = HMAC<SHA512>(key: [1, 2, 3])
        let expected = HMAC<SHA512>.authenticationCode(for: [4], using: [1, 2, 3])
        let short = SHA256.hash(data: [5])
        let wrong = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var wrong = 0
                    for _ in 0..<2000 {
                        if key.code(of: [4]) != expected || SHA256.hash(data: [5]) != short { wrong += 1 }
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }

    @Test("a digest is a collection of its bytes")
    func digest() {
        let digest = SHA384.hash(data: [])
        #expect(
            digest.count == 48 && Array(digest.prefix(2)) == [0x38, 0xB0] && digest.withUnsafeBytes { $0.count } == 48
        )
        #expect(digest.map { $0 } == Array(digest) && Set([digest, SHA384.hash(data: [])]).count == 1)
        #expect(digest != SHA384.hash(data: [0]))
    }
}
