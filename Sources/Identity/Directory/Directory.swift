package import GatewayModel
import GatewayStorage
internal import Synchronization
internal import TextFormats

/// Brands, apps, lanes and credentials in memory, so that no request reads them from the disk.
///
/// Loaded from the store at the start and updated by every administrative change: a change is visible to every thread
/// before the call returns (R33). Reads are thread-safe, cost one short lock, and never block on IO.
package final class Directory: LaneDirectory, WebhookDirectory {
    let store: any TenantStore & AuditStore
    let box: SecretBox
    let clock: any GatewayClock
    let reader: any AppSettingsReader
    let gate = AdministrationGate()
    /// The thread on which operators' keys are validated and generated.
    package let keyWork = KeyWork<BrandID>()
    /// The current snapshot, replaced as a whole under its lock; readers take a reference.
    private let current: Mutex<Box>
    private let listeners = Mutex<[@Sendable (DirectoryChange) -> Void]>([])

    /// A reference to a snapshot, so that readers hold the lock only for a retain.
    private final class Box: Sendable {
        let snapshot: DirectorySnapshot

        init(_ snapshot: DirectorySnapshot) { self.snapshot = snapshot }
    }

    init(
        snapshot: DirectorySnapshot,
        store: any TenantStore & AuditStore,
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

    /// The current snapshot.
    var snapshot: DirectorySnapshot {
        current.withLock { $0 }.snapshot
    }

    /// Publishes a new snapshot and then notifies the listeners; call only within the gate.
    func publish(_ snapshot: DirectorySnapshot, _ change: DirectoryChange? = nil) {
        let next = Box(snapshot)
        current.withLock { $0 = next }
        guard let change else { return }
        for listener in listeners.withLock({ $0 }) { listener(change) }
    }

    /// Registers a listener for every later change, in order, before the change returns to the operator.
    ///
    /// - Parameter listener: Called on the operator's task when the change is already visible; must not block and must
    ///   not make administrative changes itself.
    package func onChange(_ listener: @escaping @Sendable (DirectoryChange) -> Void) {
        listeners.withLock { $0.append(listener) }
    }

    /// Returns a key of this instance for a purpose, from which the master key cannot be computed: 32 bytes, secret,
    /// the same after every start.
    package func derivedKey(for purpose: String) -> [UInt8] { box.derivedKey(for: purpose) }

    // MARK: Reads

    /// Returns a brand; nil when there is none.
    package func brand(_ id: BrandID) -> Brand? { snapshot.brands[id] }

    /// All brands, by id.
    package var brands: [Brand] { snapshot.brands.values.sorted { $0.id < $1.id } }

    /// Returns whether a brand with the CCAI adaptor allows an origin; takes the same time for any number of brands.
    ///
    /// - Returns: False also when there are no brands.
    package func allowsCCAI(origin: String) -> Bool { snapshot.ccaiOrigins.contains(DirectorySnapshot.KeyName(origin)) }

    /// Whether there is at most one brand.
    package var hasOneBrand: Bool { snapshot.brands.count < 2 }

    /// Returns an app with its secrets; nil when the brand has no such app.
    package func app(brand: BrandID, app: AppID) -> DirectoryApp? {
        snapshot.apps[brand]?[app]
    }

    /// Returns a brand's apps, by id; empty when there are none, or no such brand.
    package func apps(brand: BrandID) -> [DirectoryApp] {
        snapshot.apps[brand]?.values.sorted { $0.id < $1.id } ?? []
    }

    /// Visits a brand's apps in any order, without a list of them.
    package func visitApps(of brand: BrandID, _ visit: (DirectoryApp) -> Void) {
        snapshot.apps[brand]?.values.forEach(visit)
    }

    /// The apps of all brands, in any order.
    package var allApps: [DirectoryApp] { snapshot.allApps }

    /// Returns the apps that open the links of a host, in lower case and without a port, by id; empty when no brand has
    /// the host, or no app of the brand uses it.
    package func apps(linkHost host: String) -> [DirectoryApp] {
        let snapshot = snapshot
        guard let brand = snapshot.linkHosts[DirectorySnapshot.KeyName(host)] else { return [] }
        return snapshot.apps[brand, default: [:]].values
            .filter { $0.settings.links?.host.utf8.elementsEqual(host.utf8) == true }
            .sorted { $0.id < $1.id }
    }

    /// The apps with links that are not served, because their brand does not have the host; by brand and id.
    package var appsWithoutLinkHost: [DirectoryApp] {
        let snapshot = snapshot
        return snapshot.allApps
            .filter { $0.settings.links != nil && !snapshot.servesLinks(of: $0) }
            .sorted { ($0.brand, $0.id) < ($1.brand, $1.id) }
    }

    /// Returns the settings that an app sends with: its own, without links that are not served.
    package func settingsInForce(of app: DirectoryApp) -> AppSettings { snapshot.settingsInForce(of: app) }

    /// Returns the data of a lane; nil when there is no such lane, or while its app has no credential for it.
    package func lane(_ id: LaneID) -> LaneDescription? { snapshot.lane(id) }

    /// All lanes that can send, by id.
    package var lanes: [LaneDescription] {
        let snapshot = snapshot
        return snapshot.lanes.keys.compactMap(snapshot.lane).sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// The expiries of all credentials that have one and are not revoked.
    package var credentialExpiries: [Timestamp] { snapshot.credentials.values.compactMap(\.expiresAt) }

    /// All credentials that are not revoked, without secrets, with their brands.
    package var allCredentials: [(brand: BrandID, credential: CredentialSummary)] {
        snapshot.credentials.values.map { ($0.brand, CredentialSummary($0)) }
    }

    /// Returns a brand's credentials that are not revoked, by age, without secrets; empty when there are none, or no
    /// such brand.
    package func credentials(brand: BrandID) -> [CredentialSummary] {
        snapshot.credentials.values
            .filter { $0.brand == brand }
            .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
            .map { CredentialSummary($0) }
    }

    func serviceAccount(id: String) -> ServiceAccount? { BoundedName(id).flatMap { snapshot.serviceAccounts[$0] } }

    /// Returns the SDK key with a name.
    func sdkKey(name: String) -> SDKKey? { snapshot.sdkKeys[DirectorySnapshot.KeyName(name)] }
}
