internal import Synchronization

/// Keeps parsers between requests, so that their buffers are allocated once.
///
/// Never waits: when none is free a new one is created, and at most ``limit`` are kept.
final class EventParserPool: Sendable {
    /// The maximum number of kept parsers: about one for each thread that parses at the same time.
    private static let limit = 16

    /// Moves a parser from one thread to another.
    ///
    /// `@unchecked Sendable`: guarded by the pool's lock while it is in the pool, and used by one thread while it is
    /// not.
    private struct Kept: @unchecked Sendable {
        let parser: EventParser
    }

    private let kept = Mutex<[Kept]>([])

    /// Lends a parser for the duration of a call; throws the errors of `body`, and `overloaded` when there is no memory
    /// for a parser.
    func withParser<Result>(_ body: (EventParser) throws(Problem) -> Result) throws(Problem) -> Result {
        guard let parser = kept.withLock({ $0.popLast() })?.parser ?? EventParser() else {
            throw Problem(.overloaded, "There is not enough memory to parse the request.", retryAfterSeconds: 1)
        }
        defer {
            if parser.isKept {
                let back = Kept(parser: parser)
                kept.withLock { if $0.count < Self.limit { $0.append(back) } }
            }
        }
        return try body(parser)
    }
}
