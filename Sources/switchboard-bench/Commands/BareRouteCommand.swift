import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore

/// A Hummingbird server with one route that reads the body and answers 202: what ``HTTPOverheadScenario`` is read beside.
struct BareRouteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare-route",
        abstract: "Answer 202 to every event (used by 'run').",
        shouldDisplay: false
    )

    func run() async throws {
        var logger = Logger(label: "bench")
        logger.logLevel = .critical
        let router = Router()
        router.post("/v1/brands/:brand/events") { request, _ in
            _ = try await request.body.collect(upTo: 1 << 20)
            return HTTPResponse.Status.accepted
        }
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0), serverName: nil, backlog: 1024),
            onServerRunning: { channel in
                FileHandle.standardOutput.write(Data("listening on \(channel.localAddress?.port ?? 0)\n".utf8))
            },
            logger: logger
        )
        // Until it is killed.
        try await application.run()
    }
}
