internal import GatewayModel
internal import Identity

/// Checks whether the caller of a stream may continue to read: its credential may expire and its brand may be deleted
/// while the stream runs.
struct StreamPermission: Sendable {
    private let directory: Directory
    private let accounts: ServiceAccountAuthenticator
    private let operators: OperatorService
    private let brand: Brand
    private let caller: Caller?

    init(_ call: Call, _ brand: Brand) {
        directory = call.services.directory
        accounts = call.services.accounts
        operators = call.services.operators
        self.brand = brand
        caller = call.context.notes.caller
    }

    /// Whether the caller may still read; called before each piece is written.
    var isGranted: Bool {
        get async {
            // A brand with the same name may have been created since.
            guard directory.brand(brand.id)?.createdAt == brand.createdAt else { return false }
            switch caller {
            case .admin: return true
            case .account(let account): return accounts.isActive(account.id)
            case .operator(let identity):
                // A stream that nobody watches does not prolong the session; with other roles it must ask again.
                let present = try? await operators.identity(tokenHash: identity.tokenHash, isUse: false)
                return present?.grants == identity.grants
            case .session, nil: return false
            }
        }
    }
}
