internal import COpenSSL
internal import Synchronization

/// A public key or a key pair of OpenSSL.
///
/// Thread-safe. `@unchecked`: a key does not change, and OpenSSL guards what it computes from it (the blinding) with its
/// own locks. A context is used only by the call that has taken it out of ``idle``.
final class KeyHandle: @unchecked Sendable {
    /// A signature scheme; a context serves one of them.
    struct Scheme: Equatable, Sendable {
        /// Nil for ECDSA.
        var padding: _RSA.Signing.Padding?
        var hash: HashAlgorithm

        static func == (first: Self, second: Self) -> Bool {
            first.padding == second.padding && first.hash === second.hash
        }
    }

    /// An idle `EVP_PKEY_CTX`, initialized for a scheme.
    ///
    /// `@unchecked`: the lock of ``idle`` guards it while it is there, and one call uses it while it is not.
    private struct Context: @unchecked Sendable {
        let pointer: OpaquePointer
        let scheme: Scheme
        let isForSigning: Bool
    }

    /// The maximum of idle contexts: about as many as threads are likely to use a key at once.
    private static let maxIdle = 8

    private let pointer: OpaquePointer
    /// The idle contexts: OpenSSL 3.0 looks the algorithm up again for each new one.
    private let idle = Mutex<[Context]>([])

    /// Takes over a new key; throws when there is none.
    init(_ make: () -> OpaquePointer?) throws(CryptographyError) {
        guard let pointer = ErrorQueue.isolated(make) else { throw .invalidKey }
        self.pointer = pointer
    }

    deinit {
        for context in idle.withLock({ $0 }) { EVP_PKEY_CTX_free(context.pointer) }
        EVP_PKEY_free(pointer)
    }

    /// A key from which the parameters of P-256 are copied, in a quarter of the time that they take by their name.
    private static let p256 = try? KeyHandle { switchboard_EVP_EC_gen("P-256") }

    /// Creates a public key on P-256 from its uncompressed point; throws for one that is not on the curve.
    convenience init(onP256 point: [UInt8]) throws(CryptographyError) {
        guard let template = Self.p256, let new = EVP_PKEY_new() else { throw .unavailable }
        try self.init {
            if EVP_PKEY_copy_parameters(new, template.pointer) == 1,
                EVP_PKEY_set1_encoded_public_key(new, point, point.count) == 1
            {
                return new
            }
            EVP_PKEY_free(new)
            return nil
        }
    }

    // MARK: - Encodings

    /// Parses DER that is complete and has nothing after it.
    convenience init(
        der: [UInt8],
        _ parse: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
    ) throws(CryptographyError) {
        try self.init {
            der.withUnsafeBufferPointer { bytes in
                var position = bytes.baseAddress
                guard let key = parse(&position, bytes.count) else { return nil }
                if let start = bytes.baseAddress, position == start + bytes.count { return key }
                EVP_PKEY_free(key)
                return nil
            }
        }
    }

    /// Parses a SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7).
    convenience init(publicDER der: [UInt8]) throws(CryptographyError) {
        try self.init(der: der) { d2i_PUBKEY(nil, $0, $1) }
    }

    /// Parses a private key that is not encrypted: PKCS#8 (RFC 5958) or PKCS#1 (RFC 8017 appendix A.1.2).
    convenience init(privateDER der: [UInt8]) throws(CryptographyError) {
        try self.init(der: der) { d2i_AutoPrivateKey(nil, $0, $1) }
    }

    /// The SubjectPublicKeyInfo.
    var publicDER: [UInt8] { Self.encoded { i2d_PUBKEY(pointer, $0) } }

    /// The private key as PKCS#8.
    var privateDER: [UInt8] {
        Self.encoded { output in
            let info = EVP_PKEY2PKCS8(pointer)
            defer { PKCS8_PRIV_KEY_INFO_free(info) }
            return i2d_PKCS8_PRIV_KEY_INFO(info, output)
        }
    }

    /// Encodes in two steps, of which the first finds the length; empty on an error.
    static func encoded(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
        ErrorQueue.isolated {
            let length = Int(encode(nil))
            guard length > 0 else { return [] }
            return [UInt8](unsafeUninitializedCapacity: length) { buffer, filled in
                var position = buffer.baseAddress
                filled = max(0, Int(encode(&position)))
            }
        }
    }

    // MARK: - Parameters

    /// The number of bits of an RSA modulus or of a curve's field.
    var bitCount: Int { Int(EVP_PKEY_get_bits(pointer)) }
    var isRSA: Bool { EVP_PKEY_get_base_id(pointer) == EVP_PKEY_RSA }

