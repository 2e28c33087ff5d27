import GatewayModel
import Logging
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The server's log handler")
struct ServerLogTests {
    private final class Lines: LogSink {
        private let count = Mutex(0)
        func write(_: [UInt8], level _: Logger.Level) { count.withLock { $0 += 1 } }
        /// Returns the number of lines since the last call.
        func taken() -> Int {
            count.withLock { count in
                defer { count = 0 }
                return count
            }
        }
    }

    @Test("follows each change of the process's level, and never goes below notice", arguments: Logger.Level.allCases)
    func reload(atStart: Logger.Level) {
        let (threshold, lines) = (LogThreshold(atStart), Lines())
        let gateway = Logger(label: "switchboard") {
            GatewayLogHandler(label: $0, threshold: threshold, format: .json, clock: TestClock(), sink: lines)
        }
        let server = ServerLogHandler.logger(passingTo: gateway)
        // As Hummingbird does for each request.
        var request = server
        request[metadataKey: "hb.request.id"] = "1"
        for level in Logger.Level.allCases {
            threshold.level = level
            let lowest = max(level, .notice)
            for logger in [server, request] {
                #expect(logger.logLevel == lowest)
                for event in Logger.Level.allCases { logger.log(level: event, "an event") }
                #expect(lines.taken() == Logger.Level.allCases.count { $0 >= lowest })
            }
        }
    }
}
