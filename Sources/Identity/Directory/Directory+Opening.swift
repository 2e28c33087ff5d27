package import GatewayModel
internal import GatewayStorage

extension Directory {
    /// Decrypts and validates settings from a caller; the key of a password is derived here and never again.
    func opened(
        _ settings: AppSettings,
        of brand: BrandID
    ) async throws(DirectoryError) -> (settings: AppSettings, certificate: APNsCertificateFacts?) {
        let reader = reader
        typealias Opened = Result<(AppSettings, APNsCertificateFacts?), DirectoryError>
        let result = try await keyWork.run(of: brand) { () -> Opened in
            switch reader.open(settings) {
            case .failure(let problem): return .failure(.invalid([problem]))
            case .success(let opened):
                let problems = reader.problems(opened)
                guard problems.isEmpty else { return .failure(.invalid(problems)) }
                return .success((opened, reader.certificate(opened)))
            }
        }
        return try result.get()
    }

    /// Decrypts an app's certificate that an earlier version stored encrypted with its password, and stores it
    /// decrypted.
    ///
    /// Apps that are put are decrypted at that time. Call this before a certificate is used; it is cheap if nothing is
    /// encrypted. Listeners are notified that the app's lanes changed.
    ///
    /// - Returns: The current app, still encrypted if ``DirectoryApp/openingProblem`` has the reason; nil when there is
    ///   none.
    /// - Throws: ``DirectoryError/busy``.
    package func openApp(brand: BrandID, app id: AppID) async throws(DirectoryError) -> DirectoryApp? {
        guard let app = app(brand: brand, app: id), app.isClosed, app.openingProblem == nil else {
            return app(brand: brand, app: id)
        }
        // Within the gate, so that two callers derive its keys once.
        return try await gate.run(of: brand) { () async throws(DirectoryError) in
            guard var app = self.app(brand: brand, app: id), app.isClosed, app.openingProblem == nil else {
                return self.app(brand: brand, app: id)
            }
            let (reader, closed) = (reader, app.settings)
            switch try await keyWork.run(of: brand, { reader.open(closed) }) {
            case .failure(let problem): app.openingProblem = problem
            case .success(let opened):
                app.settings = opened
                app.certificate = reader.certificate(opened)
                if app.certificate == nil {
                    app.openingProblem = SettingsProblem(pointer: "/apns/certificate", detail: "cannot be read")
                }
                // If the store fails, the certificate stays encrypted: it is decrypted again at its first use after the
                // next start.
                if let stored = try? sealed(app) {
                    _ = try? await store.putApp(stored, lanes: app.laneKeys, audit: nil)
                }
            }
            var next = snapshot
            next.apps[brand, default: [:]][id] = app
            let lanes = next.lanes(of: brand, app: id).filter { next.lane($0) != nil }
            publish(next, DirectoryChange(changedLanes: lanes))
            return app
        }
    }
}
