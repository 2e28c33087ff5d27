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
        let key = Array(Self.key.prefix(length))
        let box = try AES.GCM.seal(Self.plaintext, using: key, nonce: Self.nonce, authenticating: Self.data)
        #expect(box.ciphertext == hex(ciphertext) && box.tag == hex(tag))
        let opened = try AES.GCM.open(
            box.ciphertext,
            tag: box.tag,
            using: key,
            nonce: Self.nonce,
            authenticating: Self.data
        )
        #expect(opened == Self.plaintext)
    }

    @Test("GCM: test cases 13 and 14, without and with a block of zeros")
    func gcmOfZeros() throws {
        let key = [UInt8](repeating: 0, count: 32)
        let nonce = [UInt8](repeating: 0, count: 12)
        let empty = try AES.GCM.seal([], using: key, nonce: nonce)
        #expect(empty.ciphertext.isEmpty && empty.tag == hex("530f8afbc74536b9a963b4f1c4cb738b"))
        #expect(try AES.GCM.open([], tag: empty.tag, using: key, nonce: nonce).isEmpty)
        let block = try AES.GCM.seal([UInt8](repeating: 0, count: 16), using: key, nonce: nonce)
        #expect(block.ciphertext == hex("cea7403d4d606b6e074ec5d3baf39d18"))
        #expect(block.tag == hex("d0d1c8a799996bf0265b98b5d48ab919"))
    }

    @Test("GCM rejects every changed part, and lengths other than its own")
    func gcmAttacks() throws {
        let key = Self.key
        let box = try AES.GCM.seal(Self.plaintext, using: key, nonce: Self.nonce, authenticating: Self.data)
        func isRejected(
            nonce: [UInt8] = Self.nonce,
            ciphertext: [UInt8]? = nil,
            tag: [UInt8]? = nil,
            data: [UInt8] = Self.data,
            key: [UInt8] = key
        ) -> Bool {
            let opened = try? AES.GCM.open(
                ciphertext ?? box.ciphertext,
                tag: tag ?? box.tag,
                using: key,
                nonce: nonce,
                authenticating: data
            )
            return opened == nil
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
        #expect(isRejected(nonce: Self.nonce.reversed()) && isRejected(key: Self.key.reversed()))
        for length in [0, 1, 11, 13, 16, 4096] {
            let nonce = [UInt8](repeating: 0, count: length)
            #expect(throws: CryptographyError.wrongLength) { try AES.GCM.seal([], using: key, nonce: nonce) }
            #expect(throws: CryptographyError.wrongLength) {
                try AES.GCM.open(box.ciphertext, tag: box.tag, using: key, nonce: nonce)
            }
        }
        for length in [0, 1, 15, 17, 31, 33, 64] {
            let key = [UInt8](repeating: 1, count: length)
            #expect(throws: CryptographyError.wrongLength) { try AES.GCM.seal([], using: key, nonce: Self.nonce) }
            #expect(throws: CryptographyError.wrongLength) {
                try AES.GCM.open(box.ciphertext, tag: box.tag, using: key, nonce: Self.nonce)
            }
        }
        #expect(throws: CryptographyError.authenticationFailure) {
            try AES.GCM.open(box.ciphertext, tag: box.tag, using: key, nonce: Self.nonce)
        }
    }

    @Test(
        "CBC: F.2.2, F.2.4 and F.2.6 of SP 800-38A, with a block of padding",
        arguments: [
            (
                "2b7e151628aed2a6abf7158809cf4f3c",
                "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
                    + "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
                    + "8cb82807230e1321d3fae00d18cc2012"
            ),
            (
                "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
                "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"
                    + "571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd"
                    + "612ccd79224b350935d45dd6a98f8176"
            ),
            (
                "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
                "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
                    + "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"
                    + "3f461796d6b0d6b2e0c2a72b4d80e644"
            ),
        ]
    )
    func cbc(_ key: String, _ ciphertext: String) throws {
        let plaintext = hex(
            """
            6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51
            30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710
            """
        )
        let (key, ciphertext, vector) = (hex(key), hex(ciphertext), (0..<16).map { UInt8($0) })
        #expect(try AES.CBC.decrypt(ciphertext, using: key, vector: vector) == plaintext)
        // A block that is not the last has no padding.
        for length in [0, 1, 15, 17, 64, 79] {
            #expect(throws: CryptographyError.authenticationFailure) {
                try AES.CBC.decrypt(Array(ciphertext.prefix(length)), using: key, vector: vector)
            }
        }
        for length in [0, 12, 15, 17] {
            #expect(throws: CryptographyError.wrongLength) {
                try AES.CBC.decrypt(ciphertext, using: key, vector: [UInt8](repeating: 0, count: length))
            }
        }
        #expect(throws: CryptographyError.wrongLength) {
            try AES.CBC.decrypt(ciphertext, using: [1], vector: vector)
        }
    }
}
