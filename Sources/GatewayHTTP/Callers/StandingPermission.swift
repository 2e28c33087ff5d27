internal import GatewayModel
internal import Identity

/// Whether who opened a stream may go on reading: its credential may end and its brand may go while the stream runs.
struct StandingPermission: Sendable {
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

    /// Asked before each piece that is written.
    var stands: Bool {
        // A brand of the same name may have been made since.
        guard directory.brand(brand.id)?.createdAt == brand.createdAt else { return false }
        return switch caller {
        case .admin: true
        case .account(let account): accounts.isActive(account.id)
        case .session, nil: false
        }
    }
}
