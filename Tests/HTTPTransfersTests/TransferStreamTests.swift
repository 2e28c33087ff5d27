import HTTPTransfers
import ProcessHarness
import Testing

@Suite("A streamed body", .timeLimit(.minutes(10)))
struct TransferStreamTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("makes the peer wait while the consumer does, and loses nothing")
    func backPressure() async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let size = 48 << 20
        let url = "http://127.0.0.1:\(peer.port)/stall?\(size)"
        let (head, body) = try await TransferClient().stream(.init("GET", url, timeout: nil))
        #expect(head.status == 200 && head.body.isEmpty)
        let sent = try #require(Int(try await peer.lines("stalled ", 1)[0]))
        // The buffers of both sockets, and ours.
        #expect(sent < 24 << 20)
        var count = 0
        for try await chunk in body {
            #expect(chunk.count <= 300 << 10 && chunk.allSatisfy { $0 == UInt8(ascii: "z") })
            count += chunk.count
        }
        #expect(count == size)
    }

    @Test("arrives as it is sent; releasing it closes the connection")
    func release() async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let client = TransferClient()
        do {
            let (_, body) = try await client.stream(.init("GET", "http://127.0.0.1:\(peer.port)/drip", timeout: nil))
            for try await chunk in body {
                #expect(chunk.first == UInt8(ascii: "x"))
                break
            }
        }
        try await peer.lines("closed ", 1)
    }

    @Test("that breaks is an error after the bytes that came")
    func broken() async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let url = "http://127.0.0.1:\(peer.port)/cut"
        let (_, body) = try await TransferClient().stream(.init("GET", url, timeout: .seconds(60)))
        var bytes: [UInt8] = []
        let error = await #expect(throws: TransferFailure.self) { for try await chunk in body { bytes += chunk } }
        #expect(bytes == Array("some".utf8) && error?.reason == .broken)
    }

    @Test("ends when its consumer is cancelled")
    func cancelled() async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let url = "http://127.0.0.1:\(peer.port)/some"
        let (_, body) = try await TransferClient().stream(.init("GET", url, timeout: nil))
        let task = Task { for try await _ in body {} }
        task.cancel()
        let error = await #expect(throws: TransferFailure.self) { try await task.value }
        #expect(error?.reason == .cancelled)
    }
}
