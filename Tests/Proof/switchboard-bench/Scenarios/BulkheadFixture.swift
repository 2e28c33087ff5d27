import AsyncHTTPClient
import Foundation
import ProcessHarness

/// A gateway with two lanes: one to APNs, which is measured, and one to an FCM in a separate process, which can be
/// suspended.
actor BulkheadFixture {
    private static let androidApp = "android"
    /// The number of consumers with an iPhone, from number 0; those with an Android phone follow.
    private static let iPhones = 500
    private static let androidPhones = 2000
    private static let androidEventsPerSecond = 50

    private let installation: Installation
    private let fcm: SimulatorProcess
    private let http: HTTPClient
    private let androids: BatchedEvents
    private var load: TimedEvents
    private var lap = 0
    private var isSilent = false
    /// The pushes that FCM had accepted before the first round.
    private var warmUp = 0

    /// Starts everything and sends the first push on each lane.
    ///
    /// - Parameter http: An HTTP client.
    /// - Throws: An error when a process does not start.
    init(http: HTTPClient) async throws {
        self.http = http
        installation = try await Installation.start(quiet: false)
        // In the same folder as the other one, so that both have the same authority.
        fcm = try await SimulatorProcess.start(in: installation.directory, quiet: true)
        let authorization = try await installation.configure(http: http, consumers: Self.iPhones)
        load = TimedEvents(installation, http: http, authorization: authorization, consumers: Self.iPhones)
        let others = Self.iPhones..<Self.iPhones + Self.androidPhones
        androids = BatchedEvents(installation, http: http, authorization: authorization, consumers: others)
        let apps = "/v1/brands/\(Installation.brand)/apps/\(Self.androidApp)"
        try await installation.call(http, "PUT", apps, fcm.androidApp())
        for number in others {
            try await installation.call(
                http,
                "PUT",
                apps + "/devices/device-\(number)?consumer=consumer-\(number)",
                #"{"token":"pixel-\#(number):APA91b0123456789","pushType":"fcm"}"#,
                authorization: authorization
            )
        }
        try await androids.post(1)
        try await waitForFCM(1)
        _ = try await p99(from: .now, seconds: 2, rate: 200)
        try await waitForFCM(androids.count)
        try await waitForFCMOutcomes()
    }

    /// Suspends FCM's process: its connections stay, the system accepts new ones, and there are no responses.
    func silenceFCM() {
        isSilent = true
        fcm.process.signal(SIGSTOP)
    }

    /// Sends a push to every Android phone, so that the lane has its maximum in flight.
    ///
    /// - Throws: An error when the gateway rejects a request.
    func fillFCM() async throws {
        try await androids.post(Self.androidPhones)
        if !isSilent { try await waitForFCM(androids.count) }
    }

    /// Measures the lane to APNs while events for the other lane continue.
    ///
    /// - Parameters:
    ///   - start: The due time of the first event.
    ///   - seconds: The duration.
    ///   - rate: Events per second to the measured lane.
    /// - Returns: The 99th percentile in milliseconds.
    /// - Throws: An error when a push is missing.
    func p99(from start: ContinuousClock.Instant, seconds: Int, rate: Int) async throws -> Double {
        lap += 1
        let androids = androids
        async let others: Void = androids.post(seconds: seconds, rate: Self.androidEventsPerSecond)
        var load = load
        let latencies = try await load.latencies(run: "lap\(lap)", events: seconds * rate, rate: rate, from: start)
        self.load = load
        try await others
        return latencies.percentile(0.99)
    }

    /// Returns whether FCM has accepted nothing since the first round.
    ///
    /// - Returns: The state that the gateway has recorded.
    /// - Throws: An error when the gateway does not respond.
    func isFCMSilent() async throws -> Bool { try await acceptedByFCM() == warmUp }

    /// Waits until the gateway has recorded the first outcomes, which are fewer than a page.
    private func waitForFCMOutcomes() async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while warmUp < androids.count {
            guard ContinuousClock.now < deadline else { throw HarnessError("outcomes were not recorded") }
            try await Task.sleep(for: .milliseconds(20))
            warmUp = try await acceptedByFCM()
        }
    }

    private func acceptedByFCM() async throws -> Int {
        let path = "/v1/brands/\(Installation.brand)/deliveries?provider=fcm&state=accepted&limit=200"
        let response = try await installation.call(http, "GET", path)
        return (response["items"] as? [Any])?.count ?? 0
    }

    /// Stops all processes.
    func stop() async {
        fcm.process.signal(SIGCONT)
        await installation.stop()
        _ = try? await fcm.process.stop(within: .seconds(30))
    }

    private func waitForFCM(_ count: Int) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try await fcm.acceptedPushes(http) < count {
            guard ContinuousClock.now < deadline else { throw HarnessError("pushes to FCM did not arrive") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
