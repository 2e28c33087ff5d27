package import GatewayStorage

/// The reason why the directory rejected an operator's request.
package enum DirectoryError: Error, Sendable, Equatable {
    /// The store failed.
    case storage(StorageError)
    /// The id or the name is in use.
    case duplicate
    /// The brand, app or credential does not exist, or belongs to another brand.
    case notFound
    /// It is not in the state that the caller expected; nothing was changed.
    case changed
    /// Only the instance's administrator may change it; nothing was changed.
    case forbidden
    /// Another brand has the link host.
    case linkHostTaken(String)
    /// The link host cannot be removed from the brand, since one of its apps uses it.
    case linkHostUsed(String)
    /// The brand has the maximum number of credentials.
    case tooManyCredentials
    /// The brand has the maximum number of helpdesks' webhooks.
    case tooManyHooks
    /// Members are invalid; nothing was changed.
    case invalid([SettingsProblem])
    /// Too many administrative changes wait already; try again.
    case busy
    /// The store's secrets were sealed under another master key; names the first such secret.
    case wrongMasterKey(what: String)
    /// A stored secret or its content is damaged; names it.
    case damaged(what: String)
    /// OpenSSL could not seal.
    case sealing(SecretBoxError)

    /// The text for operators, without secrets.
    package var text: String {
        switch self {
        case .storage(let error): error.text
        case .duplicate: "the id or the name is in use"
        case .notFound: "there is no such thing"
        case .changed: "it was changed meanwhile"
        case .forbidden: "only the instance's administrator may change this"
        case .linkHostTaken(let host): "another brand has the link host \(host)"
        case .linkHostUsed(let host): "an app uses the link host \(host)"
        case .tooManyCredentials: "a brand has at most \(Directory.maxCredentialsPerBrand) credentials"
        case .tooManyHooks: "a brand has at most \(Directory.maxHooksPerBrand) hooks"
        case .invalid(let problems): problems.map { "\($0.pointer) \($0.detail)" }.joined(separator: "; ")
        case .busy: "too many administrative changes are waiting"
        case .wrongMasterKey(let what):
            "the master key is not the one that sealed the data (found at \(what)); start with the right key file"
        case .damaged(let what): "the stored secrets of \(what) are damaged"
        case .sealing(let error): error.text
        }
    }
}
