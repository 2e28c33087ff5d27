internal import GatewayModel
internal import Identity

/// Checks whether the caller of a stream may continue to read: its credential may expire and its brand may be deleted
/// while the stream runs.
struct StreamPermission: Sendable {
    private let directory: Directory
    private let accounts: ServiceAccountAuthenticator
    private let brand: Brand
    private let caller: Caller?

    init(_ call: Call, _ brand: Brand) {
        directory = call.services.directory
        accounts = call.services.accounts
        self.brand = brand
        caller = call.context.notes.caller
    }

    /// Whether the caller may still read; called before each piece is written.
    var isGranted: Bool {
        // A brand with the same name may have been created since.
        guard directory.brand(brand.id)?.createdAt == brand.createdAt else { return false }
        return switch caller {
        case .admin: true
        case .account(let account): accounts.isActive(account.id)
        case .session, nil: false
        }
    }
}
