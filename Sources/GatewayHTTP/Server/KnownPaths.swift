internal import HTTPTypes
internal import Synchronization

/// All paths with the methods that they take, so that a path that is known under other methods answers 405 with `Allow` and
/// not 404, whatever the method (RFC 9110 section 15.5.6); any thread.
final class KnownPaths: Sendable {
    private struct Path {
        var segments: [Substring]
        var methods: [HTTPRequest.Method]
    }

    private let paths = Mutex<[Path]>([])

    /// Takes the paths, with `:name` for parameters.
    func set(_ methods: [String: [HTTPRequest.Method]]) {
        let all = methods.map { Path(segments: $0.key.split(separator: "/"), methods: $0.value) }
        paths.withLock { $0 = all }
    }

    /// The refusal of a request that no route took.
    ///
    /// - Parameter path: Its path, undecoded.
    /// - Returns: 405 for a path that is known, else 404.
    func refusal(of path: String) -> Problem {
        let segments = path.split(separator: "/")
        let methods = paths.withLock { paths in
            paths.filter { known in
                known.segments.count == segments.count
                    && zip(known.segments, segments).allSatisfy { $0.hasPrefix(":") || $0 == $1 }
            }.flatMap(\.methods)
        }
        guard !methods.isEmpty else { return .notFound("resource") }
        let names = Set(methods.map(\.rawValue)).sorted()
        var problem = Problem(.methodNotAllowed, "The path takes \(names.joined(separator: ", ")).")
        problem.allow = names
        return problem
    }
}
