internal import COpenSSL
internal import Synchronization

/// A private RSA key that decrypts RSAES-OAEP (RFC 8017 section 7.1.2).
///
/// Thread-safe.
///
/// `@unchecked`: OpenSSL guards its mutable state next to a key's numbers (the blinding) with its own locks, and
/// nothing else of the key changes. A context is used only by the call that has taken it out of ``idle``.
final class OAEPKey: @unchecked Sendable {
    /// The hash, for both the label and the mask (RFC 7518 section 4.3).
    enum Hash {
        case sha1
        case sha256
    }

    /// The maximum of idle contexts: about as many as threads are likely to decrypt at once; more are created and freed
    /// again.
    private static let maxIdle = 8

    private let key: AsymmetricKey
    private let hash: Hash
    /// The idle contexts: creating one costs as much as verifying a short token.
    private let idle = Mutex<[Context]>([])

    /// An `EVP_PKEY_CTX` that is used repeatedly with the same parameters (EVP_PKEY_decrypt(3)).
    ///
    /// `@unchecked`: see the key.
    private struct Context: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    init(_ key: consuming AsymmetricKey, _ hash: Hash) {
        self.key = key
        self.hash = hash
    }

    deinit {
        idle.withLock { contexts in
            for context in contexts { EVP_PKEY_CTX_free(context.pointer) }
        }
    }

    /// Decrypts a ciphertext; nil for every error.
    func opened(_ ciphertext: [UInt8]) -> [UInt8]? {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let context = idle.withLock({ $0.popLast() }) ?? made() else { return nil }
        defer { putBack(context) }
        var length = Int(EVP_PKEY_get_size(key.pointer))
        var opened = [UInt8](repeating: 0, count: length)
        guard EVP_PKEY_decrypt(context.pointer, &opened, &length, ciphertext, ciphertext.count) == 1 else { return nil }
        opened.removeLast(opened.count - length)
        return opened
    }

    private func made() -> Context? {
        guard let context = EVP_PKEY_CTX_new(key.pointer, nil) else { return nil }
        guard EVP_PKEY_decrypt_init(context) == 1,
            EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1,
            // The mask's hash is the same unless another one is set (EVP_PKEY_CTX_set_rsa_mgf1_md(3)).
            EVP_PKEY_CTX_set_rsa_oaep_md(context, hash == .sha1 ? EVP_sha1() : EVP_sha256()) == 1
        else {
            EVP_PKEY_CTX_free(context)
            return nil
        }
        return Context(pointer: context)
    }

    private func putBack(_ context: Context) {
        let isKept = idle.withLock { contexts in
            guard contexts.count < Self.maxIdle else { return false }
            contexts.append(context)
            return true
        }
        if !isKept { EVP_PKEY_CTX_free(context.pointer) }
    }
}
