import Synchronization

/// Writes the progress of a campaign to stderr, after each twentieth of it.
final class SimulationProgress: Sendable {
    private let total: Int
    private let said = Mutex(0)

    init(total: Int) { self.total = total }

    @Sendable
    func report(_ done: Int) {
        let part = total > 0 ? done * 20 / total : 20
        let isNew = said.withLock { said in
            guard part > said else { return false }
            said = part
            return true
        }
        if isNew { StandardError.write("\(done) of \(total) seeds") }
    }
}
