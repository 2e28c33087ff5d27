import HTTPTransfers
import ProcessHarness
import Testing

@Suite("A client of transfers", .timeLimit(.minutes(10)))
struct TransferClientTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("uses an idle connection again, unless it or the request wants none", arguments: [8, 0])
    func reuse(maxIdleConnections: Int) async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let client = TransferClient(maxIdleConnections: maxIdleConnections)
        var request = TransferRequest("GET", "http://127.0.0.1:\(peer.port)/200", timeout: .seconds(60))
        for _ in 0..<3 { #expect(try await client.send(request, maxBodyBytes: 0).status == 200) }
        request.needsNewConnection = true
        #expect(try await client.send(request, maxBodyBytes: 0).status == 200)
        await client.close(isCancelling: false)
        let connections = maxIdleConnections == 0 ? 4 : 2
        try await peer.lines("closed ", connections)
        #expect(peer.count("opened ") == connections)
        await #expect(throws: TransferFailure.self) { try await client.send(request, maxBodyBytes: 0) }
    }

    @Test("keeps no more idle connections than its bound, and none after its release")
    func idle() async throws {
        let peer = try await Peer.start(.plain, in: directory)
        do {
            let client = TransferClient(maxIdleConnections: 2)
            try await withThrowingTaskGroup { group in
                for _ in 0..<10 {
                    group.addTask {
                        let url = "http://127.0.0.1:\(peer.port)/wait"
                        _ = try await client.send(.init("GET", url, timeout: .seconds(60)), maxBodyBytes: 10)
                    }
                }
                try await peer.lines("waiting", 10)
                let url = "http://127.0.0.1:\(peer.port)/go"
                _ = try await client.send(.init("GET", url, timeout: .seconds(60)), maxBodyBytes: 10)
                try await group.waitForAll()
            }
            try await peer.lines("closed ", 9)
            #expect(peer.count("closed ") == 9)
        }
        try await peer.lines("closed ", 11)
    }

    @Test("sends no request twice when an idle connection breaks", arguments: ["GET", "POST"])
    func once(method: String) async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let client = TransferClient()
        let url = "http://127.0.0.1:\(peer.port)/once"
        _ = try await client.send(.init(method, url, timeout: .seconds(60)), maxBodyBytes: 10)
        let error = await #expect(throws: TransferFailure.self) {
            try await client.send(.init(method, url, timeout: .seconds(60)), maxBodyBytes: 10)
        }
        #expect(error?.reason == .broken && error?.mayHaveSent == true)
        _ = try await client.send(.init("GET", url + "?last", timeout: .seconds(60)), maxBodyBytes: 10)
        #expect(try await peer.lines("> ", 3).count == 3)
    }

    @Test("does many calls at once")
    func parallel() async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let client = TransferClient()
        try await withThrowingTaskGroup { group in
            for size in 0..<400 {
                group.addTask {
                    let url = "http://127.0.0.1:\(peer.port)/big?\(size * 100)"
                    let response = try await client.send(.init("GET", url, timeout: nil), maxBodyBytes: 1_000_000)
                    #expect(response.body.count == size * 100)
                }
            }
            try await group.waitForAll()
        }
        #expect(try peer.connections() == 8)
        await client.close(isCancelling: false)
        #expect(try peer.connections() == 0)
    }

    @Test("a cancelled task returns at once and closes its connection")
    func cancelled() async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let client = TransferClient()
        let url = "http://127.0.0.1:\(peer.port)/drip"
        let task = Task { try await client.send(.init("GET", url, timeout: nil), maxBodyBytes: 1_000_000) }
        try await peer.lines("> ", 1)
        task.cancel()
        let error = await #expect(throws: TransferFailure.self) { try await task.value }
        #expect(error?.reason == .cancelled)
        try await peer.lines("closed ", 1)
    }

    @Test("closes with calls in flight, which fail or end first", arguments: [true, false])
    func close(isCancelling: Bool) async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let (client, other) = (TransferClient(), TransferClient())
        let url = "http://127.0.0.1:\(peer.port)"
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { () -> TransferFailure.Reason? in
                    do throws(TransferFailure) {
                        let request = TransferRequest("GET", url + "/wait", timeout: nil)
                        return try await client.send(request, maxBodyBytes: 10).status == 200 ? nil : .broken
                    } catch {
                        return error.reason
                    }
                }
            }
            _ = try? await peer.lines("waiting", 20)
            await client.close(isCancelling: isCancelling)
            _ = try? await other.send(.init("GET", url + "/go", timeout: nil), maxBodyBytes: 10)
            for await reason in group { #expect(reason == (isCancelling ? .cancelled : nil)) }
        }
        try await peer.lines("closed ", 20)
    }

    @Test("refuses a call above its bound")
    func bound() async throws {
        let peer = try await Peer.start(.plain, in: directory)
        let client = TransferClient(maxCalls: 1)
        let url = "http://127.0.0.1:\(peer.port)/wait"
        let task = Task { try await client.send(.init("GET", url, timeout: nil), maxBodyBytes: 10) }
        try await peer.lines("waiting", 1)
        let error = await #expect(throws: TransferFailure.self) {
            try await client.send(.init("GET", url, timeout: nil), maxBodyBytes: 10)
        }
        #expect(error?.reason == .unavailable)
        task.cancel()
        _ = await task.result
    }
}
