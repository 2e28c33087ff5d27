import Cryptography
import Testing

@Suite("AES is that of NIST, and accepts nothing that was changed")
struct CipherTests {
    private static let key = hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
    private static let plaintext = hex(
        """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
        """
    )
    private static let data = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    private static let nonce = hex("cafebabefacedbaddecaf888")

    @Test(
        "GCM: test cases 4, 10 and 16 of McGrew and Viega",
        arguments: [
            (
                16,
                "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
                "5bc94fbc3221a5db94fae95ae7121a47"
            ),
            (
                24,
                "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710",
                "2519498e80f1478f37ba55bd6d27618c"
            ),
            (
                32,
                "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
                "76fc6ece0f4e1768cddf8853bb2d551b"
            ),
        ]
    )
    func gcm(_ length: Int, _ ciphertext: String, _ tag: String) throws {
        let key = SymmetricKey(data: Self.key.prefix(length))
        let nonce = try AES.GCM.Nonce(data: Self.nonce)
        let box = try AES.GCM.seal(Self.plaintext, using: key, nonce: nonce, authenticating: Self.data)
        #expect(box.ciphertext == hex(ciphertext) && box.tag == hex(tag) && Array(box.nonce) == Self.nonce)
        #expect(try AES.GCM.open(box, using: key, authenticating: Self.data) == Self.plaintext)
    }

    @Test("GCM: test cases 13 and 14, without and with a block of zeros")
    func gcmOfZeros() throws {
        let key = SymmetricKey(data: [UInt8](repeating: 0, count: 32))
        let nonce = try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 12))
        let empty = try AES.GCM.seal([], using: key, nonce: nonce)
        #expect(empty.ciphertext.isEmpty && empty.tag == hex("530f8afbc74536b9a963b4f1c4cb738b"))
        #expect(try AES.GCM.open(empty, using: key).isEmpty)
        let block = try AES.GCM.seal([UInt8](repeating: 0, count: 16), using: key, nonce: nonce)
        #expect(block.ciphertext == hex("cea7403d4d606b6e074ec5d3baf39d18"))
        #expect(block.tag == hex("d0d1c8a799996bf0265b98b5d48ab919"))
    }

    @Test("GCM rejects every changed part, and lengths other than its own")
    func gcmAttacks() throws {
        let key = SymmetricKey(data: Self.key)
        let box = try AES.GCM.seal(Self.plaintext, using: key, authenticating: Self.data)
        func isRejected(
            nonce: [UInt8]? = nil,
            ciphertext: [UInt8]? = nil,
            tag: [UInt8]? = nil,
            data: [UInt8] = Self.data,
            key: SymmetricKey = key
        ) -> Bool {
            guard let nonce = try? AES.GCM.Nonce(data: nonce ?? Array(box.nonce)),
                let changed = try? AES.GCM.SealedBox(
                    nonce: nonce,
                    ciphertext: ciphertext ?? box.ciphertext,
                    tag: tag ?? box.tag
                )
            else { return true }
            return (try? AES.GCM.open(changed, using: key, authenticating: data)) == nil
        }
        #expect(!isRejected())
        for index in box.tag.indices {
            var tag = box.tag
            tag[index] ^= 1
            #expect(isRejected(tag: tag))
        }
        for length in 0..<16 { #expect(isRejected(tag: Array(box.tag.prefix(length)))) }
        #expect(isRejected(tag: box.tag + [0]) && isRejected(tag: [UInt8](repeating: 0, count: 16)))
        #expect(
            isRejected(ciphertext: Array(box.ciphertext.dropLast())) && isRejected(ciphertext: box.ciphertext + [0])
        )
        #expect(isRejected(ciphertext: []) && isRejected(ciphertext: box.ciphertext.reversed()))
        #expect(isRejected(data: []) && isRejected(data: Self.data + [0]) && isRejected(data: Self.data.reversed()))
        #expect(isRejected(nonce: Self.nonce) && isRejected(key: SymmetricKey(data: Self.key.reversed())))
        for length in [0, 1, 11, 13, 16, 4096] {
            #expect(throws: CryptographyError.wrongLength) {
                try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: length))
            }
        }
        for length in [0, 1, 15, 17, 31, 33, 64] {
            let key = SymmetricKey(data: [UInt8](repeating: 1, count: length))
            #expect(throws: CryptographyError.wrongLength) { try AES.GCM.seal([], using: key) }
            #expect(throws: CryptographyError.wrongLength) { try AES.GCM.open(box, using: key) }
        }
        #expect(throws: CryptographyError.authenticationFailure) { try AES.GCM.open(box, using: key) }
        #expect(Set((0..<1000).map { _ in Array(AES.GCM.Nonce()) }).count == 1000)
    }

    @Test(
        "CBC: F.2.1, F.2.3 and F.2.5 of SP 800-38A, with a block of padding",
        arguments: [
            (
                "2b7e151628aed2a6abf7158809cf4f3c", "7649abac8119b246cee98e9b12e9197d",
                "3ff1caa1681fac09120eca307586e1a7"
            ),
            (
                "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "4f021db243bc633d7178183a9fa071e8",
                "08b0e27988598881d920a9e64f5615cd"
            ),
            (
                "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "f58c4c04d6e5f1ba779eabfb5f7bfbd6",
                "b2eb05e2c39be9fcda6c19078c6a9d1b"
            ),
        ]
    )
    func cbc(_ key: String, _ first: String, _ last: String) throws {
        let plaintext = hex(
            """
            6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51
            30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710
            """
        )
        let (key, vector) = (SymmetricKey(data: hex(key)), try AES._CBC.IV(ivBytes: (0..<16).map { UInt8($0) }))
        let ciphertext = try AES._CBC.encrypt(plaintext, using: key, iv: vector)
        #expect(
            ciphertext.count == 80 && Array(ciphertext[..<16]) == hex(first) && Array(ciphertext[48..<64]) == hex(last)
        )
        #expect(try AES._CBC.decrypt(ciphertext, using: key, iv: vector) == plaintext)
        for length in 0...33 {
            let message = [UInt8](repeating: 9, count: length)
            let ciphertext = try AES._CBC.encrypt(message, using: key, iv: vector)
            #expect(ciphertext.count == (length / 16 + 1) * 16)
            #expect(try AES._CBC.decrypt(ciphertext, using: key, iv: vector) == message)
        }
        for length in [0, 1, 15, 17, 79] {
            #expect(throws: CryptographyError.authenticationFailure) {
                try AES._CBC.decrypt(ciphertext.prefix(length), using: key, iv: vector)
            }
        }
        // A block that is not the last has no padding.
        #expect(throws: CryptographyError.authenticationFailure) {
            try AES._CBC.decrypt(ciphertext.prefix(64), using: key, iv: vector)
        }
        for length in [0, 12, 15, 17] {
            #expect(throws: CryptographyError.wrongLength) {
                try AES._CBC.IV(ivBytes: [UInt8](repeating: 0, count: length))
            }
        }
        #expect(throws: CryptographyError.wrongLength) {
            try AES._CBC.decrypt(ciphertext, using: SymmetricKey(data: [1]), iv: vector)
        }
    }
}
