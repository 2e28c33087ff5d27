import GuardedHTTP
import Synchronization

/// A resolver with a table of results, for each name in turn; the last one repeats.
final class TableResolver: HostResolver {
    private let table: Mutex<[String: [[String]]]>
    private let count = Mutex(0)

    init(_ table: [String: [[String]]]) { self.table = Mutex(table) }

    /// The number of lookups.
    var asked: Int { count.withLock { $0 } }

    func addresses(of host: String, for owner: String) async -> [InternetAddress] {
        count.withLock { $0 += 1 }
        let found = table.withLock { table in
            guard let results = table[host], let first = results.first else { return [String]() }
            if results.count > 1 { table[host] = Array(results.dropFirst()) }
            return first
        }
        return found.compactMap { InternetAddress($0) }
    }
}
