package import GatewayModel
internal import GatewayStorage

extension Directory {
    /// Opens settings that somebody gives, and checks them; what a password closes is derived here and never again.
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

    /// Opens an app's certificate that an earlier version stored closed by its password, and stores it opened.
    ///
    /// Apps that are put are opened then. To be called before a certificate is used; costs a look where nothing is closed.
    /// Listeners are told that the app's lanes changed.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The app.
    /// - Returns: The app as it is now, still closed where ``DirectoryApp/openingProblem`` says why; nil when there is none.
    /// - Throws: ``DirectoryError/busy``.
    package func openApp(brand: BrandID, app id: AppID) async throws(DirectoryError) -> DirectoryApp? {
        guard let app = app(brand: brand, app: id), app.isClosed, app.openingProblem == nil else {
            return app(brand: brand, app: id)
        }
        // Within the gate, so that two who need it derive its keys once.
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
                // A store that fails keeps it closed: it is opened again at its first use after the next start.
                if let stored = try? sealed(app) {
                    _ = try? await store.putApp(stored, lanes: app.laneKeys, audit: nil)
                }
            }
            var next = snapshot
            next.apps[DirectorySnapshot.AppKey(brand: brand, app: id)] = app
            let lanes = next.lanes(of: brand, app: id).filter { next.lane($0) != nil }
            publish(next, DirectoryChange(changedLanes: lanes))
            return app
        }
    }
}
