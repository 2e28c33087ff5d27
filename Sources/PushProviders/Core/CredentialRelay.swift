import Synchronization

/// Forwards credential changes to the core, which is created after their source.
final class CredentialRelay: Sendable {
    private struct Target {
        weak var core: ProviderCore?
    }

    private let target = Mutex(Target())

    var core: ProviderCore? { target.withLock { $0.core } }

    func attach(_ core: ProviderCore) {
        target.withLock { $0.core = core }
    }
}
