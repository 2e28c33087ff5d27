import Dispatch
import Foundation

/// Ends the process quietly when it is interrupted: for verbs that run until then.
final class Interruption {
    private let sources: [any DispatchSourceSignal]

    /// Takes SIGINT and SIGTERM from now on, for as long as it lives.
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
