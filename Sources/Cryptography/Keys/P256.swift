internal import COpenSSL
internal import TextFormats

/// Keys on the curve P-256 (FIPS 186-5, NIST SP 800-186 section 3.2.1.3), for ECDSA with SHA-256 (FIPS 186-5 section 6)
/// or for ECDH (NIST SP 800-56A section 5.7.1.2); a key should have one of these uses.
package enum P256 {}

extension P256 {
    /// A public key; immutable and thread-safe.
    package struct PublicKey: Sendable, Equatable {
        /// A SubjectPublicKeyInfo of a point on P-256 before the point (RFC 5480 section 2).
        private static var derPrefix: [UInt8] {
            [
                0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86,
                0x48,
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
        package init(x963Representation point: [UInt8]) throws(CryptographyError) {
            guard point.count == 65, point[0] == 4 else { throw .invalidKey }
            key = try KeyHandle(onP256: point)
            x963Representation = point
        }

        /// Creates a key from its coordinates x and y, 32 bytes each.
        ///
        /// - Throws: ``CryptographyError/invalidKey``, also for a point that is not on the curve.
        package init(rawRepresentation: [UInt8]) throws(CryptographyError) {
            try self.init(x963Representation: [4] + rawRepresentation)
        }

        /// Creates a key from a SubjectPublicKeyInfo with the name of the curve and an uncompressed point.
        ///
        /// - Throws: ``CryptographyError/invalidKey``.
        package init(derRepresentation: [UInt8]) throws(CryptographyError) {
            guard derRepresentation.starts(with: Self.derPrefix) else { throw .invalidKey }
            try self.init(x963Representation: Array(derRepresentation.dropFirst(Self.derPrefix.count)))
        }

        /// Creates a key from the PEM of a SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`).
        ///
        /// - Throws: ``CryptographyError``.
        package init(pemRepresentation: String) throws(CryptographyError) {
            try self.init(derRepresentation: PEM.der(of: pemRepresentation, labelled: "PUBLIC KEY"))
        }

        fileprivate init(of key: KeyHandle) throws(CryptographyError) {
            guard let x = key.number(OSSL_PKEY_PARAM_EC_PUB_X, minLength: 32),
                let y = key.number(OSSL_PKEY_PARAM_EC_PUB_Y, minLength: 32)
            else { throw .invalidKey }
            try self.init(rawRepresentation: x + y)
        }

        /// The coordinates x and y, 32 bytes each.
        package var rawRepresentation: [UInt8] { Array(x963Representation.dropFirst()) }
        /// The SubjectPublicKeyInfo.
        package var derRepresentation: [UInt8] { Self.derPrefix + x963Representation }
        /// The SubjectPublicKeyInfo as PEM, without a newline at its end.
        package var pemRepresentation: String { PEM(label: "PUBLIC KEY", der: derRepresentation).text }

        /// Returns whether the points are the same.
        package static func == (first: Self, second: Self) -> Bool {
            first.x963Representation == second.x963Representation
        }

        /// Returns whether a signature is that of data with SHA-256.
        ///
        /// - Parameters:
        ///   - signature: r and s, 32 bytes each, as in a JWS (RFC 7518 section 3.4).
        ///   - data: The data.
        /// - Returns: False also for other than 64 bytes.
        package func isValidSignature(_ signature: [UInt8], for data: some Collection<UInt8>) -> Bool {
            guard signature.count == 64 else { return false }
            let der = DER.sequence([DER.integer(signature.prefix(32)), DER.integer(signature.suffix(32))])
            return key.isValid(der, for: data)
        }
    }
}

extension P256 {
    /// A private key; immutable and thread-safe.
    package struct PrivateKey: Sendable {
        let key: KeyHandle
        /// The public key.
        package let publicKey: PublicKey

        private init(_ key: KeyHandle) throws(CryptographyError) {
            self.key = key
            publicKey = try PublicKey(of: key)
        }

        /// Generates a key.
        package init() {
            do {
                try self.init(KeyHandle(newOnP256: ()))
            } catch {
                preconditionFailure("OpenSSL cannot generate a key on P-256")
            }
        }

        /// Creates a key from its number, 32 bytes big endian.
        ///
        /// - Throws: ``CryptographyError/invalidKey`` for another length, for zero, and for the curve's order and above.
        package init(rawRepresentation: some Collection<UInt8>) throws(CryptographyError) {
            var number = Array(rawRepresentation)
            defer { number.cleanse() }
            guard number.count == 32 else { throw .invalidKey }
            try self.init(KeyHandle { switchboard_P256_private_key(number, 32) })
        }

        /// Creates a key from PKCS#8 (RFC 5958) or SEC 1 (RFC 5915), not encrypted.
        ///
        /// The public key is computed: one in the encoding is ignored.
        ///
        /// - Throws: ``CryptographyError/invalidKey``.
        package init(derRepresentation: [UInt8]) throws(CryptographyError) {
            guard let number = Self.number(in: derRepresentation[...]) else { throw .invalidKey }
            try self.init(rawRepresentation: number)
        }

        /// Returns the number in PKCS#8 or SEC 1; nil unless both name the curve, and nothing is where it must not be.
        private static func number(in der: ArraySlice<UInt8>, isInPKCS8: Bool = false) -> ArraySlice<UInt8>? {
            guard let values = DER.sequence(der), values.count >= 2, values[0].tag == 0x02 else { return nil }
            let curve = PublicKey.curve
            if values[1].tag == 0x04 {
                // Version 1, the number, the curve, which PKCS#8 names already, and the public key.
                let names = values.dropFirst(2).filter { $0.tag == 0xA0 }.map(\.content)
                return values[0].content == [1] && names.count <= 1
                    && values.dropFirst(2).allSatisfy({ $0.tag & 0xFE == 0xA0 })
                    && names.first.map({ $0 == curve }) ?? isInPKCS8 ? values[1].content : nil
            }
            // Version 0, or 1 with a public key, the algorithm with the curve, and the key; attributes may follow.
            guard !isInPKCS8, values.count >= 3, values[0].content == [0] || values[0].content == [1],
                values[1].tag == 0x30, values[1].content == PublicKey.algorithm, values[2].tag == 0x04,
                values.dropFirst(3).allSatisfy({ $0.tag & 0xC0 == 0x80 })
            else { return nil }
            return number(in: values[2].content, isInPKCS8: true)
        }

        /// Creates a key from the PEM of PKCS#8 (`BEGIN PRIVATE KEY`) or SEC 1 (`BEGIN EC PRIVATE KEY`), not encrypted.
        ///
        /// - Throws: ``CryptographyError``.
        package init(pemRepresentation: String) throws(CryptographyError) {
            let der = try PEM.der(of: pemRepresentation, labelled: "PRIVATE KEY", "EC PRIVATE KEY")
            try self.init(derRepresentation: der)
        }

        /// The number, 32 bytes big endian: secret.
        package var rawRepresentation: [UInt8] { key.number(OSSL_PKEY_PARAM_PRIV_KEY, minLength: 32) ?? [] }
        /// The key as PKCS#8 PEM, without a newline at its end: secret.
        package var pemRepresentation: String { key.privatePEM }

        /// Signs data with SHA-256.
        ///
        /// - Returns: r and s, 32 bytes each, as in a JWS (RFC 7518 section 3.4).
        /// - Throws: ``CryptographyError/unavailable``.
        package func signature(for data: some Collection<UInt8>) throws(CryptographyError) -> [UInt8] {
            let der = try key.signature(for: data)
            guard let numbers = DER.sequence(der[...]), numbers.count == 2 else { throw .unavailable }
            return numbers.flatMap { number in
                let digits = number.content.drop { $0 == 0 }
                return [UInt8](repeating: 0, count: 32 - digits.count) + digits
            }
        }

        /// Returns the secret that both sides can compute: x of the shared point, 32 bytes.
        ///
        /// - Throws: ``CryptographyError/invalidKey``.
        package func sharedSecret(with publicKey: PublicKey) throws(CryptographyError) -> [UInt8] {
            try key.sharedSecret(with: publicKey.key)
        }
    }
}
