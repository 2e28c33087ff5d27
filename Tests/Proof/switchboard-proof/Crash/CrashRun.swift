import AsyncHTTPClient
import DeliverySimulation
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import ProcessHarness

/// One run: a gateway under load that is stopped again and again, and the state at the end.
struct CrashRun {
    let settings: CrashSettings
    /// Reports the progress.
    let say: @Sendable (String) -> Void

    /// The processes of a run: a gateway that restarts on the same port with the same data, and the simulator.
    private struct RunProcesses {
        let directory: TemporaryDirectory
        let simulator: SimulatorProcess
        var gateway: GatewayProcess

        func start(listen: String) async throws -> GatewayProcess {
            try await RunProcesses.start(in: directory, simulator, listen: listen)
        }

        static func start(
            in directory: TemporaryDirectory,
            _ simulator: SimulatorProcess,
            listen: String
        ) async throws -> GatewayProcess {
            try await GatewayProcess.start(
                in: directory,
                listen: listen,
                trustRoots: simulator.authority,
                environment: [
                    "SWITCHBOARD_LOG_LEVEL": "warning", "SWITCHBOARD_DELIVERY_RETRY_DELAYS_SECONDS": "1",
                ]
            )
        }
    }

    /// Runs the test and returns the evidence for the verdict.
    func run() async throws -> Evidence {
        let directory = try TemporaryDirectory()
        let simulator = try await SimulatorProcess.start(in: directory)
        let first = try await RunProcesses.start(in: directory, simulator, listen: "127.0.0.1:0")
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = settings.connections
        let http = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        do {
            let processes = RunProcesses(directory: directory, simulator: simulator, gateway: first)
            let evidence = try await run(processes, http)
            try await http.shutdown()
            return evidence
        } catch {
            try? await http.shutdown()
            throw error
        }
    }

    private func run(_ processes: RunProcesses, _ http: HTTPClient) async throws -> Evidence {
        var processes = processes
        let admin = BackEnd(
            http: http,
            server: processes.gateway.url,
            authorization: "Bearer \(processes.gateway.adminToken)"
        )
        let backEnd = try await prepare(processes, http, admin)
        let drain = PushDrain(control: processes.simulator.control, http: http)
        let progress = Progress()
        var callers = (0..<settings.connections).map {
            Caller(number: $0, settings: settings, backEnd: backEnd, progress: progress)
        }
        for index in callers.indices { try await callers[index].prepare() }

        let (record, endings, last) = try await withThrowingTaskGroup(of: ResponseRecord?.self) { group in
            group.addTask {
                do { try await drain.run() } catch { if !Task.isCancelled { throw error } }
                return nil
            }
            for caller in callers {
                group.addTask {
                    var caller = caller
                    do { try await caller.run() } catch {
                        progress.stop()
                        throw error
                    }
                    return caller.record
                }
            }
            let endings = try await endAgainAndAgain(&processes, drain, progress)
            progress.stop()
            var record = ResponseRecord()
            for _ in callers {
                if let part = try await group.next() ?? nil { record.merge(part) }
            }
            group.cancelAll()
            return (record, endings, processes.gateway)
        }
        processes.gateway = last
        say("posted \(record.posted) events; waiting until everything is delivered")
        // Each 503 pauses a lane for a second: the backlog would take minutes.
        try await teach(processes, http, "[]")
        let closing = Closing(backEnd: backEnd)
        try await closing.waitUntilFinished()
        let unread = try await closing.unread(of: settings.consumers + settings.sharedConsumers)
        let log = try await closing.log()
        let exit = try await processes.gateway.process.stop()
        try await drain.take()
        try await processes.simulator.process.stop()
        return Evidence(
            record: record,
            pushes: drain.pushes,
            refused: drain.refused,
            endings: endings,
            log: log,
            unread: unread,
            lastExit: exit
        )
    }

    /// Sets the simulator's fault rules.
    private func teach(_ processes: RunProcesses, _ http: HTTPClient, _ rules: String) async throws {
        var request = HTTPClientRequest(url: processes.simulator.control + "/rules")
        request.method = .PUT
        request.body = .bytes(ByteBuffer(string: rules))
        guard try await http.execute(request, timeout: .seconds(15)).status == .ok else {
            throw HarnessError("the simulator did not accept its rules")
        }
    }

    /// Creates the brand, the apps and the back-end, and makes the simulator slow and busy at times.
    private func prepare(_ processes: RunProcesses, _ http: HTTPClient, _ admin: BackEnd) async throws -> BackEnd {
        var request = HTTPClientRequest(url: processes.gateway.url + "/v1/brands")
        request.method = .POST
        request.headers.add(name: "authorization", value: admin.authorization)
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: #"{"id":"\#(CrashSettings.brand)","name":"Proof"}"#))
        let response = try await http.execute(request, timeout: .seconds(15))
        guard response.status == .created else { throw HarnessError("no brand: \(response.status)") }
        _ = try await admin.object("PUT", "/apps/ios", try processes.simulator.iOSApp())
        _ = try await admin.object("PUT", "/apps/android", try processes.simulator.androidApp())
        let account = try await admin.object(
            "POST",
            "/credentials",
            #"{"kind":"serviceAccount","name":"proof","scopes":["events:write","consumers:write","deliveries:read"]}"#
        )
        guard let id = account["id"] as? String, let secret = account["secret"] as? String else {
            throw HarnessError("the gateway returned no service account")
        }
        try await teach(
            processes,
            http,
            """
            [{"match":{"provider":"apns","everyNth":53},"do":{"status":503}},\
            {"match":{"everyNth":5},"do":{"delayMs":40}}]
            """
        )
        let basic = "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()
        return BackEnd(http: http, server: processes.gateway.url, authorization: basic)
    }

    /// Stops the gateway at random times after it was ready, and starts it again.
    private func endAgainAndAgain(_ processes: inout RunProcesses, _ drain: PushDrain, _ progress: Progress)
        async throws -> [Ending]
    {
        var random = SplitMix64(seed: settings.seed)
        var endings: [Ending] = []
        let address = "127.0.0.1:\(processes.gateway.port)"
        for number in 1...settings.kills where !progress.isStopping {
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...600, using: &random)))
            processes.gateway.process.signal(settings.ending == .kill ? SIGKILL : SIGTERM)
            let exit = try await processes.gateway.process.ended(within: .seconds(60))
            let rows = try UnfinishedRows(path: processes.gateway.dataDirectory + "/switchboard.sqlite").rows
            try await drain.waitUntilDisconnected()
            let nextStart = Date().timeIntervalSince1970
            let begin = ContinuousClock.now
            processes.gateway = try await processes.start(listen: address)
            let took = seconds(ContinuousClock.now - begin)
            endings.append(Ending(exit: exit, nextStart: nextStart, unfinished: rows, secondsToReady: took))
            say("\(number)/\(settings.kills): \(progress.posted) events, \(rows.count) deliveries were unfinished")
        }
        return endings
    }
}
