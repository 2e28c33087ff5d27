internal import FoundationEssentials
package import GatewayModel
import GatewayStorage

extension Directory {
    // MARK: Brands

    /// Makes a brand.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - webhook: Where its outbound items go.
    /// - Returns: The brand as it is now.
    /// - Throws: ``DirectoryError/duplicate`` and others of ``DirectoryError``.
    @discardableResult
    package func createBrand(
        _ brand: Brand,
        webhook: WebhookChange = .keep
    ) async throws(DirectoryError) -> Brand {
        try await gate.run { () async throws(DirectoryError) -> Brand in
            var brand = brand
            brand.webhook = try apply(webhook, to: nil, of: brand.id)
            let made = brand
            try await stored { () async throws(StorageError) in try await self.store.insertBrand(made) }
            var next = snapshot
            next.brands[brand.id] = brand
            publish(next, brand.webhook == nil ? nil : DirectoryChange())
            return made
        }
    }

    /// Changes a brand's name and settings; its lanes get new providers, which show them.
    ///
    /// - Parameters:
    ///   - id: The brand.
    ///   - name: Its name from now on.
    ///   - settings: Its settings from now on.
    ///   - webhook: Where its outbound items go from now on.
    /// - Returns: The brand as it is now.
    /// - Throws: ``DirectoryError/notFound`` and others of ``DirectoryError``.
    package func updateBrand(
        _ id: BrandID,
        name: String,
        settings: BrandSettings,
        webhook: WebhookChange = .keep
    ) async throws(DirectoryError) -> Brand {
        try await gate.run { () async throws(DirectoryError) -> Brand in
            var next = snapshot
            guard var brand = next.brands[id] else { throw .notFound }
            brand.name = name
            brand.settings = settings
            brand.webhook = try apply(webhook, to: brand.webhook, of: id)
            let changed = brand
            let isFound = try await stored { () async throws(StorageError) in try await self.store.updateBrand(changed)
            }
            guard isFound else { throw .notFound }
            next.brands[id] = brand
            let lanes = next.lanes.keys.filter { next.lanes[$0]?.brand == id && next.lane($0) != nil }
            publish(next, DirectoryChange(changedLanes: lanes))
            return brand
        }
    }

    /// Deletes a brand with everything that is its own.
    ///
    /// - Parameter id: The brand.
    /// - Throws: ``DirectoryError/notFound`` and others of ``DirectoryError``.
    package func deleteBrand(_ id: BrandID) async throws(DirectoryError) {
        try await gate.run { () async throws(DirectoryError) in
            let lanes = try await stored { () async throws(StorageError) in try await self.store.deleteBrand(id) }
            guard let lanes else { throw .notFound }
            var next = snapshot
            next.brands[id] = nil
            next.apps = next.apps.filter { $0.key.brand != id }
            next.remove(lanes: lanes)
            for credential in next.credentials.values where credential.brand == id {
                next.removeCredential(credential.id)
            }
            next.revokedSDKKeys = next.revokedSDKKeys.filter { $0.value != id }
            publish(next, DirectoryChange(removedLanes: lanes, removedBrands: [id]))
        }
    }

    // MARK: Apps

    /// Makes or changes an app.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - app: The app.
    ///   - settings: Its settings, secrets included.
    /// - Returns: True when the app is new.
    /// - Throws: ``DirectoryError/invalid(_:)``, ``DirectoryError/notFound`` and others of ``DirectoryError``.
    package func putApp(brand: BrandID, app: AppID, settings: AppSettings) async throws(DirectoryError) -> Bool {
        let problems = reader.problems(settings)
        guard problems.isEmpty else { throw .invalid(problems) }
        let certificate = reader.certificate(settings)
        return try await gate.run { () async throws(DirectoryError) -> Bool in
            guard snapshot.brands[brand] != nil else { throw .notFound }
            let opened = DirectoryApp(
                brand: brand,
                id: app,
                settings: settings,
                certificate: certificate,
                updatedAt: clock.now
            )
            let sealed = StoredApp(
                brand: brand,
                id: app,
                sealedSettings: try seal(settings, context: Self.sealingContext(brand: brand, app: app)),
                updatedAt: opened.updatedAt
            )
            let keys = opened.laneKeys
            let (isNew, lanes) = try await stored { () async throws(StorageError) in
                (try await self.store.putApp(sealed, lanes: keys), try await self.store.lanes())
            }
            var next = snapshot
            next.apps[DirectorySnapshot.AppKey(brand: brand, app: app)] = opened
            var change = DirectoryChange()
            for (id, key) in lanes where key.brand == brand && key.app == app {
                next.insert(lane: id, key: key)
                // A lane whose credential was taken away stays in the store with what waits for it; it cannot send.
                if settings.supports(key.pushType) {
                    change.changedLanes.append(id)
                } else {
                    change.removedLanes.append(id)
                }
            }
            publish(next, change)
            return isNew
        }
    }

    /// Deletes an app with its registrations and what is pending for them.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - app: The app.
    /// - Throws: ``DirectoryError/notFound`` and others of ``DirectoryError``.
    package func deleteApp(brand: BrandID, app: AppID) async throws(DirectoryError) {
        try await gate.run { () async throws(DirectoryError) in
            let now = clock.now
            let lanes = try await stored { () async throws(StorageError) in
                try await self.store.deleteApp(brand: brand, app: app, now: now)
            }
            guard let lanes else { throw .notFound }
            var next = snapshot
            next.apps[DirectorySnapshot.AppKey(brand: brand, app: app)] = nil
            next.remove(lanes: lanes)
            publish(next, DirectoryChange(removedLanes: lanes))
        }
    }

