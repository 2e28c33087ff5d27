import GatewayModel
import GatewayStorage
import Synchronization

/// The lanes of a fixture's apps, in the order of the apps' names.
final class FixtureDirectory: LaneDirectory {
    private let lanes: [LaneID: LaneKey]
    private let apps: Mutex<[String: AppSettings]>

    /// Stores the brand and the apps.
    init(apps: [String: AppSettings], store: any TenantStore) async throws {
        self.apps = Mutex(apps)
        try await store.insertBrand(SendingFixture.brand, audit: nil)
        for (name, app) in apps.sorted(by: { $0.key < $1.key }) {
            let id = AppID(trusted: name)
            func lane(_ pushType: PushType, _ environment: PushEnvironment) -> LaneKey {
                LaneKey(brand: SendingFixture.brand.id, app: id, pushType: pushType, environment: environment)
            }
            let stored = StoredApp(
                brand: SendingFixture.brand.id,
                id: id,
                sealedSettings: [],
                updatedAt: Timestamp(milliseconds: 1)
            )
            let ways =
                app.apns == nil ? [lane(.fcm, .production)] : [lane(.apns, .production), lane(.apns, .sandbox)]
            _ = try await store.putApp(stored, lanes: ways, audit: nil)
        }
        lanes = try await store.lanes()
    }

    func lane(_ id: LaneID) -> LaneDescription? {
        guard let key = lanes[id], let app = apps.withLock({ $0[key.app.rawValue] }) else { return nil }
        return LaneDescription(id: id, key: key, app: app, brand: SendingFixture.brand)
    }

    /// Corrects an app's settings.
    ///
    /// - Returns: Its lanes.
    func set(_ app: String, _ settings: AppSettings) -> [LaneID] {
        apps.withLock { $0[app] = settings }
        return lanes.filter { $0.value.app.rawValue == app }.keys.sorted { $0.rawValue < $1.rawValue }
    }
}
