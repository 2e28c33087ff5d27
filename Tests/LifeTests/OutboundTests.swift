import Foundation
import GatewayClient
import ProcessHarness
import Synchronization
import Testing

/// The example reader and receiver of `Deploy/examples`, killed and restarted like the gateway.
@Suite("Feed and webhook", .timeLimit(.minutes(10)))
struct FeedAndWebhookTests {
    private final class Flag: Sendable {
        let value = Atomic(false)
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
        _ = try await process.line("read up to ")
        return process
    }

    /// Returns the complete lines of a file.
    private func lines(_ name: String) -> [JSONValue] {
        let data = FileManager.default.contents(atPath: directory.path(name)) ?? Data()
        return data.split(separator: UInt8(ascii: "\n")).compactMap { try? JSONValue(parsing: Data($0)) }
    }

    private var read: [JSONValue] { lines("items") }
    private var posted: [JSONValue] { lines("batches").flatMap { $0["items"].items } }

    /// Repeats a request until there is a response: the gateway may be down.
    private func answered(_ call: () async throws -> APIClient.Response) async throws -> JSONValue {
        while true {
            try Task.checkCancellation()
            if let response = try? await call(), (200...299).contains(response.status) { return response.body }
            await Task.yield()
        }
    }

    /// Opens conversations and taps their messages until it is stopped, two items each; reports the number after each.
    private func makeItems(
        _ url: String,
        _ token: String,
        _ made: AsyncStream<Int>.Continuation,
        until isOver: borrowing Atomic<Bool>
    ) async throws {
        let admin = APIClient(server: url, bearer: token)
        var number = 0
        while !isOver.load(ordering: .relaxed) {
            number += 1
            let event: JSONValue = [
                "id": .string("e-\(number)"), "type": "agent.message", "consumer": "u-1",
                "conversation": .string("c-\(number)"), "text": "hello",
            ]
            let response = try await answered {
                try await admin.exchange("POST", Self.brand + ["events"], body: event)
            }
            let message = try #require(response["results"].items.first?["messageId"].string)
            _ = try await answered {
                try await admin.exchange(
                    "POST",
                    Self.brand + ["messages", message, "tap"],
                    query: [("consumer", "u-1")],
                    body: ["deviceId": "phone"]
                )
            }
            made.yield(number)
        }
        made.finish()
    }

    @Test("nothing is lost and nothing arrives twice, whichever process is killed")
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

        let (url, token) = (gateway.url, gateway.adminToken)
        let isOver = Flag()
        let (items, made) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .unbounded)
        var count = 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { made.finish() }
                try await makeItems(url, token, made, until: isOver.value)
            }
            var next = items.makeAsyncIterator()
            for round in 0..<9 {
                let last = count + 15
                while count < last, let number = await next.next() { count = number }
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
            isOver.value.store(true, ordering: .relaxed)
            while let number = await next.next() { count = number }
            try await group.waitForAll()
        }
        // Each conversation is opened, and its message tapped.
        count *= 2
        _ = try await reader.line("read up to \(count)")
        _ = try await receiver.process.line("taken up to \(count)")
        #expect(read.map { $0["position"].integer } == (1...Int64(count)).map { $0 })
        #expect(posted == read)
        #expect(reader.errors.isEmpty && receiver.process.errors.isEmpty)

        // A long-polling reader does not delay the shutdown.
        #expect(try await gateway.process.stop() == .init(status: 0, isSignal: false))
    }

    @Test("the operators' webhook hears of the start first")
    func operators() async throws {
        let receiver = try await startReceiver(port: 0)
        let path = directory.path("secret")
        try "\(Self.secret)\n".write(toFile: path, atomically: true, encoding: .utf8)
        let gateway = try await GatewayProcess.start(
            in: directory,
            environment: [
                "SWITCHBOARD_OPERATORS_WEBHOOK": "http://127.0.0.1:\(receiver.port)/operators?key=hidden-word",
                "SWITCHBOARD_OPERATORS_WEBHOOK_SECRET_FILE": path,
            ]
        )
        _ = try await receiver.process.line("taken up to 1")
        #expect(posted.map { $0["type"].string } == ["gateway.started"])
        #expect(try await gateway.process.stop() == .init(status: 0, isSignal: false))
        #expect(!gateway.process.errors.joined().contains("hidden-word"))
    }
}