    // MARK: Credentials

    /// Makes a service account.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - name: Its name, for people.
    ///   - scopes: What it may do.
    ///   - expiresAt: When it ends by itself.
    /// - Returns: The account with its secret, which is not kept.
    /// - Throws: ``DirectoryError``.
    package func issueServiceAccount(
        brand: BrandID,
        name: String,
        scopes: [Scope],
        expiresAt: Timestamp?
    ) async throws(DirectoryError) -> IssuedCredential {
        let secret = StrictBase64.encode(SecureRandom.bytes(32), .url)
        let credential = StoredCredential(
            id: "sa_" + StrictBase64.encode(SecureRandom.bytes(12), .url),
            brand: brand,
            kind: .serviceAccount,
            name: name,
            secretHash: SecretHash.sha256(secret.utf8),
            sealedSecret: nil,
            scopes: scopes,
            algorithm: nil,
            app: nil,
            expiresAt: expiresAt,
            createdAt: clock.now
        )
        try await insert(credential)
        return IssuedCredential(summary: CredentialSummary(credential), secret: secret)
    }

    /// Makes an SDK key, or takes over one that the brand has.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - name: What assertions name it by; unique in the instance.
    ///   - algorithm: The only algorithm that it verifies.
    ///   - secret: A secret to take over, 32 bytes or more whatever the algorithm (`http-api.md` section 2); nil makes
    ///     one as long as the algorithm's hash.
    ///   - app: The app that it is for, if it is for one.
    ///   - expiresAt: When it ends by itself.
    /// - Returns: The key with its secret.
    /// - Throws: ``DirectoryError/invalid(_:)``, ``DirectoryError/duplicate`` and others of ``DirectoryError``.
    package func issueSDKKey(
        brand: BrandID,
        name: String,
        algorithm: HMACAlgorithm,
        secret: String?,
        app: AppID?,
        expiresAt: Timestamp?
    ) async throws(DirectoryError) -> IssuedCredential {
        if let secret, secret.utf8.count < 32 {
            throw .invalid([SettingsProblem(pointer: "/secret", detail: "must have at least 32 bytes")])
        }
        let text = secret ?? StrictBase64.encode(SecureRandom.bytes(algorithm.keyLength), .url)
        let id = "sdk_" + StrictBase64.encode(SecureRandom.bytes(12), .url)
        let credential = StoredCredential(
            id: id,
            brand: brand,
            kind: .sdkKey,
            name: name,
            secretHash: nil,
            sealedSecret: try seal(Array(text.utf8), context: Self.sealingContext(brand: brand, credential: id)),
            scopes: [],
            algorithm: algorithm.rawValue,
            app: app,
            expiresAt: expiresAt,
            createdAt: clock.now
        )
        try await insert(credential)
        return IssuedCredential(summary: CredentialSummary(credential), secret: text)
    }

    /// Revokes a credential; it is refused from the moment that this returns (R33).
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The credential.
    /// - Throws: ``DirectoryError/notFound`` and others of ``DirectoryError``.
    package func revokeCredential(brand: BrandID, id: String) async throws(DirectoryError) {
        try await gate.run { () async throws(DirectoryError) in
            let now = clock.now
            let isRevoked = try await stored { () async throws(StorageError) in
                try await self.store.revokeCredential(brand: brand, id: id, now: now)
            }
            // Also when the store has it revoked already: an earlier call may have been told of a failure after the
            // change was made, and its repetition must not leave the credential in force.
            if let credential = snapshot.credentials[id], credential.brand == brand {
                var next = snapshot
                if credential.kind == .sdkKey {
                    next.revokedSDKKeys[DirectorySnapshot.KeyName(credential.name)] = brand
                }
                next.removeCredential(id)
                publish(next)
            }
            guard isRevoked else { throw .notFound }
        }
    }

    private func insert(_ credential: StoredCredential) async throws(DirectoryError) {
        guard EventID.isValid(credential.name) else {
            let detail = "must be 1 to 256 bytes of text without control characters"
            throw .invalid([SettingsProblem(pointer: "/name", detail: detail)])
        }
        try await gate.run { () async throws(DirectoryError) in
            guard snapshot.brands[credential.brand] != nil else { throw .notFound }
            if let app = credential.app, self.app(brand: credential.brand, app: app) == nil {
                throw .invalid([SettingsProblem(pointer: "/app", detail: "is not an app of the brand")])
            }
            try await stored { () async throws(StorageError) in try await self.store.insertCredential(credential) }
            var next = snapshot
            try next.insert(credential, box)
            publish(next)
        }
    }

    // MARK: Helpers

    private func stored<Value>(
        _ work: () async throws(StorageError) -> Value
    ) async throws(DirectoryError) -> Value {
        do {
            return try await work()
        } catch {
            throw error == .duplicate ? .duplicate : .storage(error)
        }
    }

    private func seal(_ settings: AppSettings, context: String) throws(DirectoryError) -> [UInt8] {
        guard let json = try? JSONEncoder().encode(settings) else {
            throw .invalid([SettingsProblem(pointer: "", detail: "cannot be written as JSON")])
        }
        return try seal([UInt8](json), context: context)
    }

    func seal(_ bytes: [UInt8], context: String) throws(DirectoryError) -> [UInt8] {
        do {
            return try box.seal(bytes, context: context)
        } catch {
            throw .sealing(error)
        }
    }
}
