package import GatewayModel
package import GatewayStorage
internal import Synchronization

extension Directory {
    /// Seals all secrets in a store under another master key, atomically.
    ///
    /// Each secret is opened again before the store commits, and each brand's audit trail has an entry.
    ///
    /// Nothing else may use the store meanwhile, and a directory that was loaded from it before must not be used any
    /// more.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - old: The key that sealed the secrets.
    ///   - new: The key to seal the secrets with.
    ///   - clock: The time for the audit trail.
    ///   - progress: Called on a thread of the store with the number of sealed secrets.
    /// - Returns: The number of secrets.
    /// - Throws: ``DirectoryError/wrongMasterKey(what:)``, ``DirectoryError/damaged(what:)`` or
    ///   ``DirectoryError/sealing(_:)`` when a secret could not be opened or sealed, in which case nothing is changed;
    ///   ``DirectoryError/storage(_:)``, after which the next start shows which key is valid.
    package static func reseal(
        store: any TenantStore,
        from old: MasterKey,
        to new: MasterKey,
        clock: any GatewayClock,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws(DirectoryError) -> ResealedCounts {
        let work = Resealing(old: SecretBox(key: old), new: SecretBox(key: new), progress: progress)
        do {
            return try await store.resealSecrets(at: clock.now) {
                work.reseal($0)
            } verify: {
                work.verify($0)
            }
        } catch {
            throw work.failure ?? .storage(error)
        }
    }
}

extension MasterKey {
    /// Returns whether two keys are the same, as far as their ids show.
    package func isSame(as other: MasterKey) -> Bool { id == other.id }
}

/// The processing of the secrets one by one, on the store's thread.
private final class Resealing: Sendable {
    private struct State {
        /// The SHA-256 of every secret that was sealed again, for the verification.
        var sealed: [SealedSecret.Owner: Set<[UInt8]>] = [:]
        var count = 0
        var failure: DirectoryError?
    }

    private let old: SecretBox
    private let new: SecretBox
    private let progress: @Sendable (Int) -> Void
    private let state = Mutex(State())

    init(old: SecretBox, new: SecretBox, progress: @escaping @Sendable (Int) -> Void) {
        self.old = old
        self.new = new
        self.progress = progress
    }

    /// The error that stopped the work.
    var failure: DirectoryError? { state.withLock { $0.failure } }

    func reseal(_ secret: SealedSecret) -> [UInt8]? {
        let context = secret.owner.sealingContext
        do {
            let opened = try old.open(secret.bytes, context: context)
            let sealed = try new.seal(opened, context: context)
            let count = state.withLock { state in
                state.sealed[secret.owner, default: []].insert(SecretHash.sha256(opened))
                state.count += 1
                return state.count
            }
            progress(count)
            return sealed
        } catch {
            fail(DirectoryError(opening: error, what: secret.owner.text))
            return nil
        }
    }

    func verify(_ secret: SealedSecret) -> Bool {
        let opened: [UInt8]
        do { opened = try new.open(secret.bytes, context: secret.owner.sealingContext) } catch {
            fail(.damaged(what: secret.owner.text))
            return false
        }
        let isKnown = state.withLock { $0.sealed[secret.owner]?.contains(SecretHash.sha256(opened)) == true }
        if !isKnown { fail(.damaged(what: secret.owner.text)) }
        return isKnown
    }

    private func fail(_ error: DirectoryError) { state.withLock { $0.failure = error } }
}

extension SealedSecret.Owner {
    /// The context with which the secret is sealed.
    fileprivate var sealingContext: String {
        switch self {
        case .app(let brand, let app): Directory.sealingContext(brand: brand, app: app)
        case .credential(let brand, let id): Directory.sealingContext(brand: brand, credential: id)
        case .webhook(let brand): Directory.sealingContext(webhookOf: brand)
        case .hook(let brand, let id): Directory.sealingContext(brand: brand, hook: id)
        }
    }

    /// The description for operators.
    fileprivate var text: String {
        switch self {
        case .app(let brand, let app): "app \(brand)/\(app)"
        case .credential(let brand, let id): "credential \(brand)/\(id)"
        case .webhook(let brand): "the webhook of brand \(brand)"
        case .hook(let brand, let id): "hook \(brand)/\(id)"
        }
    }
}
