import Synchronization

/// Whether an application listens.
final class ListeningFlag: Sendable {
    private let flag = Atomic(false)

    /// Whether it listens, or did.
    var value: Bool { flag.load(ordering: .acquiring) }

    /// Says that it listens.
    func set() { flag.store(true, ordering: .releasing) }
}
