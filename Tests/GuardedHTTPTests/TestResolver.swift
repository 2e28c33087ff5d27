import GuardedHTTP
import Synchronization

/// Answers what it is told, in turn, and counts how often it was asked; the last answer stays.
final class TestResolver: HostResolver {
    private let answers: Mutex<[[InternetAddress]]>
    private let count = Mutex(0)

    init(_ answers: [String]...) {
        self.answers = Mutex(answers.map { $0.compactMap { InternetAddress($0) } })
    }

    /// How often it was asked.
    var asked: Int { count.withLock { $0 } }

    func addresses(of host: String, for _: String) async -> [InternetAddress] {
        count.withLock { $0 += 1 }
        return answers.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? [] }
    }
}
