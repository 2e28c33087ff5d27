internal import HTTPTypes
internal import Synchronization
internal import TextFormats

/// All paths with the methods that they take, so that a path that is known under other methods answers 405 with `Allow` and
/// not 404, whatever the method (RFC 9110 section 15.5.6); any thread.
final class KnownPaths: Sendable {
    private struct Path {
        var segments: [Substring]
        var methods: [HTTPRequest.Method]
        var shape: ErrorShape
    }

    private let paths = Mutex<[Path]>([])

    /// Takes the paths, with `:name` for parameters, and the shapes of those that refuse in another one than ours.
    func set(_ methods: [String: [HTTPRequest.Method]], shapes: [String: ErrorShape]) {
        let all = methods.map { path, methods in
            Path(segments: Self.segments(path), methods: methods, shape: shapes[path] ?? .problem)
        }
        paths.withLock { $0 = all }
    }

    /// The refusal of a request that no route took.
    ///
    /// - Parameter path: Its path, undecoded.
    /// - Returns: 405 for a path that is known, else 404.
    func refusal(of path: String) -> Problem {
        let methods = known(path).flatMap(\.methods)
        guard !methods.isEmpty else { return .notFound("resource") }
        let names = Set(methods.map(\.rawValue)).sorted()
        var problem = Problem(.methodNotAllowed, "The path takes \(names.joined(separator: ", ")).")
        problem.allow = names
        return problem
    }

    /// In which shape a path refuses, whether a route took the request or none did.
    ///
    /// - Parameter path: The path, undecoded.
    /// - Returns: Ours for a path that is not known.
    func shape(of path: String) -> ErrorShape { known(path).first?.shape ?? .problem }

    private func known(_ path: String) -> [Path] {
        let segments = Self.segments(path)
        return paths.withLock { paths in
            paths.filter { known in
                known.segments.count == segments.count
                    && zip(known.segments, segments).allSatisfy {
                        $0.utf8.first == UInt8(ascii: ":") ? !$1.isEmpty : $0.hasSameBytes(as: $1)
                    }
            }
        }
    }

    private static func segments(_ path: String) -> [Substring] {
        path.byteSplit("/", omittingEmptySubsequences: false)
    }
}
