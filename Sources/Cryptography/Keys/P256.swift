internal import COpenSSL
internal import TextFormats

/// Keys on the curve P-256 (FIPS 186-5, NIST SP 800-186 section 3.2.1.3), for one use each.
package enum P256 {
    /// Keys for ECDSA (FIPS 186-5 section 6).
    package enum Signing {
        /// A public key that verifies.
        package typealias PublicKey = P256PublicKey<Signing>
        /// A private key that signs.
        package typealias PrivateKey = P256PrivateKey<Signing>
    }

    /// Keys for ECDH (NIST SP 800-56A section 5.7.1.2).
    package enum KeyAgreement {
        /// A public key of the other side.
        package typealias PublicKey = P256PublicKey<KeyAgreement>
        /// A private key of one side.
        package typealias PrivateKey = P256PrivateKey<KeyAgreement>
    }
}

/// A public key on P-256 for one use; immutable and thread-safe.
package struct P256PublicKey<Use>: Sendable, Equatable {
    /// A SubjectPublicKeyInfo of a point on P-256 before the point (RFC 5480 section 2).
    private static var derPrefix: [UInt8] {
        [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ]
    }

    /// The object identifier of elliptic-curve keys, and that of P-256.
    fileprivate static var algorithm: ArraySlice<UInt8> { derPrefix[4..<23] }
    /// The object identifier of P-256.
    fileprivate static var curve: ArraySlice<UInt8> { derPrefix[13..<23] }

    let key: KeyHandle
    /// The uncompressed point (SEC 1 section 2.3.3): the byte 4, x and y.
    package let x963Representation: [UInt8]

    /// Creates a key from its uncompressed point of 65 bytes.
    ///
    /// - Throws: ``CryptographyError/invalidKey``, also for a point that is not on the curve.
    package init(x963Representation: some Collection<UInt8>) throws(CryptographyError) {
        let point = Array(x963Representation)
        guard point.count == 65, point[0] == 4 else { throw .invalidKey }
        key = try KeyHandle(onP256: point)
        self.x963Representation = point
    }

    /// Creates a key from its coordinates x and y, 32 bytes each.
    ///
    /// - Throws: ``CryptographyError/invalidKey``, also for a point that is not on the curve.
    package init(rawRepresentation: some Collection<UInt8>) throws(CryptographyError) {
        try self.init(x963Representation: [4] + Array(rawRepresentation))
    }

    /// Creates a key from a SubjectPublicKeyInfo with the name of the curve and an uncompressed point.
    ///
    /// - Throws: ``CryptographyError/invalidKey``.
    package init(derRepresentation: some Collection<UInt8>) throws(CryptographyError) {
        guard derRepresentation.starts(with: Self.derPrefix) else { throw .invalidKey }
        try self.init(x963Representation: derRepresentation.dropFirst(Self.derPrefix.count))
    }

    /// Creates a key from the PEM of a SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`).
    ///
    /// - Throws: ``CryptographyError``.
    package init(pemRepresentation: String) throws(CryptographyError) {
        let pem = try PEM(pemRepresentation)
        guard pem.label == "PUBLIC KEY" else { throw .invalidKey }
        try self.init(derRepresentation: pem.der)
    }

    init(of key: KeyHandle) throws(CryptographyError) {
        guard let point = key.point else { throw .invalidKey }
        try self.init(x963Representation: point)
    }

    /// The coordinates x and y, 32 bytes each.
    package var rawRepresentation: [UInt8] { Array(x963Representation.dropFirst()) }
    /// The SubjectPublicKeyInfo.
    package var derRepresentation: [UInt8] { Self.derPrefix + x963Representation }
    /// The SubjectPublicKeyInfo as PEM, without a newline at its end.
    package var pemRepresentation: String { PEM(label: "PUBLIC KEY", der: derRepresentation).text }

    /// Returns whether the points are the same.
    package static func == (first: Self, second: Self) -> Bool { first.x963Representation == second.x963Representation }
}

