import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// Garbage in the middle of the database: detected, reported, and not changed.
@Suite("Damaged data", .timeLimit(.minutes(10)))
struct DamagedDataTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("a start that finds damage exits with 3 and names the recovery")
    func start() async throws {
        let fixture = try await GatewayFixture.start(in: directory)
        #expect(try await fixture.gateway.process.stop().status == 0)
        // The first page and its schema stay; everything that a start reads after it is garbage.
        let size = try damage(fixture.database, from: 2)
        let process = try ChildProcess(
            "switchboard",
            ["serve", "--listen", "127.0.0.1:0", "--data-dir", fixture.gateway.dataDirectory]
        )
        #expect(try await process.ended() == .init(status: ProcessStatus.data.rawValue, isSignal: false))
        let text = process.errors.joined()
        #expect(text.contains("switchboard restore") && text.contains(fixture.database), "\(text)")
        #expect(try Self.size(fixture.database) == size && process.output.isEmpty)
    }

    @Test("damage found while running: not ready, events rejected, nothing written any more")
    func running() async throws {
        let fixture = try await GatewayFixture.start(in: directory)
        for number in 0..<200 { #expect(try await fixture.post("e-\(number)").status == 202) }
        try await fixture.wait(for: "the deliveries") {
            try await fixture.gateway.admin.call("GET", fixture.path("deliveries"), query: [("state", "sending")])
                .body["items"].items.isEmpty
        }
        #expect(try await fixture.gateway.process.stop().status == 0)
        // Damages pages that a start does not read: the messages, not the small tables.
        try damage(fixture.database, holding: "text of e-")
        let again = try await fixture.restarted()
        #expect(try await again.readiness() == 200, "a start does not read every page")
        let download = try await again.gateway.admin.exchange(
            "GET",
            again.path("messages"),
            query: [("consumer", "u-1"), ("conversation", "c-9"), ("limit", "500")]
        )
        #expect(download.status == 503 && download.retryAfter == 60, "\(download)")
        try await again.wait(for: "not being ready") { try await again.readiness() != 200 }
        let written = try Self.size(again.database + "-wal")
        let response = try await again.post("another")
        #expect(response.status == 503 && response.body["detail"].plain.contains("damaged"), "\(response)")
        let log = again.gateway.process.errors.joined(separator: "\n")
        #expect(log.contains("switchboard restore") && log.contains(#""corrupt""#), "\(log)")
        #expect(try Self.size(again.database + "-wal") == written, "nothing is written any more")
        #expect(try await again.gateway.process.stop().isSignal == false)
    }

    private static func size(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber).intValue
    }

    private static let pageBytes = 4096

    /// Overwrites every page from one on with garbage, and returns the length of the file.
    @discardableResult
    private func damage(_ path: String, from page: Int) throws -> Int {
        var data = try Data(contentsOf: URL(filePath: path))
        for offset in data.indices.dropFirst((page - 1) * Self.pageBytes) { data[offset] = 0xA5 }
        try data.write(to: URL(filePath: path))
        return data.count
    }

    /// Overwrites the pages with a text, except the first and the last: a start reads the newest message.
    private func damage(_ path: String, holding text: String) throws {
        var data = try Data(contentsOf: URL(filePath: path))
        let pages = stride(from: Self.pageBytes, to: data.count, by: Self.pageBytes)
            .map { $0..<$0 + Self.pageBytes }.filter { data[$0].range(of: Data(text.utf8)) != nil }
        try #require(pages.count > 3)
        for page in pages.dropFirst().dropLast() {
            data.replaceSubrange(page, with: Data(repeating: 0xA5, count: Self.pageBytes))
        }
        try data.write(to: URL(filePath: path))
    }
}
