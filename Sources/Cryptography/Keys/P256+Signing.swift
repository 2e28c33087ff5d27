internal import COpenSSL

extension P256.Signing {
    /// A signature: r and s.
    package struct ECDSASignature: Sendable, Equatable {
        private static let numberBytes = 32

        /// r and s, 32 bytes each, as in a JWS (RFC 7518 section 3.4).
        package let rawRepresentation: [UInt8]

        /// Creates a signature from r and s.
        ///
        /// Whether they are in the range of numbers for the curve is checked when it is verified.
        ///
        /// - Throws: ``CryptographyError/wrongLength`` for other than 64 bytes.
        package init(rawRepresentation: some Collection<UInt8>) throws(CryptographyError) {
            guard rawRepresentation.count == 2 * Self.numberBytes else { throw .wrongLength }
            self.rawRepresentation = Array(rawRepresentation)
        }

        /// Creates a signature from its DER (RFC 3279 section 2.2.3).
        ///
        /// - Throws: ``CryptographyError/invalidEncoding`` unless it is the canonical encoding of two numbers that are
        ///   not negative and fit in 32 bytes.
        package init(derRepresentation: some Collection<UInt8>) throws(CryptographyError) {
            let der = Array(derRepresentation)
            var raw = [UInt8](repeating: 0, count: 2 * Self.numberBytes)
            let isRead = ErrorQueue.isolated {
                var position: UnsafePointer<UInt8>?
                return der.withUnsafeBufferPointer { bytes in
                    position = bytes.baseAddress
                    guard let signature = d2i_ECDSA_SIG(nil, &position, bytes.count) else { return false }
                    defer { ECDSA_SIG_free(signature) }
                    return raw.withUnsafeMutableBufferPointer { raw in
                        zip([ECDSA_SIG_get0_r(signature), ECDSA_SIG_get0_s(signature)], [0, Self.numberBytes])
                            .allSatisfy { number, offset in
                                guard let start = raw.baseAddress, BN_is_negative(number) == 0 else { return false }
                                return BN_bn2binpad(number, start + offset, Int32(Self.numberBytes)) >= 0
                            }
                    }
                }
            }
            guard isRead else { throw .invalidEncoding }
            rawRepresentation = raw
            // Another encoding of the same numbers, or bytes after it.
            guard self.derRepresentation == der else { throw .invalidEncoding }
        }

        /// The DER (RFC 3279 section 2.2.3), 8 to 72 bytes.
        package var derRepresentation: [UInt8] {
            DER.sequence([DER.integer(rawRepresentation.prefix(32)), DER.integer(rawRepresentation.suffix(32))])
        }
    }
}

extension P256PublicKey where Use == P256.Signing {
    /// Returns whether a signature is that of data with SHA-256.
    package func isValidSignature(_ signature: P256.Signing.ECDSASignature, for data: some Collection<UInt8>) -> Bool {
        isValidSignature(signature, for: SHA256.hash(data: data))
    }

    /// Returns whether a signature is that of a digest.
    package func isValidSignature<Function>(
        _ signature: P256.Signing.ECDSASignature,
        for digest: HashDigest<Function>
    ) -> Bool {
        key.isValid(signature.derRepresentation, of: digest)
    }
}

extension P256PrivateKey where Use == P256.Signing {
    /// Signs data with SHA-256.
    ///
    /// - Throws: ``CryptographyError/unavailable``.
    package func signature(
        for data: some Collection<UInt8>
    ) throws(CryptographyError) -> P256.Signing.ECDSASignature {
        try signature(for: SHA256.hash(data: data))
    }

    /// Signs a digest.
    ///
    /// - Throws: ``CryptographyError/unavailable``.
    package func signature<Function>(
        for digest: HashDigest<Function>
    ) throws(CryptographyError) -> P256.Signing.ECDSASignature {
        try P256.Signing.ECDSASignature(derRepresentation: key.signature(of: digest))
    }
}
