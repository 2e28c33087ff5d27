internal import COpenSSL
internal import Synchronization
internal import TextFormats

/// A public key or a key pair of OpenSSL, of whatever type.
///
/// Thread-safe. `@unchecked`: a key does not change, and OpenSSL guards what it computes from it (the blinding) with its
/// own locks. A context is used only by the call that has taken it out of ``idle``.
package final class KeyHandle: @unchecked Sendable {
    /// An operation with a key, for which a context is initialized; signatures are of digests with SHA-256.
    enum Operation: Equatable, Sendable {
        /// Signing; without a padding by ECDSA.
        case sign(RSA.Padding?)
        /// Verifying; without a padding by ECDSA.
        case verify(RSA.Padding?)
        /// Decrypting RSAES-OAEP (RFC 8017 section 7.1.2).
        case decrypt(RSA.LabelHash)
        /// Computing a shared secret.
        case derive

        func configure(_ context: OpaquePointer) -> Bool {
            switch self {
            case .sign(let padding):
                EVP_PKEY_sign_init(context) == 1 && configure(signature: context, padding)
            case .verify(let padding):
                EVP_PKEY_verify_init(context) == 1 && configure(signature: context, padding)
            case .decrypt(let hash):
                EVP_PKEY_decrypt_init(context) == 1
                    && EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1
                    // The mask's hash is the same unless another one is set (EVP_PKEY_CTX_set_rsa_mgf1_md(3)).
                    && EVP_PKEY_CTX_set_rsa_oaep_md(context, hash == .sha1 ? EVP_sha1() : EVP_sha256()) == 1
            case .derive: EVP_PKEY_derive_init(context) == 1
            }
        }

        private func configure(signature context: OpaquePointer, _ padding: RSA.Padding?) -> Bool {
            let hasPadding =
                switch padding {
                case nil: true
                case .pkcs1: EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
                case .pss:
                    EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                        && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
                }
            return hasPadding && EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1
        }
    }

    /// An idle `EVP_PKEY_CTX`, initialized for an operation.
    ///
    /// `@unchecked`: the lock of ``idle`` guards it while it is there, and one call uses it while it is not.
    private struct Context: @unchecked Sendable {
        let pointer: OpaquePointer
        let operation: Operation
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

    /// Generates an RSA key; takes up to a second of CPU time.
    package convenience init(newRSAWithBits bits: Int) throws(CryptographyError) {
        try self.init { switchboard_EVP_RSA_gen(UInt32(bits)) }
    }

    /// Generates a key on P-256.
    package convenience init(newOnP256: Void) throws(CryptographyError) {
        try self.init { switchboard_EVP_EC_gen("P-256") }
    }

    /// A key from which the parameters of P-256 are copied, in a quarter of the time that they take by their name.
    private static let p256 = try? KeyHandle(newOnP256: ())

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
    private convenience init(
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

    /// Parses a private key that is not encrypted: PKCS#8 (RFC 5958) or the form of its algorithm, such as PKCS#1 (RFC
    /// 8017 appendix A.1.2).
    convenience init(privateDER der: [UInt8]) throws(CryptographyError) {
        try self.init(der: der) { d2i_AutoPrivateKey(nil, $0, $1) }
    }

    /// Parses the first SubjectPublicKeyInfo of a PEM text (`BEGIN PUBLIC KEY`).
    package convenience init(firstPublicKeyOf pem: String) throws(CryptographyError) {
        try self.init(publicDER: PEM.firstBlock(of: pem) { $0 == "PUBLIC KEY" })
    }

    /// Parses the first private key of a PEM text, not encrypted; parameters of a curve may be before it.
    package convenience init(firstPrivateKeyOf pem: String) throws(CryptographyError) {
        try self.init(privateDER: PEM.firstBlock(of: pem) { $0.hasByteSuffix("PRIVATE KEY") })
    }

    /// The SubjectPublicKeyInfo.
    package var publicDER: [UInt8] { Self.encoded { i2d_PUBKEY(pointer, $0) } }
    /// The SubjectPublicKeyInfo as PEM, without a newline at its end.
    package var publicPEM: String { PEM(label: "PUBLIC KEY", der: publicDER).text }
    /// The private key as PKCS#8 PEM, without a newline at its end: secret.
    package var privatePEM: String { PEM(label: "PRIVATE KEY", der: privateDER).text }

    /// The private key as PKCS#8.
    private var privateDER: [UInt8] {
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
    package var bitCount: Int { Int(EVP_PKEY_get_bits(pointer)) }
    /// Whether it is an RSA key, for whatever padding.
    package var isRSA: Bool { EVP_PKEY_get_base_id(pointer) == EVP_PKEY_RSA }

    /// Whether it is an elliptic-curve key on P-256, named and not by parameters.
    package var isOnP256: Bool {
        ErrorQueue.isolated {
            var (name, length) = ([CChar](repeating: 0, count: 64), 0)
            return EVP_PKEY_get_base_id(pointer) == EVP_PKEY_EC
                && EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1
                && name.prefix(length).elementsEqual("prime256v1".utf8.map { CChar(bitPattern: $0) })
        }
    }

    /// Whether the public numbers are a valid key (EVP_PKEY_public_check(3)).
    package var hasValidPublicNumbers: Bool {
        ErrorQueue.isolated {
            let context = EVP_PKEY_CTX_new(pointer, nil)
            defer { EVP_PKEY_CTX_free(context) }
            return EVP_PKEY_public_check(context) == 1
        }
    }

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

    // MARK: - Operations

    /// Signs the SHA-256 of data.
    func signature(
        for data: some Collection<UInt8>,
        padding: RSA.Padding? = nil
    ) throws(CryptographyError) -> [UInt8] {
        let signature = output(.sign(padding), of: SHA256.hash(data: data)) { EVP_PKEY_sign($0, $1, $2, $3, $4) }
        guard let signature else { throw .unavailable }
        return signature
    }

    /// Decrypts a ciphertext of RSAES-OAEP; nil for every error.
    package func opened(_ ciphertext: [UInt8], _ hash: RSA.LabelHash) -> [UInt8]? {
        output(.decrypt(hash), of: ciphertext) { EVP_PKEY_decrypt($0, $1, $2, $3, $4) }
    }

    /// Calls a function of OpenSSL whose output is at most as long as ``EVP_PKEY_get_size(3)`` says.
    private func output(
        _ operation: Operation,
        of input: some Collection<UInt8>,
        _ function: (
            OpaquePointer, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Int>, UnsafePointer<UInt8>?, Int
        ) -> Int32
    ) -> [UInt8]? {
        withContext(operation) { context in
            var length = Int(EVP_PKEY_get_size(pointer))
            var output = [UInt8](repeating: 0, count: length)
            let isDone = input.withBytes { input in
                function(context, &output, &length, input.bindMemory(to: UInt8.self).baseAddress, input.count) == 1
            }
            output.removeLast(output.count - length)
            return isDone ? output : nil
        }
    }

    /// Returns whether a signature is that of the SHA-256 of data.
    func isValid(_ signature: [UInt8], for data: some Collection<UInt8>, padding: RSA.Padding? = nil) -> Bool {
        let digest = SHA256.hash(data: data)
        return withContext(.verify(padding)) { context in
            digest.withUnsafeBytes { digest in
                let bytes = digest.bindMemory(to: UInt8.self)
                return EVP_PKEY_verify(context, signature, signature.count, bytes.baseAddress, bytes.count) == 1
            }
        } ?? false
    }

    /// Returns the shared secret with another key on P-256 (NIST SP 800-56A section 5.7.1.2), 32 bytes.
    func sharedSecret(with other: KeyHandle) throws(CryptographyError) -> [UInt8] {
        let secret: [UInt8]? = withContext(.derive) { context in
            var (secret, length) = ([UInt8](repeating: 0, count: 32), 32)
            // The point is on the curve, of which no other point has a small order (the cofactor is 1).
            guard EVP_PKEY_derive_set_peer_ex(context, other.pointer, 0) == 1,
                EVP_PKEY_derive(context, &secret, &length) == 1, length == secret.count
            else { return nil }
            return secret
        }
        guard let secret else { throw .invalidKey }
        return secret
    }

    /// Calls a function that uses the key in OpenSSL and keeps no reference that it does not count.
    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result { body(pointer) }

    private func withContext<Result>(_ operation: Operation, _ body: (OpaquePointer) -> Result?) -> Result? {
        ErrorQueue.isolated {
            let kept = idle.withLock { contexts in
                contexts.lastIndex { $0.operation == operation }.map { contexts.remove(at: $0) }
            }
            guard let context = kept ?? makeContext(operation) else { return nil }
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

    private func makeContext(_ operation: Operation) -> Context? {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return nil }
        guard operation.configure(context) else {
            EVP_PKEY_CTX_free(context)
            return nil
        }
        return Context(pointer: context, operation: operation)
    }
}
