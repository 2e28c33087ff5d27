internal import GatewayModel
internal import GatewayStorage

/// Everything that the directory holds at one moment; never changed once others can see it.
struct DirectorySnapshot: Sendable {
    struct AppKey: Hashable, Sendable {
        var brand: BrandID
        var app: AppID
    }

    /// A name as its bytes, as the store compares it: to Swift two texts that look alike are equal, and one brand's key
    /// would stand in the place of another's.
    struct KeyName: Hashable, Sendable {
        let bytes: [UInt8]

        init(_ name: String) { bytes = Array(name.utf8) }
    }

    var brands: [BrandID: Brand] = [:]
    var apps: [AppKey: DirectoryApp] = [:]
    var lanes: [LaneID: LaneKey] = [:]
    var laneIDs: [LaneKey: LaneID] = [:]
    var credentials: [String: StoredCredential] = [:]
    var serviceAccounts: [String: ServiceAccount] = [:]
    var sdkKeys: [KeyName: SDKKey] = [:]
    var identityProviders: [BrandID: [IdentityProvider]] = [:]
    /// Names of SDK keys that were revoked since the start, so that their tokens are told `revoked`; after a restart they
    /// are unknown.
    var revokedSDKKeys: [KeyName: BrandID] = [:]

    func lane(_ id: LaneID) -> DirectoryLane? {
        guard
            let key = lanes[id],
            let app = apps[AppKey(brand: key.brand, app: key.app)],
            app.settings.supports(key.pushType),
            let brand = brands[key.brand]
        else { return nil }
        return DirectoryLane(id: id, key: key, app: app.settings, brand: brand)
    }

    mutating func insert(lane id: LaneID, key: LaneKey) {
        lanes[id] = key
        laneIDs[key] = id
    }

    mutating func remove(lanes ids: some Sequence<LaneID>) {
        for id in ids {
            if let key = lanes.removeValue(forKey: id) { laneIDs[key] = nil }
        }
    }

    mutating func removeCredential(_ id: String) {
        guard let credential = credentials.removeValue(forKey: id) else { return }
        switch credential.kind {
        case .serviceAccount: serviceAccounts[id] = nil
        case .sdkKey: sdkKeys[KeyName(credential.name)] = nil
        case .identityProvider: identityProviders[credential.brand]?.removeAll { $0.credentialID == id }
        case .apiKey, .jwtIssuer, .jweKey, .customerTokenKey, .tokenBroker: break
        }
    }
}
