/// An error of a backup or a restore; the existing files are unchanged.
package enum BackupError: Error, Sendable, Equatable {
    /// The source cannot be read, is incomplete, or is of a newer version.
    case source(StorageError, path: String)
    /// The target cannot be written, or a gateway holds it.
    case target(StorageError, path: String)
    /// The target exists, and replacing it was not allowed.
    case exists(path: String)
    /// The source does not exist.
    case missing(path: String)

    /// A text for operators.
    package var text: String {
        switch self {
        case .source(let error, let path), .target(let error, let path): "\(path): \(error.text)"
        case .exists(let path): "\(path) exists; --force replaces it"
        case .missing(let path): "\(path) does not exist"
        }
    }
}
