import Dispatch
import Foundation
import GatewayClient

/// Ends the process without an error on SIGINT or SIGTERM, for subcommands that run until then.
final class Interruption {
    private let sources: [any DispatchSourceSignal]

    /// Handles SIGINT and SIGTERM until the object is released.
    init() {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { Foundation.exit(ProcessStatus.ok.rawValue) }
            source.resume()
            return source
        }
    }
}
