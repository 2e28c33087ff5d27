/// The reason why a sealed secret did not open.
package enum SecretBoxError: Error, Sendable, Equatable {
    /// It was sealed under another master key.
    case wrongKey
    /// It was changed, truncated or moved to another place since it was sealed.
    case damaged
    /// It has a format of a later version.
    case unknownVersion(UInt8)
    /// OpenSSL failed: no memory, or a policy without AES-256-GCM.
    case unavailable

    /// The text for operators.
    package var text: String {
        switch self {
        case .wrongKey: "it was sealed under another master key"
        case .damaged: "it was changed or damaged since it was sealed"
        case .unknownVersion(let version): "it was sealed by a later version (format \(version))"
        case .unavailable: "OpenSSL does not offer AES-256-GCM"
        }
    }
}
