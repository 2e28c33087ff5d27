import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// A host without free memory for a while, with real processes.
@Suite("Memory that runs out", .timeLimit(.minutes(10)))
struct MemoryFaultTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("only an event that there is no memory to parse is rejected, no other, then and afterwards")
    func largeEvent() async throws {
        let faults = try await FaultSwitch(in: directory)
        let fixture = try await GatewayFixture.start(in: directory, environment: faults.environment)
        // Parsing it needs several times its size.
        func large(_ id: String) async throws -> APIClient.Response {
            let event: JSONValue = [
                "id": .string(id), "type": "agent.message", "consumer": "u-1", "conversation": "c-9", "text": "hello",
                "padding": .string(String(repeating: "x", count: 900_000)),
            ]
            return try await fixture.gateway.admin.exchange("POST", fixture.path("events"), body: event)
        }
        #expect(try await fixture.post("before").status == 202)
        try faults.setMemory(isShort: true)
        for round in 0..<3 {
            let response = try await large("large")
            #expect(response.status == 503 && response.retryAfter != nil, "\(response)")
            #expect(try await fixture.post("small-\(round)").status == 202)
        }
        try faults.setMemory(isShort: false)
        #expect(try await large("large").status == 202)
        #expect(try await fixture.post("after").status == 202)
        #expect(try await fixture.unread() == 6)
    }
}
