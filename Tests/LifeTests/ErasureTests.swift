import Foundation
import GatewayClient
import ProcessHarness
import Testing

@Suite("Erasure of a consumer", .timeLimit(.minutes(10)))
struct ErasureTests {
    private static let brand = ["v1", "brands", "acme"]
    private static let consumer = brand + ["consumers", "u-1"]
    private static let secret = "nobody-shall-know-this"

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Returns a number that Python counts in the database, as another program would.
    private func count(_ query: String) async throws -> Int {
        let python = try ChildProcess(
            "/usr/bin/env",
            [
                "python3", "-c",
                """
                import sqlite3,sys
                d=sqlite3.connect('file:'+sys.argv[1]+'?mode=ro',uri=True,timeout=30)
                print(d.execute(sys.argv[2]).fetchone()[0])
                """,
                directory.path("data/switchboard.sqlite"), query,
            ]
        )
        #expect(try await python.ended().status == 0, "\(python.errors)")
        return try #require(python.output.first.flatMap { Int($0) })
    }

    private func post(_ admin: APIClient, _ numbers: Range<Int>) async throws {
        let events = numbers.map { number -> JSONValue in
            [
                "id": .string("e-\(number)"), "type": "agent.message", "consumer": .string("u-\(number % 2 + 1)"),
                "conversation": .string("c-\(number % 10)"), "text": .string("\(Self.secret) \(number)"),
            ]
        }
        let response = try await admin.call("POST", Self.brand + ["events"], body: .array(events))
        #expect(response.body["accepted"].integer == Int64(numbers.count))
    }

    @Test("an acknowledged erasure is done, whenever the gateway is killed, and in the end no file contains the texts")
    func killed() async throws {
        var gateway = try await GatewayProcess.start(in: directory)
        _ = try await gateway.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        _ = try await gateway.admin.call("GET", Self.brand + ["outbound", "crm"])
        try await post(gateway.admin, 0..<6000)
        let token = try await gateway.session("u-1")
        let words = try await APIClient(server: gateway.url, bearer: token).call(
            "POST",
            Self.brand + ["conversations", "c-0", "messages"],
            body: ["clientId": "m-1", "text": .string(Self.secret)]
        )
        #expect(words.status == 201)
        // The other consumer's data is removed by a later erasure.
        #expect(try await gateway.admin.call("DELETE", Self.consumer).status == 204)
        gateway.process.signal(SIGKILL)
        _ = try await gateway.process.ended()

        while try await count("SELECT count(*) FROM erasures") > 0 {
            gateway = try await GatewayProcess.start(in: directory)
            let gone = try await gateway.admin.exchange("GET", Self.consumer)
            #expect(gone.status == 404)
            let refused = try await APIClient(server: gateway.url, bearer: token).exchange(
                "GET",
                Self.brand + ["unread"]
            )
            #expect(refused.status == 401)
            // In the middle of the erasure, as soon as a batch is done.
            let before = try await count("SELECT count(*) FROM messages")
            while try await count("SELECT count(*) FROM messages") == before,
                try await count("SELECT count(*) FROM erasures") > 0
            {
                try Task.checkCancellation()
            }
            gateway.process.signal(SIGKILL)
            _ = try await gateway.process.ended()
        }
        #expect(try await count("SELECT count(*) FROM messages") == 3000)
        #expect(try await count("SELECT count(*) FROM conversations") == 5)

        gateway = try await GatewayProcess.start(in: directory)
        let other = try await gateway.admin.call("GET", Self.brand + ["consumers", "u-2", "export"])
        let conversations = other.body["conversations"].items
        #expect(conversations.reduce(0) { $0 + $1["messages"].items.count } == 3000)
        #expect(try await gateway.admin.call("DELETE", Self.brand + ["consumers", "u-2"]).status == 204)
        while try await count("SELECT count(*) FROM erasures") > 0 { try Task.checkCancellation() }
        #expect(try await count("SELECT count(*) FROM consumers") == 0)
        // Message ids of apps are gone, event ids of back-ends are kept for their retention time.
        #expect(try await count("SELECT count(*) FROM dedupe WHERE event >= char(30) AND event < char(31)") == 0)
        #expect(try await count("SELECT count(*) FROM dedupe") == 6000)
        // While it runs: the WAL has been truncated too.
        let data = directory.path("data")
        let files = try FileManager.default.contentsOfDirectory(atPath: data)
        #expect(files.contains("switchboard.sqlite"))
        for file in files {
            let bytes = FileManager.default.contents(atPath: data + "/" + file) ?? Data()
            #expect(bytes.range(of: Data(Self.secret.utf8)) == nil, "\(file)")
        }
        #expect(try await gateway.process.stop() == .init(status: 0, isSignal: false))
    }
}
