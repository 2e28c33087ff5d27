import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import ProcessHarness

/// Messaging windows: how fast many open, the cost of an idle one, the latency of a message, and the latency of a push
/// after a window's end.
struct WindowsScenario {
    /// The final number of open windows, each of another consumer; the first third opens separately.
    var idle: Int
    /// The number of messages to open windows.
    var messages = 2000

    /// The number of consumers with a device, whose windows are active.
    private static let devices = 200
    /// The number of concurrent handshakes.
    private static let atOnce = 512

    /// Runs it on a fresh installation whose simulator stores every push with its time of arrival.
    ///
    /// - Parameters:
    ///   - group: The event loop of the windows' connections: one thread.
    ///   - http: The HTTP client of unmeasured requests.
    /// - Returns: The figures.
    /// - Throws: An error when a request is rejected or a message does not arrive.
    func run(group: MultiThreadedEventLoopGroup, http: HTTPClient) async throws -> Report {
        // With a limit of 20,000 open files, the default for connections to providers leaves room for 13,600 windows
        // only.
        let environment = ["SWITCHBOARD_PROVIDER_MAX_CONNECTIONS": "64"]
        return try await Installation.use(quiet: false, environment: environment) {
            try await measure($0, loop: group.next(), http: http)
        }
    }

    private func measure(
        _ installation: Installation,
        loop: any EventLoop,
        http: HTTPClient
    ) async throws -> Report {
        let authorization = try await installation.configure(http: http, consumers: Self.devices)
        let tokens = try await sessions(installation, http)
        let fleet = try await loop.submit { [port = installation.gateway.port] in
            NIOLoopBound(WindowFleet(loop: loop, port: port), eventLoop: loop)
        }.get()
        var report = Report()
        try await open(installation, fleet, loop, tokens, &report)
        try await message(installation, fleet, loop, http, authorization, &report)
        try await close(installation, fleet, loop, http, authorization, &report)
        let lost = try await loop.submit { () -> Int in
            defer { fleet.value.cutAll() }
            return fleet.value.ended - Self.devices / 2
        }.get()
        report.add("windows", "lost while idle", Double(lost), "", atMost: 0)
        return report
    }

    // MARK: Opening and idling

    private func open(
        _ installation: Installation,
        _ fleet: NIOLoopBound<WindowFleet>,
        _ loop: any EventLoop,
        _ tokens: [String],
        _ report: inout Report
    ) async throws {
        let gateway = installation.gateway.process.id
        let empty = try ProcessUsage(pid: gateway)
        let first = idle / 3
        let storm = try await opening(fleet, loop, Array(tokens[..<first]))
        let after = try ProcessUsage(pid: gateway)
        let limit = Double(first) / 500
        report.add("windows", "\(first) open, \(Self.atOnce) at once", storm.seconds, "s", atMost: limit)
        let rest = try await opening(fleet, loop, Array(tokens[first...]))
        report.add("windows", "failed handshakes", Double(storm.failed + rest.failed), "", atMost: 0)
        let cost = (after.cpuSeconds - empty.cpuSeconds) * 1e6 / Double(first)
        report.add("windows", "gateway CPU to open one", cost, "us")
        // A window that was pinged once has done all the work of an idle one.
        let open = try ProcessUsage(pid: gateway)
        let start = ContinuousClock.now
        while try await loop.submit({ fleet.value.pings }).get() < storm.opened + rest.opened {
            guard ContinuousClock.now - start < .seconds(90) else { throw HarnessError("windows were not pinged") }
            try await Task.sleep(for: .milliseconds(100))
        }
        let idle = try ProcessUsage(pid: gateway)
        let share = (idle.cpuSeconds - open.cpuSeconds) / seconds(ContinuousClock.now - start) * 100
        let each = Double(idle.residentBytes - empty.residentBytes) / Double(storm.opened + rest.opened) / 1024
        let count = "\(storm.opened + rest.opened) idle"
        report.add("windows", "gateway memory each, \(count)", each, "KB", atMost: 20)
        report.add("windows", "gateway memory in all, \(count)", Double(idle.residentBytes) / 1e6, "MB")
        report.add("windows", "gateway CPU, \(count)", share, "% of a core")
    }

    private func opening(
        _ fleet: NIOLoopBound<WindowFleet>,
        _ loop: any EventLoop,
        _ tokens: [String]
    ) async throws -> WindowFleet.Opening {
        let promise = loop.makePromise(of: WindowFleet.Opening.self)
        loop.execute { fleet.value.open(tokens, atOnce: Self.atOnce, promise: promise) }
        return try await promise.futureResult.get()
    }

    /// Creates a session token for each consumer.
    private func sessions(_ installation: Installation, _ http: HTTPClient) async throws -> [String] {
        try await withThrowingTaskGroup(of: [(Int, String)].self) { group in
            let lanes = 32
            for lane in 0..<lanes {
                group.addTask { [idle] in
                    var tokens: [(Int, String)] = []
                    for number in stride(from: lane, to: idle, by: lanes) {
                        let path = "/v1/brands/\(Installation.brand)/consumers/consumer-\(number)/sessions"
                        let response = try await installation.call(http, "POST", path, "{}")
                        guard let token = response["sessionToken"] as? String else {
                            throw HarnessError("the gateway returned no session token")
                        }
                        tokens.append((number, token))
                    }
                    return tokens
                }
            }
            var tokens = Array(repeating: "", count: idle)
            for try await part in group { for (number, token) in part { tokens[number] = token } }
            return tokens
        }
    }

