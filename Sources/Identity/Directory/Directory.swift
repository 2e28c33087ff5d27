package import GatewayModel
import GatewayStorage
internal import Synchronization
internal import TextFormats

/// Brands, apps, lanes and credentials in memory, so that no request reads them from disk.
///
/// Loaded from the store at the start and kept in step by every administrative change: what a change did is visible to
/// every thread before the change returns (R33). The faces are safe from any thread, cost one short lock, and never block on IO.
package final class Directory: Sendable {
    let store: any GatewayStore
    let box: SecretBox
    let clock: any GatewayClock
    let reader: any AppSettingsReader
    let gate = AdministrationGate()
    /// Where keys of operators are looked at and made.
    package let keyWork = KeyWork()
    /// Swapped as a whole under its lock; read by taking a reference.
    private let current: Mutex<Box>
    private let listeners = Mutex<[@Sendable (DirectoryChange) -> Void]>([])

    /// Makes a reference of a snapshot, so that readers hold the lock for no longer than a retain.
    private final class Box: Sendable {
        let snapshot: DirectorySnapshot

        init(_ snapshot: DirectorySnapshot) { self.snapshot = snapshot }
    }

    init(
        snapshot: DirectorySnapshot,
        store: any GatewayStore,
        box: SecretBox,
        clock: any GatewayClock,
        reader: any AppSettingsReader
    ) {
        self.current = Mutex(Box(snapshot))
        self.store = store
        self.box = box
        self.clock = clock
        self.reader = reader
    }

    /// What is known now.
    var snapshot: DirectorySnapshot {
        current.withLock { $0 }.snapshot
    }

    /// Makes a new snapshot visible and then tells the listeners; only the one who is in the gate may call.
    func publish(_ snapshot: DirectorySnapshot, _ change: DirectoryChange? = nil) {
        let next = Box(snapshot)
        current.withLock { $0 = next }
        guard let change else { return }
        for listener in listeners.withLock({ $0 }) { listener(change) }
    }

    /// Asks to be told of every later change, in order, before the change returns to the operator.
    ///
    /// - Parameter listener: Called on the operator's task when the change is visible already; must not block and must not
    ///   make administrative changes itself.
    package func onChange(_ listener: @escaping @Sendable (DirectoryChange) -> Void) {
        listeners.withLock { $0.append(listener) }
    }

    /// A key of this instance for a purpose, from which the master key cannot be told.
    ///
    /// - Parameter purpose: What it is for; each purpose has another key.
    /// - Returns: 32 bytes, secret, the same after every start.
    package func derivedKey(for purpose: String) -> [UInt8] { box.derivedKey(for: purpose) }

    // MARK: Faces

    /// A brand.
    ///
    /// - Parameter id: Its id.
    /// - Returns: Nil when there is none.
    package func brand(_ id: BrandID) -> Brand? { snapshot.brands[id] }

    /// All brands, by id.
    package var brands: [Brand] { snapshot.brands.values.sorted { $0.id < $1.id } }

    /// Whether there is no brand beside one.
    package var hasOneBrand: Bool { snapshot.brands.count < 2 }

    /// An app with its secrets.
    ///
    /// - Parameters:
    ///   - brand: Its brand.
    ///   - app: Its id.
    /// - Returns: Nil when the brand has no such app.
    package func app(brand: BrandID, app: AppID) -> DirectoryApp? {
        snapshot.apps[DirectorySnapshot.AppKey(brand: brand, app: app)]
    }

    /// A brand's apps, by id.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: Empty when there are none, or no such brand.
    package func apps(brand: BrandID) -> [DirectoryApp] {
        snapshot.apps.values.filter { $0.brand == brand }.sorted { $0.id < $1.id }
    }

    /// The apps of all brands, in no order.
    package var allApps: [DirectoryApp] { Array(snapshot.apps.values) }

    /// The apps that open the links of a host, of the brand that it is given to.
    ///
    /// - Parameter host: The host in lower case, without a port.
    /// - Returns: By id; empty when it is given to no brand, or no app of the brand uses it.
    package func apps(linkHost host: String) -> [DirectoryApp] {
        let snapshot = snapshot
        guard let brand = snapshot.linkHosts[DirectorySnapshot.KeyName(host)] else { return [] }
        return snapshot.apps.values
            .filter { $0.brand == brand && $0.settings.links?.host.utf8.elementsEqual(host.utf8) == true }
            .sorted { $0.id < $1.id }
    }

    /// The apps with links that are not served, because their host is not given to their brand; by brand and id.
    package var appsWithoutLinkHost: [DirectoryApp] {
        let snapshot = snapshot
        return snapshot.apps.values
            .filter { $0.settings.links != nil && !snapshot.servesLinks(of: $0) }
            .sorted { ($0.brand, $0.id) < ($1.brand, $1.id) }
    }

    /// The settings that an app sends with: its own, without links that are not served.
    ///
    /// - Parameter app: The app.
    /// - Returns: The settings.
    package func settingsInForce(of app: DirectoryApp) -> AppSettings { snapshot.settingsInForce(of: app) }

    /// What a lane is made of.
    ///
    /// - Parameter id: The lane's number.
    /// - Returns: Nil when there is no such lane, or while its app has no credential for it.
    package func lane(_ id: LaneID) -> DirectoryLane? { snapshot.lane(id) }

    /// The number of a lane.
    ///
    /// - Parameter key: Brand, app, transport and environment.
    /// - Returns: Nil when the app never had a credential for it.
    package func laneID(_ key: LaneKey) -> LaneID? { snapshot.laneIDs[key] }

    /// All lanes that can send, by number.
    package var lanes: [DirectoryLane] {
        let snapshot = snapshot
        return snapshot.lanes.keys.compactMap(snapshot.lane).sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// A brand's credentials that are not revoked, by age; without secrets.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: Empty when there are none, or no such brand.
    package func credentials(brand: BrandID) -> [CredentialSummary] {
        snapshot.credentials.values
            .filter { $0.brand == brand }
            .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
            .map { CredentialSummary($0) }
    }

    func serviceAccount(id: String) -> ServiceAccount? { BoundedName(id).flatMap { snapshot.serviceAccounts[$0] } }

    /// The SDK key of a name.
    func sdkKey(name: String) -> SDKKey? { snapshot.sdkKeys[DirectorySnapshot.KeyName(name)] }
}
