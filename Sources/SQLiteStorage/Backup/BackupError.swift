package import GatewayStorage

/// Why a backup or a restore was not made; what was there before is as it was.
package enum BackupError: Error, Sendable, Equatable {
    /// The data that was to be copied cannot be read, or is not whole, or is of a newer version.
    case source(StorageError, path: String)
    /// The place that was to be written to cannot be, or a gateway holds it.
    case target(StorageError, path: String)
    /// Something is there already, and it was not said that it may be replaced.
    case exists(path: String)
    /// There is nothing to copy.
    case missing(path: String)

    /// A text for operators.
    package var text: String {
        switch self {
        case .source(let error, let path), .target(let error, let path): "\(path): \(error.text)"
        case .exists(let path): "\(path) exists; --force replaces it"
        case .missing(let path): "there is no \(path)"
        }
    }
}
