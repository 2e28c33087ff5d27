import GuardedHTTP
import Synchronization

/// A resolver that returns the given results in turn, and counts its lookups; the last result stays.
final class TestResolver: HostResolver {
    private let results: Mutex<[[InternetAddress]]>
    private let count = Mutex(0)

    init(_ results: [String]...) {
        self.results = Mutex(results.map { $0.compactMap { InternetAddress($0) } })
    }

    /// The number of lookups.
    var asked: Int { count.withLock { $0 } }

    func addresses(of host: String, for _: String) async -> [InternetAddress] {
        count.withLock { $0 += 1 }
        return results.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? [] }
    }
}
