import GatewayModel
import GatewayStorage
import Synchronization

/// The real store, except that a lookup of a session may be paused between its read and its return.
final class PausingStore: SessionStore {
    private struct State {
        var pausing = false
        var held: [CheckedContinuation<Void, Never>] = []
        var lookUps = 0
    }

    private let base: any SessionStore
    private let state = Mutex(State())
    private let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation

    init(_ base: any SessionStore) {
        self.base = base
        (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(16))
    }

    /// The number of lookups that reached the store.
    var lookUps: Int { state.withLock { $0.lookUps } }

    /// Pauses every lookup from now on.
    func pause() { state.withLock { $0.pausing = true } }

    /// Waits until a lookup is paused.
    func waitUntilHeld() async {
        for await _ in arrivals { return }
    }

    /// Resumes all lookups.
    func resume() {
        let held = state.withLock { state in
            state.pausing = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    func session(tokenHash: [UInt8]) async throws(StorageError) -> StoredSession? {
        let session = try await base.session(tokenHash: tokenHash)
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                state.lookUps += 1
                guard state.pausing else { return false }
                state.held.append(continuation)
                return true
            }
            if isHeld { arrived.yield() } else { continuation.resume() }
        }
        return session
    }

    func onSessionEnd(_ listener: @escaping @Sendable (SessionEnd) -> Void) { base.onSessionEnd(listener) }
}
