import Synchronization

/// A flag for whether an application listens.
final class ListeningFlag: Sendable {
    private let flag = Atomic(false)

    /// Whether the application listens or has listened.
    var value: Bool { flag.load(ordering: .acquiring) }

    /// Marks the application as listening.
    func set() { flag.store(true, ordering: .releasing) }
}
