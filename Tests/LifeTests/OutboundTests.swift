import Foundation
import ProcessHarness
import Synchronization
import Testing

@testable import switchboard

/// The example reader and receiver of `Deploy/examples`, killed and restarted beside a gateway that is killed too.
@Suite("Feed and webhook", .timeLimit(.minutes(5)))
struct FeedAndWebhookTests {
    /// How far the items are that the test makes.
    private final class Progress: Sendable {
        let state = Mutex((made: 0, isOver: false))
    }

    private static let secret = "whsec_" + Data(repeating: 5, count: 32).base64EncodedString()
    private static let brand = ["v1", "brands", "acme"]

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// An example program of this repository.
    private func example(_ name: String, _ arguments: [String], _ environment: [String: String]) throws -> ChildProcess
    {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let script = root.appending(path: "Deploy/examples/\(name)").path()
        return try ChildProcess("/usr/bin/python3", [script] + arguments, environment: environment)
    }

    private func startReceiver(port: Int) async throws -> (process: ChildProcess, port: Int) {
        let process = try example(
            "webhook_receiver.py",
            ["127.0.0.1:\(port)", directory.path("batches")],
            ["SWITCHBOARD_WEBHOOK_SECRET": Self.secret]
        )
        let bound = try await process.line("listening on 127.0.0.1:")
        return (process, try #require(Int(bound)))
    }

    private func startReader(_ gateway: GatewayProcess, _ credential: String) async throws -> ChildProcess {
        let process = try example(
            "feed_reader.py",
            [gateway.url, "acme", "crm", directory.path("items")],
            ["SWITCHBOARD_CREDENTIAL": credential]
        )
        _ = try await process.line("reading")
        return process
    }

    /// The whole lines of a file.
    private func lines(_ name: String) -> [JSONValue] {
        let data = FileManager.default.contents(atPath: directory.path(name)) ?? Data()
        return data.split(separator: UInt8(ascii: "\n")).compactMap { try? JSONValue(parsing: Data($0)) }
    }

    private var read: [JSONValue] { lines("items") }
    private var posted: [JSONValue] { lines("batches").flatMap { $0["items"].items } }

    /// Asks until it is answered: the gateway may be dead just now.
    private func answered(_ call: () async throws -> APIClient.Response) async throws -> JSONValue {
        while true {
            try Task.checkCancellation()
            if let response = try? await call(), (200...299).contains(response.status) { return response.body }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Opens conversations and taps their messages until it is told to stop: two items each.
    private func makeItems(_ url: String, _ token: String, _ progress: Progress) async throws {
        let admin = APIClient(server: url, bearer: token)
        while !progress.state.withLock({ $0.isOver }) {
            let number = progress.state.withLock { $0.made } + 1
            let event: JSONValue = [
                "id": .string("e-\(number)"), "type": "agent.message", "consumer": "u-1",
                "conversation": .string("c-\(number)"), "text": "hello",
            ]
            let answer = try await answered {
                try await admin.exchange("POST", Self.brand + ["events"], body: event)
            }
            let message = try #require(answer["results"].items.first?["messageId"].string)
            _ = try await answered {
                try await admin.exchange(
                    "POST",
                    Self.brand + ["messages", message, "tap"],
                    query: [("consumer", "u-1")],
                    body: ["deviceId": "phone"]
                )
            }
            progress.state.withLock { $0.made = number }
        }
    }

    private func wait(for what: String, until isDone: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while !isDone() {
            guard ContinuousClock.now < deadline else { throw HarnessError("waited in vain for: \(what)") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test("nothing is lost and nothing comes twice, whoever dies")
    func restarts() async throws {
        var gateway = try await GatewayProcess.start(in: directory)
        let listen = "127.0.0.1:\(gateway.port)"
        var receiver = try await startReceiver(port: 0)
        let webhook: JSONValue = [
            "url": .string("http://127.0.0.1:\(receiver.port)/hook"), "secret": .string(Self.secret),
        ]
        _ = try await gateway.admin.call(
            "POST",
            ["v1", "brands"],
            body: ["id": "acme", "name": "Acme", "settings": ["webhook": webhook]]
        )
        let account = try await gateway.admin.call(
            "POST",
            Self.brand + ["credentials"],
            body: ["kind": "serviceAccount", "name": "crm", "scopes": ["events:read"]]
        ).body
        let credential = "\(account["id"].plain):\(account["secret"].plain)"
        var reader = try await startReader(gateway, credential)

        let progress = Progress()
        let (url, token) = (gateway.url, gateway.adminToken)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await makeItems(url, token, progress) }
            for round in 0..<9 {
                let made = progress.state.withLock { $0.made }
                try await wait(for: "the next items") { progress.state.withLock { $0.made } >= made + 15 }
                switch round % 3 {
                case 0:
                    gateway.process.signal(SIGKILL)
                    _ = try await gateway.process.ended()
                    gateway = try await GatewayProcess.start(in: directory, listen: listen)
                case 1:
                    reader.signal(SIGKILL)
                    _ = try await reader.ended()
                    reader = try await startReader(gateway, credential)
                default:
                    receiver.process.signal(SIGKILL)
                    _ = try await receiver.process.ended()
                    receiver = try await startReceiver(port: receiver.port)
                }
            }
            progress.state.withLock { $0.isOver = true }
            try await group.waitForAll()
        }
        let count = progress.state.withLock { $0.made } * 2
        try await wait(for: "the reader's last item") { read.count >= count }
        try await wait(for: "the receiver's last item") { posted.count >= count }
        #expect(read.map { $0["position"].integer } == (1...Int64(count)).map { $0 })
        #expect(posted == read)
        #expect(reader.errors.isEmpty && receiver.process.errors.isEmpty)

        // A reader that waits does not hold up the stop.
        #expect(try await gateway.process.stop() == .init(status: 0, isSignal: false))
    }
}
