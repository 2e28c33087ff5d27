import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import ProcessHarness
import PushProviders

/// The peer in Swift: AsyncHTTPClient, whose HTTP/2 is swift-nio-http2.
struct HTTPClientPeerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http-client-peer",
        abstract: "Send pushes with AsyncHTTPClient and print the cost as JSON (used by 'run').",
        shouldDisplay: false
    )

    @Argument(help: "URL of the APNs.")
    var apns: String
    @Argument(help: "The simulator's directory of certificates and credentials.")
    var keys: String
    @Argument(help: "The provider token.")
    var token: String
    @Argument(help: "The file of the body.")
    var body: String
    @Argument(help: "The number of pushes.")
    var count: Int
    @Argument(help: "The number of concurrent pushes.")
    var streams: Int

    func run() async throws {
        let topic = try SimulatorIdentity(keys: keys).topic
        let payload = ByteBuffer(bytes: try Data(contentsOf: URL(filePath: body)))
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let client = HTTPClient(
            eventLoopGroup: group,
            configuration: PushProviderFactory.httpClientConfiguration(trustRootsFile: keys + "/ca.pem")
        )
        let paths = (0..<JobMaker.devices).map { "\(apns)/3/device/\(Installation.token($0))" }
        let authorization = "bearer \(token)"
        @Sendable func push(_ number: Int) async throws -> Int {
            var request = HTTPClientRequest(url: paths[number % paths.count])
            request.method = .POST
            let id = UUID().uuidString.lowercased()
            request.headers = [
                "authorization": authorization, "apns-topic": topic, "apns-push-type": "alert", "apns-priority": "10",
                "apns-expiration": "0", "apns-id": id, "apns-collapse-id": id,
            ]
            request.body = .bytes(payload)
            let response = try await client.execute(request, timeout: .seconds(30))
            _ = try await response.body.collect(upTo: 4096)
            return response.status == .ok ? 1 : 0
        }
        let cpu = ProcessUsage.ownCPUSeconds()
        let start = ContinuousClock.now
        // The first alone: until it is accepted, APNs allows only one stream.
        var accepted = try await push(0)
        accepted += try await withThrowingTaskGroup(of: Int.self) { tasks in
            for number in 1..<min(count, streams + 1) { tasks.addTask { try await push(number) } }
            var next = min(count, streams + 1)
            var accepted = 0
            while let result = try await tasks.next() {
                accepted += result
                guard next < count else { continue }
                let number = next
                tasks.addTask { try await push(number) }
                next += 1
            }
            return accepted
        }
        let result = Peer.Result(
            cpuSeconds: ProcessUsage.ownCPUSeconds() - cpu,
            wallSeconds: seconds(ContinuousClock.now - start),
            accepted: accepted
        )
        try await client.shutdown()
        try await group.shutdownGracefully()
        print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }
}