    /// Returns a number of the key, big endian with at least so many bytes; nil when it has no such number.
    func number(_ name: String, minLength: Int = 1) -> [UInt8]? {
        ErrorQueue.isolated {
            var number: OpaquePointer?
            guard EVP_PKEY_get_bn_param(pointer, name, &number) == 1 else { return nil }
            defer { BN_clear_free(number) }
            var bytes = [UInt8](repeating: 0, count: max(minLength, Int(BN_num_bits(number) + 7) / 8))
            return BN_bn2binpad(number, &bytes, Int32(bytes.count)) == bytes.count ? bytes : nil
        }
    }

    /// The uncompressed point of a key on P-256 (SEC 1 section 2.3.3), 65 bytes.
    var point: [UInt8]? {
        guard let x = number(OSSL_PKEY_PARAM_EC_PUB_X, minLength: 32),
            let y = number(OSSL_PKEY_PARAM_EC_PUB_Y, minLength: 32)
        else { return nil }
        return [4] + x + y
    }

    // MARK: - Operations

    /// Signs a digest.
    func signature<Function>(
        of digest: HashDigest<Function>,
        padding: _RSA.Signing.Padding? = nil
    ) throws(CryptographyError) -> [UInt8] {
        let scheme = Scheme(padding: padding, hash: Function.algorithm)
        let signature: [UInt8]? = withContext(scheme, isForSigning: true) { context in
            var length = Int(EVP_PKEY_get_size(pointer))
            var signature = [UInt8](repeating: 0, count: length)
            let isDone = digest.withUnsafeBytes { digest in
                let bytes = digest.bindMemory(to: UInt8.self)
                return EVP_PKEY_sign(context, &signature, &length, bytes.baseAddress, bytes.count) == 1
            }
            signature.removeLast(signature.count - length)
            return isDone ? signature : nil
        }
        guard let signature else { throw .unavailable }
        return signature
    }

    /// Returns whether a signature is that of a digest.
    func isValid<Function>(
        _ signature: [UInt8],
        of digest: HashDigest<Function>,
        padding: _RSA.Signing.Padding? = nil
    ) -> Bool {
        let scheme = Scheme(padding: padding, hash: Function.algorithm)
        return withContext(scheme, isForSigning: false) { context in
            digest.withUnsafeBytes { digest in
                let bytes = digest.bindMemory(to: UInt8.self)
                return EVP_PKEY_verify(context, signature, signature.count, bytes.baseAddress, bytes.count) == 1
            }
        } ?? false
    }

    /// Returns the shared secret with another key on the same curve (NIST SP 800-56A section 5.7.1.2), 32 bytes for
    /// P-256.
    func sharedSecret(with other: KeyHandle) throws(CryptographyError) -> SymmetricKey {
        try ErrorQueue.isolated { () throws(CryptographyError) in
            let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil)
            defer { EVP_PKEY_CTX_free(context) }
            var length = 0
            guard EVP_PKEY_derive_init(context) == 1,
                // The point is on the curve, of which no other point has a small order (the cofactor is 1).
                EVP_PKEY_derive_set_peer_ex(context, other.pointer, 0) == 1,
                EVP_PKEY_derive(context, nil, &length) == 1
            else { throw .invalidKey }
            var isDone = false
            let secret = SymmetricKey(byteCount: length) { buffer in
                isDone = EVP_PKEY_derive(context, buffer.bindMemory(to: UInt8.self).baseAddress, &length) == 1
            }
            guard isDone, length * 8 == secret.bitCount else { throw .invalidKey }
            return secret
        }
    }

    /// Calls a function that uses the key in OpenSSL and keeps no reference that it does not count.
    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result { body(pointer) }

    private func withContext<Result>(
        _ scheme: Scheme,
        isForSigning: Bool,
        _ body: (OpaquePointer) -> Result?
    ) -> Result? {
        ErrorQueue.isolated {
            let kept = idle.withLock { contexts in
                contexts.lastIndex { $0.isForSigning == isForSigning && $0.scheme == scheme }
                    .map { contexts.remove(at: $0) }
            }
            guard let context = kept ?? makeContext(scheme, isForSigning: isForSigning) else { return nil }
            let result = body(context.pointer)
            let isKept = idle.withLock { contexts in
                guard contexts.count < Self.maxIdle else { return false }
                contexts.append(context)
                return true
            }
            if !isKept { EVP_PKEY_CTX_free(context.pointer) }
            return result
        }
    }

    private func makeContext(_ scheme: Scheme, isForSigning: Bool) -> Context? {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return nil }
        guard (isForSigning ? EVP_PKEY_sign_init(context) : EVP_PKEY_verify_init(context)) == 1,
            scheme.padding.map({ $0.configure(context) }) ?? true, scheme.hash.configure(signature: context)
        else {
            EVP_PKEY_CTX_free(context)
            return nil
        }
        return Context(pointer: context, scheme: scheme, isForSigning: isForSigning)
    }
}
