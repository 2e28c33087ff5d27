import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// The whole path of a message between real processes.
@Suite("One event", .timeLimit(.minutes(10)))
struct OneEventTests {
    private let directory: TemporaryDirectory
    private let token = String(repeating: "5a", count: 32)

    init() throws { directory = try TemporaryDirectory() }

    private func path(_ parts: String...) -> [String] { ["v1", "brands", "acme"] + parts }

    private func event(_ id: String, _ text: String) -> JSONValue {
        [
            "id": .string(id), "type": "agent.message", "consumer": "u-1", "conversation": "c-9",
            "agent": ["nickname": "Dana"], "text": .string(text),
        ]
    }

    /// Creates the brand, both apps and both registrations.
    private func setUp(_ gateway: GatewayProcess, _ simulator: SimulatorProcess) async throws -> APIClient {
        _ = try await gateway.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        _ = try await gateway.admin.call("PUT", path("apps", "ios"), body: try simulator.iOSAppBody())
        _ = try await gateway.admin.call("PUT", path("apps", "android"), body: try simulator.androidAppBody())
        let phone = APIClient(server: gateway.url, bearer: try await gateway.session("u-1", device: "phone"))
        _ = try await phone.call(
            "PUT",
            path("apps", "ios", "devices", "phone"),
            body: ["token": .string(token), "pushType": "apns"]
        )
        let pixel = APIClient(server: gateway.url, bearer: try await gateway.session("u-1", device: "pixel"))
        _ = try await pixel.call(
            "PUT",
            path("apps", "android", "devices", "pixel"),
            body: ["token": "pixel-token:APA91b0123456789", "pushType": "fcm"]
        )
        return phone
    }

    /// Waits until every delivery of the brand is finished.
    private func finished(_ gateway: GatewayProcess, _ count: Int) async throws -> [JSONValue] {
        let unfinished: Set<String> = ["pending", "held", "sending", "retrying"]
        var items: [JSONValue] = []
        for _ in 0..<2000 {
            items = try await gateway.admin.call("GET", path("deliveries")).body["items"].items
            if items.count == count, items.allSatisfy({ !unfinished.contains($0["state"].plain) }) { break }
            await Task.yield()
        }
        return items
    }

    @Test("an event becomes a push on each phone with the right badge; a tap and a read are recorded")
    func wholeWay() async throws {
        let simulator = try await SimulatorProcess.start(in: directory)
        let gateway = try await GatewayProcess.start(in: directory, trustRoots: simulator.authority)
        let phone = try await setUp(gateway, simulator)
        let response = try await gateway.admin.call("POST", path("events"), body: event("e-1", "hello"))
        let message = try #require(response.body["results"].items.first?["messageId"].string)

        let pushes = try await simulator.pushes(2)
        #expect(pushes.allSatisfy { $0["result"].string == "accepted" }, "\(pushes.map(\.text))")
        let apns = try #require(pushes.first { $0["provider"].string == "apns" })
        #expect(apns["path"].string == "/3/device/\(token)")
        #expect(apns["headers"]["apns-push-type"].string == "alert")
        #expect(apns["body"]["aps"]["badge"].integer == 1)
        #expect(apns["body"]["aps"]["alert"] == ["title": "Dana", "body": "hello"])
        #expect(apns["body"]["messageId"].string == message)
        let fcm = try #require(pushes.first { $0["provider"].string == "fcm" })
        #expect(fcm["body"]["message"]["data"]["badge"].string == "1")
        #expect(fcm["body"]["message"]["data"]["text"].string == "hello")

        let tap = try await phone.call("POST", path("messages", message, "tap"), body: ["deviceId": "phone"])
        #expect(tap.body["conversation"].string == "c-9")
        let read = try await phone.call("POST", path("conversations", "c-9", "read"), body: ["upToSequence": 1])
        #expect(read.body["unread"].integer == 0)
        let badge = try #require(try await simulator.pushes(3).last)
        #expect(badge["provider"].string == "fcm" && badge["body"]["message"]["data"]["badge"].string == "0")

        let log = try await finished(gateway, 3)
        #expect(Set(log.map { "\($0["deviceId"].plain) \($0["state"].plain)" }) == ["phone tapped", "pixel accepted"])
        #expect(try await gateway.process.stop() == .init(status: 0, isSignal: false))
        let logged = gateway.process.errors.joined()
        #expect(!logged.contains(token) && !logged.contains("hello"), "tokens and texts are never logged")
        #expect(try await simulator.process.stop().status == 0)
    }

