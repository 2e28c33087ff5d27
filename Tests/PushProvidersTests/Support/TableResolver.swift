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
        let answer = table.withLock { table in
            guard let answers = table[host], let first = answers.first else { return [String]() }
            if answers.count > 1 { table[host] = Array(answers.dropFirst()) }
            return first
        }
        return answer.compactMap { InternetAddress($0) }
    }
}