    // MARK: Messages

    private func message(
        _ installation: Installation,
        _ fleet: NIOLoopBound<WindowFleet>,
        _ loop: any EventLoop,
        _ http: HTTPClient,
        _ authorization: String,
        _ report: inout Report
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try await EchoServer.start(group: group)
        let echo = try await connect(to: server.localAddress?.port ?? 0, loop)
        let promise = loop.makePromise(of: FrameLatency.Result.self)
        let (count, port) = (messages, installation.gateway.port)
        let latency = try await loop.submit {
            let latency = FrameLatency(
                windows: fleet.value.windows.prefix(Self.devices).compactMap { $0 },
                echo: echo.value,
                count: count,
                pause: .milliseconds(2),
                authorization: authorization,
                loop: loop,
                promise: promise
            )
            latency.start(port: port)
            return NIOLoopBound(latency, eventLoop: loop)
        }.get()
        let result = try await promise.futureResult.get()
        try await loop.submit {
            for (number, sequence) in latency.value.sequences.enumerated() {
                let ack = #"{"type":"ack","conversation":"conversation-\#(number)","upToSequence":\#(sequence)}"#
                fleet.value.windows[number]?.say(ack)
            }
            echo.value.cut()
        }.get()
        try await server.close()
        try await group.shutdownGracefully()
        let (frame, bare) = (result.afterResponse.percentile(0.99), result.echo.percentile(0.99))
        report.add("windows", "202 to frame, p99", frame, "ms")
        report.add("windows", "bare WebSocket echo, p99", bare, "ms")
        report.add("windows", "ratio to the echo", frame / bare, "x", atMost: 5)
        report.add("windows", "posted to frame, p50", result.afterPost.percentile(0.5), "ms")
        report.add("windows", "posted to frame, p99", result.afterPost.percentile(0.99), "ms")
        report.add("windows", "bare WebSocket echo, p50", result.echo.percentile(0.5), "ms")
        try await waitUntilNothingIsHeld(installation, http)
    }

    private func connect(to port: Int, _ loop: any EventLoop) async throws -> NIOLoopBound<WindowConnection> {
        let opened = loop.makePromise(of: Void.self)
        let connection = try await loop.submit {
            let connection = WindowConnection(path: "/", token: nil)
            connection.onOpen = { opened.succeed() }
            connection.onEnd = { opened.fail(HarnessError("the echo server closed the connection")) }
            return NIOLoopBound(connection, eventLoop: loop)
        }.get()
        _ = try await ClientBootstrap(group: loop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(connection.value)
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await opened.futureResult.get()
        return connection
    }

    private func waitUntilNothingIsHeld(_ installation: Installation, _ http: HTTPClient) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        let path = "/v1/brands/\(Installation.brand)/deliveries?state=held&limit=1"
        while ContinuousClock.now < deadline {
            if let items = try await installation.call(http, "GET", path)["items"] as? [Any], items.isEmpty { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw HarnessError("acknowledged messages were not released")
    }

    // MARK: Closing

    private func close(
        _ installation: Installation,
        _ fleet: NIOLoopBound<WindowFleet>,
        _ loop: any EventLoop,
        _ http: HTTPClient,
        _ authorization: String,
        _ report: inout Report
    ) async throws {
        var arrivals = PushArrivals(installation, http: http)
        var closedAt: [String: Double] = [:]
        let path = "/v1/brands/\(Installation.brand)/events"
        var ids: [String] = []
        for number in 0..<Self.devices / 2 {
            let body = EventBodies.event(run: "close", number: number, consumers: Self.devices)
            let response = try await installation.call(http, "POST", path, body, authorization: authorization)
            let result = (response["results"] as? [[String: Any]])?.first
            guard let id = result?["messageId"] as? String else { throw HarnessError("an event was not accepted") }
            ids.append(id)
        }
        for (number, id) in ids.enumerated() {
            closedAt[id] = Date().timeIntervalSince1970
            // Every other one closes without a close frame.
            try await loop.submit {
                let window = fleet.value.windows[number]
                if number % 2 == 0 { window?.close() } else { window?.cut() }
            }.get()
            try await Task.sleep(for: .milliseconds(10))
        }
        try await arrivals.wait(for: ids)
        let times = ids.compactMap { id in
            closedAt[id].flatMap { closed in arrivals.times[id].map { ($0 - closed) * 1e3 } }
        }
        report.add("windows", "closed to push at the provider, p50", times.percentile(0.5), "ms")
        report.add("windows", "closed to push at the provider, slowest", times.max() ?? 0, "ms", atMost: 1000)
        // The simulator reports whole milliseconds: less than this is a push that was sent before its window closed.
        report.add("windows", "closed to push at the provider, fastest", times.min() ?? 0, "ms", atLeast: -0.5)
    }
}
