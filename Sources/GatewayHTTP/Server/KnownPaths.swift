internal import HTTPTypes
internal import Synchronization
internal import TextFormats

/// All paths with their methods, so that a known path with another method gets 405 with `Allow` and not 404, for every
/// method (RFC 9110 section 15.5.6); usable from any thread.
final class KnownPaths: Sendable {
    private struct Path {
        var segments: [Substring]
        var methods: [HTTPRequest.Method]
        var shape: ErrorShape
        var pages: PageAccess
    }

    private let paths = Mutex<[Path]>([])

    /// Creates the table from the paths, with `:name` for parameters, the formats of those with their own error format,
    /// and those that pages of other origins may call.
    func set(
        _ methods: [String: [HTTPRequest.Method]],
        shapes: [String: ErrorShape],
        pages: [String: PageAccess]
    ) {
        let all = methods.map { path, methods in
            Path(
                segments: Self.segments(path),
                methods: methods,
                shape: shapes[path] ?? .problem,
                pages: pages[path] ?? .closed
            )
        }
        paths.withLock { $0 = all }
    }

    /// Returns the error for a request without a route.
    ///
    /// - Parameter path: The request's path, undecoded.
    /// - Returns: 405 for a known path, else 404.
    func rejection(of path: String) -> Problem {
        let methods = known(path).flatMap(\.methods)
        guard !methods.isEmpty else { return .notFound("resource") }
        let names = Set(methods.map(\.rawValue)).sorted()
        var problem = Problem(.methodNotAllowed, "The path supports \(names.joined(separator: ", ")).")
        problem.allow = names
        return problem
    }

    /// Returns the error format of a path, whether a route handled the request or not.
    ///
    /// - Parameter path: The path, undecoded.
    /// - Returns: The gateway's own format for an unknown path, except for one of the console.
    func shape(of path: String) -> ErrorShape {
        known(path).first?.shape ?? (path.hasBytePrefix("/console/") ? .page : .problem)
    }

    /// Returns the pages of other origins that may call a path.
    ///
    /// - Parameter path: The path, undecoded.
    /// - Returns: The pages and the path's methods; nil for a path that no page may call.
    func pages(of path: String) -> (access: PageAccess, methods: [String])? {
        let known = known(path)
        guard let access = known.map(\.pages).first(where: { $0 != .closed }) else { return nil }
        return (access, Set(known.flatMap(\.methods).map(\.rawValue)).sorted())
    }

    /// Returns the paths of the route that a path leads to: a name leads past a parameter in its place.
    private func known(_ path: String) -> [Path] {
        let segments = Self.segments(path)
        let found = paths.withLock { paths in
            paths.filter { known in
                known.segments.count == segments.count
                    && zip(known.segments, segments).allSatisfy {
                        Self.isParameter($0) ? !$1.isEmpty : $0.hasSameBytes(as: $1)
                    }
            }
        }
        let fewest = found.map { $0.segments.count(where: Self.isParameter) }.min()
        return found.filter { $0.segments.count(where: Self.isParameter) == fewest }
    }

    private static func isParameter(_ segment: Substring) -> Bool { segment.utf8.first == UInt8(ascii: ":") }

    private static func segments(_ path: String) -> [Substring] {
        path.byteSplit("/", omittingEmptySubsequences: false)
    }
}
