import Cryptography
import Foundation
import GatewayModel
import NIOCore
import NIOPosix
import PushProviders
import TestSupport
import Testing

/// Interoperability with nghttpd, the reference server of the nghttp2 project.
@Suite(.timeLimit(.minutes(10))) struct NghttpdPeerTests {
    @Test("nghttpd accepts our pushes")
    func nghttpd() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("nghttpd-\(UUID().uuidString)")
        let devices = folder.appendingPathComponent("3/device")
        try FileManager.default.createDirectory(at: devices, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(TestCertificates.leafKey.utf8).write(to: folder.appendingPathComponent("key.pem"))
        try Data(TestCertificates.leaf.utf8).write(to: folder.appendingPathComponent("leaf.pem"))
        // It responds 200 if there is a file and 404 if not.
        for number in 1...19 { try Data().write(to: devices.appendingPathComponent("ab\(number)")) }

        let port = try await Self.freePort()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "nghttpd", "--address=127.0.0.1", "--htdocs=\(folder.path)", String(port),
            folder.appendingPathComponent("key.pem").path, folder.appendingPathComponent("leaf.pem").path,
        ]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        defer {
            // Not SIGTERM: a thread of a test may have it blocked, and its children inherit that.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        try await Harness.factory { factory, _ in
            let source = TestSource()
            let provider = try factory.make(
                lane: TestMessages.lane(.apns),
                app: TestMessages.apns(key: P256.PrivateKey(), port: port),
                brand: TestMessages.brand,
                source: source
            )
            source.add(20)
            // It may not listen yet: the provider dials again automatically.
            provider.wake()
            let responses = await source.responses.take(20)
            #expect(responses.filter { $0.response.status == 200 }.count == 19)
            #expect(responses.filter { $0.response.status == 404 }.map(\.delivery) == [DeliveryID(20)])
            await provider.shutdown(within: .zero)
        }
    }

    /// Returns a port of the loopback address that was free a moment ago.
    private static func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(channel.localAddress?.port)
        try await channel.close()
        return port
    }
}
