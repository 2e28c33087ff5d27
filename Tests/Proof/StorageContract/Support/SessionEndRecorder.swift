import GatewayModel
import GatewayStorage
import Synchronization

/// The ends of sessions of which a store has notified since the last read.
final class SessionEndRecorder: Sendable {
    private let ends = Mutex<Set<SessionEnd>>([])

    /// Listens from now on.
    func listen(to store: any SessionStore) {
        store.onSessionEnd { [weak self] end in self?.ends.withLock { _ = $0.insert(end) } }
    }

    /// Returns the notifications, each once.
    func take() -> Set<SessionEnd> {
        ends.withLock { ends in
            defer { ends = [] }
            return ends
        }
    }
}

extension ContractFixture {
    /// Returns a listener of the store from now on.
    func listen() -> SessionEndRecorder {
        let heard = SessionEndRecorder()
        heard.listen(to: store)
        return heard
    }

    /// Returns the notification of a consumer's sessions.
    func end(of consumer: String) -> SessionEnd { .consumer(name(consumer)) }
}
