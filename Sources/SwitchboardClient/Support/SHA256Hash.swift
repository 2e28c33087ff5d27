#if canImport(CryptoKit)
import CryptoKit
import Foundation
#else
import COpenSSL
#endif

/// SHA-256 (FIPS 180-4), for PKCE and fingerprints: CryptoKit's on Apple's platforms, OpenSSL's elsewhere.
enum SHA256Hash {
    /// Returns the 32 bytes of the digest.
    static func hash(_ message: [UInt8]) -> [UInt8] {
        #if canImport(CryptoKit)
        return Array(CryptoKit.SHA256.hash(data: message))
        #else
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        // Without a digest one consumer's credential would continue another's session.
        precondition(EVP_Digest(message, message.count, &digest, nil, EVP_sha256(), nil) == 1, "OpenSSL has no SHA-256")
        return digest
        #endif
    }
}