/// A private key on P-256 for one use; immutable and thread-safe.
package struct P256PrivateKey<Use>: Sendable {
    let key: KeyHandle
    /// The public key.
    package let publicKey: P256PublicKey<Use>

    private init(_ key: KeyHandle) throws(CryptographyError) {
        self.key = key
        publicKey = try P256PublicKey(of: key)
    }

    /// Generates a key.
    package init() {
        do {
            try self.init(KeyHandle { switchboard_EVP_EC_gen("P-256") })
        } catch {
            preconditionFailure("OpenSSL cannot generate a key on P-256")
        }
    }

    /// Creates a key from its number, 32 bytes big endian.
    ///
    /// - Throws: ``CryptographyError/invalidKey`` for another length, for zero, and for the curve's order and above.
    package init(rawRepresentation: some Collection<UInt8>) throws(CryptographyError) {
        var number = Array(rawRepresentation)
        defer { SymmetricKey.cleanse(&number) }
        guard number.count == 32 else { throw .invalidKey }
        try self.init(KeyHandle { switchboard_P256_private_key(number, 32) })
    }

    /// Creates a key from PKCS#8 (RFC 5958) or SEC 1 (RFC 5915), not encrypted.
    ///
    /// The public key is computed: one in the encoding is ignored.
    ///
    /// - Throws: ``CryptographyError/invalidKey``.
    package init(derRepresentation: some Collection<UInt8>) throws(CryptographyError) {
        var der = Array(derRepresentation)
        defer { SymmetricKey.cleanse(&der) }
        guard let number = Self.number(in: der[...]) else { throw .invalidKey }
        try self.init(rawRepresentation: number)
    }

    /// Returns the number in PKCS#8 or SEC 1; nil unless both name the curve, and nothing is where it must not be.
    private static func number(in der: ArraySlice<UInt8>, isInPKCS8: Bool = false) -> ArraySlice<UInt8>? {
        guard let values = DER.sequence(der), values.count >= 2, values[0].tag == 0x02 else { return nil }
        let curve = P256PublicKey<Use>.curve
        if values[1].tag == 0x04 {
            // Version 1, the number, the curve, which PKCS#8 names already, and the public key.
            let names = values.dropFirst(2).filter { $0.tag == 0xA0 }.map(\.content)
            return values[0].content == [1] && names.count <= 1
                && values.dropFirst(2).allSatisfy({ $0.tag & 0xFE == 0xA0 })
                && names.first.map({ $0 == curve }) ?? isInPKCS8 ? values[1].content : nil
        }
        // Version 0, or 1 with a public key, the algorithm with the curve, and the key; attributes may follow.
        guard !isInPKCS8, values.count >= 3, values[0].content == [0] || values[0].content == [1],
            values[1].tag == 0x30, values[1].content == P256PublicKey<Use>.algorithm, values[2].tag == 0x04,
            values.dropFirst(3).allSatisfy({ $0.tag & 0xC0 == 0x80 })
        else { return nil }
        return number(in: values[2].content, isInPKCS8: true)
    }

    /// Creates a key from the PEM of PKCS#8 (`BEGIN PRIVATE KEY`) or SEC 1 (`BEGIN EC PRIVATE KEY`), not encrypted.
    ///
    /// - Throws: ``CryptographyError``.
    package init(pemRepresentation: String) throws(CryptographyError) {
        let pem = try PEM(pemRepresentation)
        guard ["PRIVATE KEY", "EC PRIVATE KEY"].contains(pem.label) else { throw .invalidKey }
        try self.init(derRepresentation: pem.der)
    }

    /// The number, 32 bytes big endian: secret.
    package var rawRepresentation: [UInt8] { key.number(OSSL_PKEY_PARAM_PRIV_KEY, minLength: 32) ?? [] }
    /// The key as PKCS#8: secret.
    package var derRepresentation: [UInt8] { key.privateDER }
    /// The key as PKCS#8 PEM, without a newline at its end: secret.
    package var pemRepresentation: String { PEM(label: "PRIVATE KEY", der: key.privateDER).text }
}

extension P256PrivateKey where Use == P256.KeyAgreement {
    /// Returns the secret that both sides can compute: x of the shared point, 32 bytes.
    ///
    /// - Throws: ``CryptographyError/invalidKey``.
    package func sharedSecretFromKeyAgreement(
        with publicKey: P256.KeyAgreement.PublicKey
    ) throws(CryptographyError) -> SymmetricKey {
        try key.sharedSecret(with: publicKey.key)
    }
}
