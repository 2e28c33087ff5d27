import AsyncHTTPClient
import GatewayStorage
import ProcessHarness

extension Installation {
    /// Registers a device for each consumer of a range while the gateway is stopped, and starts another on the same
    /// data.
    ///
    /// - Parameters:
    ///   - range: The consumers' numbers.
    ///   - app: The app, which must exist.
    ///   - consumers: The number of consumers, which take turns.
    /// - Returns: The gateway, which the caller must stop.
    /// - Throws: `StorageError`, or an error when the gateway does not start.
    func registerDevices(_ range: Range<Int>, app: String, consumers: Int) async throws -> GatewayProcess {
        try await changeData(consumers: consumers) { try await $0.registerDevices(range, app: app) }
    }

    /// Changes the data while the gateway is stopped, and starts another on the same data.
    ///
    /// - Parameters:
    ///   - consumers: The number of consumers, which take turns.
    ///   - work: Changes the data.
    /// - Returns: The gateway, which the caller must stop.
    /// - Throws: The error of `work`, or an error when the gateway does not start.
    func changeData(consumers: Int, _ work: (StoreFixture) async throws -> Void) async throws -> GatewayProcess {
        let port = gateway.port
        _ = try await gateway.process.stop()
        let fixture = try StoreFixture(path: gateway.dataDirectory + "/switchboard.sqlite", consumers: consumers)
        // Turns of an earlier start are refused.
        try await fixture.begin()
        try await work(fixture)
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

    /// Delays the responses of the simulated APNs.
    ///
    /// - Parameters:
    ///   - milliseconds: The delay of each response.
    ///   - http: An HTTP client.
    /// - Throws: ``HarnessError`` when the simulator returns an error.
    func delayResponses(milliseconds: Int, _ http: HTTPClient) async throws {
        let rules = #"[{"match":{"provider":"apns"},"do":{"delayMs":\#(milliseconds)}}]"#
        try await simulator.setRules(rules, http)
    }
}