    @Test("pushes unfinished at kill -9 are sent once at the next start, with the current badge")
    func recovery() async throws {
        let simulator = try await SimulatorProcess.start(in: directory)
        let port = try #require(simulator.apns.split(separator: ":").last.flatMap { Int($0) })
        let settings = ["SWITCHBOARD_DELIVERY_RETRY_DELAYS_SECONDS": "1"]
        let first = try await GatewayProcess.start(
            in: directory,
            trustRoots: simulator.authority,
            environment: settings
        )
        _ = try await setUp(first, simulator)
        // No provider accepts pushes while the events arrive, and then the gateway is killed.
        #expect(try await simulator.process.stop().status == 0)
        let events = (1...3).map { event("e-\($0)", "text \($0)") }
        let response = try await first.admin.call("POST", path("events"), body: .array(events))
        #expect(response.body["accepted"].integer == 3)
        first.process.signal(SIGKILL)
        _ = try await first.process.ended()

        let again = try await SimulatorProcess.start(in: directory, apnsPort: port)
        let second = try await GatewayProcess.start(
            in: directory,
            trustRoots: again.authority,
            environment: settings
        )
        _ = try await second.admin.call("PUT", path("apps", "android"), body: try again.androidAppBody())
        let pushes = try await again.pushes(6)
        let apns = pushes.filter { $0["provider"].string == "apns" }
        #expect(apns.map { $0["body"]["aps"]["alert"]["body"].plain } == ["text 1", "text 2", "text 3"])
        #expect(
            apns.allSatisfy { $0["body"]["aps"]["badge"].integer == 3 },
            "the unread count at the time of sending"
        )
        let log = try await finished(second, 6)
        #expect(log.count == 6 && log.allSatisfy { $0["state"].string == "accepted" }, "\(log.map(\.text))")
        #expect(try await second.process.stop().status == 0)
        _ = try await again.process.stop()
    }

    @Test("check connects to each provider and reports that it is usable")
    func check() async throws {
        let simulator = try await SimulatorProcess.start(in: directory)
        let gateway = try await GatewayProcess.start(in: directory, trustRoots: simulator.authority)
        _ = try await setUp(gateway, simulator)
        #expect(try await gateway.process.stop().status == 0)
        let check = try ChildProcess(
            "switchboard",
            ["check", "--data-dir", directory.path("data")],
            environment: ["SWITCHBOARD_PROVIDER_TRUST_ROOTS": simulator.authority]
        )
        #expect(try await check.ended().status == 0, "\(check.output) \(check.errors)")
        #expect(check.output.filter { $0.hasPrefix("ok   acme/") }.count == 3)
        let untrusting = try ChildProcess("switchboard", ["check", "--data-dir", directory.path("data")])
        #expect(try await untrusting.ended().status == 1, "a certificate of an unknown authority is rejected")
        _ = try await simulator.process.stop()
    }

    @Test("the demonstration exits with 0 and shows each push")
    func demo() async throws {
        let demo = try ChildProcess("switchboard-demo", ["--once"])
        #expect(try await demo.ended() == .init(status: 0, isSignal: false), "\(demo.output) \(demo.errors)")
        #expect(demo.output.filter { $0.contains(" received POST ") }.count == 5)
    }

    @Test("the gateway of the demonstration never outlives it", arguments: [SIGINT, SIGTERM, SIGKILL])
    func stopDemo(_ signal: Int32) async throws {
        let demo = try ChildProcess("switchboard-demo", [], environment: ["TMPDIR": directory.path])
        let start = "  export SERVER="
        let line = try await demo.line(start)
        let server = try #require(line.split(separator: " ").first.map { String($0) })
        #expect(try await APIClient(server: server).exchange("GET", ["readyz"]).status == 200)
        demo.signal(signal)
        // Both write to the same standard error, whose end this waits for.
        let exit = try await demo.ended()
        let isKilled = signal == SIGKILL
        #expect(exit == .init(status: isKilled ? SIGKILL : 0, isSignal: isKilled), "\(demo.errors)")
        await #expect(throws: CommandFailure.self) { try await APIClient(server: server).exchange("GET", ["readyz"]) }
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasPrefix("switchboard-demo-") }
        // Nothing can remove it after SIGKILL.
        #expect(left.isEmpty || isKilled)
    }

    @Test("the demonstration says what is wrong with a gateway that cannot be started or ends early")
    func demoWithoutGateway() async throws {
        let missing = try ChildProcess("switchboard-demo", ["--once", "--switchboard", directory.path("none")])
        #expect(try await missing.ended().status == ProcessStatus.usage.rawValue)
        #expect(missing.errors.first?.contains("there is no program \(directory.path("none"))") == true)
        let failing = try ChildProcess("switchboard-demo", ["--once", "--switchboard", "/usr/bin/false"])
        #expect(try await failing.ended().status == ProcessStatus.failure.rawValue)
        #expect(failing.errors.last?.contains("the gateway ended with exit code 1") == true, "\(failing.errors)")
    }

    @Test("the former command says where the demonstration is")
    func formerDemo() async throws {
        let former = try ChildProcess("switchboard", ["demo", "--once"])
        #expect(try await former.ended().status == ProcessStatus.usage.rawValue)
        #expect(former.output.isEmpty && former.errors.joined().contains("switchboard-demo"))
    }
}
