package import GatewayStorage

/// Why the directory did not do what an operator asked.
package enum DirectoryError: Error, Sendable, Equatable {
    /// The store failed.
    case storage(StorageError)
    /// The id or the name is taken.
    case duplicate
    /// There is no such brand, app or credential, or it is another brand's.
    case notFound
    /// It is not what the caller took it for; nothing was changed.
    case changed
    /// Only the instance's administrator may change it; nothing was changed.
    case forbidden
    /// The link host is given to another brand.
    case linkHostGiven(String)
    /// The link host cannot be taken from the brand, since one of its apps uses it.
    case linkHostUsed(String)
    /// The brand has as many credentials as it may have.
    case tooManyCredentials
    /// Members are wrong; nothing was changed.
    case invalid([SettingsProblem])
    /// Too many administrative changes wait already; try again.
    case busy
    /// The store's secrets were sealed under another master key; names the first one that was met.
    case wrongMasterKey(what: String)
    /// A stored secret or its contents are damaged; names which.
    case damaged(what: String)
    /// OpenSSL could not seal.
    case sealing(SecretBoxError)

    /// A text for operators, without secrets.
    package var text: String {
        switch self {
        case .storage(let error): error.text
        case .duplicate: "the id or the name is taken"
        case .notFound: "there is no such thing"
        case .changed: "it was changed meanwhile"
        case .forbidden: "only the instance's administrator may change this"
        case .linkHostGiven(let host): "the link host \(host) is given to another brand"
        case .linkHostUsed(let host): "the link host \(host) is that of an app"
        case .tooManyCredentials: "a brand has at most \(Directory.maxCredentialsPerBrand) credentials"
        case .invalid(let problems): problems.map { "\($0.pointer) \($0.detail)" }.joined(separator: "; ")
        case .busy: "too many administrative changes are waiting"
        case .wrongMasterKey(let what):
            "the master key is not the one that the data was sealed with (met at \(what)); start with the right key file"
        case .damaged(let what): "the stored secrets of \(what) are damaged"
        case .sealing(let error): error.text
        }
    }
}
