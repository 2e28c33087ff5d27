import COpenSSL
internal import Cryptography
internal import TextFormats

/// A password as it is stored: `$scrypt$ln=15,r=8,p=3$salt$key`, the form of PHC strings with base64url (RFC 7914).
///
/// Deriving takes tenths of a second and tens of megabytes: only on a thread for such work.
package struct PasswordHash: Sendable {
    /// The parameters of scrypt.
    package struct Cost: Sendable, Equatable {
        /// The binary logarithm of the number of blocks.
        var logarithm: Int
        /// The size of a block, in 128 bytes.
        var blockSize: Int
        /// How often all is done.
        var repetitions: Int

        /// 32 MiB, about as slow as 128 MiB once (OWASP Password Storage Cheat Sheet).
        package static let standard = Cost(logarithm: 15, blockSize: 8, repetitions: 3)

        /// Creates parameters; a hash with other than small ones is never stored by this gateway and not read.
        package init(logarithm: Int, blockSize: Int, repetitions: Int) {
            self.logarithm = logarithm
            self.blockSize = blockSize
            self.repetitions = repetitions
        }

        var isBounded: Bool {
            (1...18).contains(logarithm) && (1...16).contains(blockSize) && (1...16).contains(repetitions)
        }
    }

    private static let saltBytes = 16
    private static let keyBytes = 32
    /// The most memory that OpenSSL may use for one hash.
    private static let maxMemory: UInt64 = 640 << 20

    private var cost: Cost
    private var salt: [UInt8]
    private var key: [UInt8]

    /// The stored form.
    package var text: String {
        let parameters = "ln=\(cost.logarithm),r=\(cost.blockSize),p=\(cost.repetitions)"
        return "$scrypt$\(parameters)$\(StrictBase64.encode(salt, .url))$\(StrictBase64.encode(key, .url))"
    }

    /// Hashes a password with a new salt; nil when OpenSSL cannot, for example by a policy without scrypt.
    package init?(of password: String, _ cost: Cost) {
        (self.cost, salt) = (cost, SecureRandom.bytes(Self.saltBytes))
        guard let key = Self.derive(password, salt, cost) else { return nil }
        self.key = key
    }

    /// A hash that no password has, for comparisons that take as long as others.
    init(ofNothing cost: Cost) {
        (self.cost, salt, key) = (cost, SecureRandom.bytes(Self.saltBytes), SecureRandom.bytes(Self.keyBytes))
    }

    /// Parses the stored form; nil for another text.
    package init?(text: String) {
        let parts = text.byteSplit("$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1].hasSameBytes(as: "scrypt"),
            let salt = StrictBase64.decode(parts[3].utf8, .url), let key = StrictBase64.decode(parts[4].utf8, .url),
            salt.count == Self.saltBytes, key.count == Self.keyBytes
        else { return nil }
        let numbers = zip(["ln=", "r=", "p="], parts[2].byteSplit(",", omittingEmptySubsequences: false))
            .compactMap { name, part in part.hasBytePrefix(name) ? Int(part.dropFirst(name.count)) : nil }
        guard numbers.count == 3 else { return nil }
        cost = Cost(logarithm: numbers[0], blockSize: numbers[1], repetitions: numbers[2])
        guard cost.isBounded else { return nil }
        (self.salt, self.key) = (salt, key)
    }

    /// Returns whether a password is the one of the hash; compares in constant time.
    package func matches(_ password: String) -> Bool {
        Self.derive(password, salt, cost).map { $0.isEqualInConstantTime(to: key) } ?? false
    }

    private static func derive(_ password: String, _ salt: [UInt8], _ cost: Cost) -> [UInt8]? {
        // HMAC pads its key with zeros (RFC 2104 section 2): a password that ends with one would match that without it.
        guard !password.utf8.contains(0) else { return nil }
        var (password, key) = (password, [UInt8](repeating: 0, count: keyBytes))
        let isDone = password.withUTF8 { password in
            password.withMemoryRebound(to: CChar.self) { password in
                EVP_PBE_scrypt(
                    password.baseAddress,
                    password.count,
                    salt,
                    salt.count,
                    1 << UInt64(cost.logarithm),
                    UInt64(cost.blockSize),
                    UInt64(cost.repetitions),
                    maxMemory,
                    &key,
                    keyBytes
                )
            }
        }
        return isDone == 1 ? key : nil
    }
}
