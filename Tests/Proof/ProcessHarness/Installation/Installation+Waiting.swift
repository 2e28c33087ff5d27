package import AsyncHTTPClient

extension Installation {
    /// Waits until the simulator has accepted that many pushes.
    package func waitForPushes(_ count: Int, _ http: HTTPClient) async throws {
        let deadline = ContinuousClock.now + .seconds(540)
        var seen = 0
        while ContinuousClock.now < deadline {
            seen = try await simulator.acceptedPushes(http)
            if seen >= count { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw HarnessError("only \(seen) of \(count) pushes arrived within two minutes")
    }

    /// Waits until the gateway has recorded the outcomes of all sent pushes.
    package func waitForOutcomes(_ http: HTTPClient) async throws {
        let deadline = ContinuousClock.now + .seconds(540)
        while ContinuousClock.now < deadline {
            let sending = try await call(http, "GET", "/v1/brands/\(Self.brand)/deliveries?state=sending&limit=1")
            if let items = sending["items"] as? [Any], items.isEmpty { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw HarnessError("outcomes were not recorded within a minute")
    }
}
