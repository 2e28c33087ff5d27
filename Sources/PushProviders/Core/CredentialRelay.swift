import Synchronization

/// Carries the news of a credential to the core, which is made after what brings them.
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
