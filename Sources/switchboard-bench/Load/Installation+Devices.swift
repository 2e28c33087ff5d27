import ProcessHarness
import SQLiteStorage

extension Installation {
    /// Registers a device for each consumer of a range while the gateway is stopped, and starts another where it was.
    ///
    /// - Parameters:
    ///   - range: The consumers' numbers.
    ///   - app: The app, which is there.
    ///   - consumers: How many consumers take turns.
    /// - Returns: The gateway, which the caller stops.
    /// - Throws: `StorageError`, and when the gateway does not come up.
    func registerDevices(_ range: Range<Int>, app: String, consumers: Int) async throws -> GatewayProcess {
        let port = gateway.port
        _ = try await gateway.process.stop()
        let fixture = try StoreFixture(path: gateway.dataDirectory + "/switchboard.sqlite", consumers: consumers)
        try await fixture.registerDevices(range, app: app)
        await fixture.store.close()
        return try await GatewayProcess.start(
            in: directory,
            listen: "127.0.0.1:\(port)",
            trustRoots: simulator.authority,
            environment: [
                "SWITCHBOARD_LOG_LEVEL": "warning",
                "SWITCHBOARD_LIMITS_ACCOUNT_REQUESTS_PER_SECOND": "0",
                "SWITCHBOARD_LIMITS_SESSION_REQUESTS_PER_SECOND": "0",
            ]
        )
    }
}
