import GatewayModel
import GatewayStorage
import Synchronization

/// What a store told of ends of sessions since it was last asked.
final class HeardEnds: Sendable {
    private let ends = Mutex<Set<SessionEnd>>([])

    /// Listens from now on.
    func listen(to store: any GatewayStore) {
        store.onSessionEnd { [weak self] end in self?.ends.withLock { _ = $0.insert(end) } }
    }

    /// What was told, once.
    func take() -> Set<SessionEnd> {
        ends.withLock { ends in
            defer { ends = [] }
            return ends
        }
    }
}

extension ContractFixture {
    /// Somebody who listens to the store from now on.
    func listen() -> HeardEnds {
        let heard = HeardEnds()
        heard.listen(to: store)
        return heard
    }

    /// What is told of a consumer's sessions.
    func end(of consumer: String) -> SessionEnd { .consumer(name(consumer)) }
}
