internal import COpenSSL

/// A cipher of OpenSSL, fetched once.
///
/// Thread-safe. `@unchecked`: an `EVP_CIPHER` is immutable, and its references are counted atomically.
final class CipherAlgorithm: @unchecked Sendable {
    /// A direction; the raw value is OpenSSL's.
    enum Direction: Int32 {
        case decrypting = 0
        case encrypting = 1
    }

    private static let gcm = [128, 192, 256].map { CipherAlgorithm("AES-\($0)-GCM") }
    private static let cbc = [128, 192, 256].map { CipherAlgorithm("AES-\($0)-CBC") }

    private let method: OpaquePointer

    private init(_ name: String) {
        guard let method = EVP_CIPHER_fetch(nil, name, nil) else { preconditionFailure("OpenSSL has no \(name)") }
        self.method = method
    }

    deinit { EVP_CIPHER_free(method) }

    private static func of(_ key: SymmetricKey, _ list: [CipherAlgorithm]) throws(CryptographyError) -> CipherAlgorithm
    {
        switch key.bitCount {
        case 128: list[0]
        case 192: list[1]
        case 256: list[2]
        default: throw .wrongLength
        }
    }

    /// Encrypts or decrypts with AES-GCM; the tag is the expected one when decrypting, and is set when encrypting.
    static func gcm(
        _ direction: Direction,
        _ input: [UInt8],
        _ key: SymmetricKey,
        nonce: [UInt8],
        authenticating data: [UInt8],
        tag: inout [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        try of(key, gcm).run(direction, input, key, nonce) { context in
            var (tag, length) = (tag, Int32(0))
            guard let dataLength = Int32(exactly: data.count),
                data.isEmpty || EVP_CipherUpdate(context, nil, &length, data, dataLength) == 1
            else { return false }
            guard direction == .decrypting else { return true }
            return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1
        } finish: { context in
            direction == .decrypting || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1
        }
    }

    /// Encrypts or decrypts with AES-CBC and the padding of PKCS#7 (RFC 5652 section 6.3).
    static func cbc(
        _ direction: Direction,
        _ input: [UInt8],
        _ key: SymmetricKey,
        vector: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        try of(key, cbc).run(direction, input, key, vector, prepare: { _ in true }, finish: { _ in true })
    }

    private func run(
        _ direction: Direction,
        _ input: [UInt8],
        _ key: SymmetricKey,
        _ vector: [UInt8],
        prepare: (OpaquePointer) -> Bool,
        finish: (OpaquePointer) -> Bool
    ) throws(CryptographyError) -> [UInt8] {
        // Lengths are numbers of 32 bits, and padding adds a block.
        guard input.count < Int32.max - 16 else { throw .wrongLength }
        return try ErrorQueue.isolated { () throws(CryptographyError) in
            guard let context = EVP_CIPHER_CTX_new() else { throw .unavailable }
            defer { EVP_CIPHER_CTX_free(context) }
            let isStarted = key.withUnsafeBytes { key in
                let key = key.bindMemory(to: UInt8.self).baseAddress
                return EVP_CipherInit_ex2(context, method, key, vector, direction.rawValue, nil) == 1
            }
            guard isStarted, prepare(context) else { throw .unavailable }
            var output = [UInt8](repeating: 0, count: input.count + 16)
            var (length, rest) = (Int32(0), Int32(0))
            let isDone = output.withUnsafeMutableBufferPointer { output in
                guard let start = output.baseAddress else { return false }
                return (input.isEmpty || EVP_CipherUpdate(context, start, &length, input, Int32(input.count)) == 1)
                    && EVP_CipherFinal_ex(context, start + Int(length), &rest) == 1
            }
            guard isDone, finish(context) else {
                // Nothing is returned that was not authenticated.
                SymmetricKey.cleanse(&output)
                throw .authenticationFailure
            }
            output.removeLast(output.count - Int(length + rest))
            return output
        }
    }
}
