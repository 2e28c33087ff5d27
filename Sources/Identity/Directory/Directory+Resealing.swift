package import GatewayModel
package import GatewayStorage
internal import Synchronization

extension Directory {
    /// Seals everything in a store under another master key, all of it or nothing.
    ///
    /// Each secret is opened again before the store commits, and each brand's audit trail says what was done.
    ///
    /// Nothing else may use the store meanwhile, and a directory that was loaded from it before is of no use any more.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - old: The key that everything is sealed with.
    ///   - new: The key that everything shall be sealed with.
    ///   - clock: The time for the audit trail.
    ///   - progress: Called on a thread of the store with how many were sealed.
    /// - Returns: How many there were.
    /// - Throws: ``DirectoryError/wrongMasterKey(what:)``, ``DirectoryError/damaged(what:)`` or
    ///   ``DirectoryError/sealing(_:)`` when one could not be opened or sealed, and nothing is changed then;
    ///   ``DirectoryError/storage(_:)``, after which the next start tells which key holds.
    package static func reseal(
        store: any GatewayStore,
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
    /// Whether it is the same key as another, as far as what is sealed can tell.
    ///
    /// - Parameter other: The other.
    /// - Returns: True when what one sealed the other opens.
    package func isSame(as other: MasterKey) -> Bool { id == other.id }
}

/// The work on one secret after the other, on the store's thread.
private final class Resealing: Sendable {
    private struct State {
        /// SHA-256 of every secret that was sealed anew, to be found once more when it is verified.
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

    /// Why the work was given up.
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
    /// What it is sealed with beside the key.
    fileprivate var sealingContext: String {
        switch self {
        case .app(let brand, let app): Directory.sealingContext(brand: brand, app: app)
        case .credential(let brand, let id): Directory.sealingContext(brand: brand, credential: id)
        case .webhook(let brand): Directory.sealingContext(webhookOf: brand)
        }
    }

    /// What it is, for operators.
    fileprivate var text: String {
        switch self {
        case .app(let brand, let app): "app \(brand)/\(app)"
        case .credential(let brand, let id): "credential \(brand)/\(id)"
        case .webhook(let brand): "the webhook of brand \(brand)"
        }
    }
}
