import GatewayModel
import Identity
import Synchronization

/// Opens apps' certificates that an earlier version stored closed by their passwords, one after the other.
///
/// In the background, when an app's lanes are first used. Any thread may ask.
final class AppOpener: Sendable {
    private struct Name: Hashable {
        var brand: BrandID
        var app: AppID
    }

    private struct State {
        /// Those that were asked for and are not opened yet; as many as there are apps at most.
        var waiting: [Name] = []
        var isRunning = false
    }

    private let directory: Directory
    private let state = Mutex(State())

    init(directory: Directory) { self.directory = directory }

    /// Opens an app soon; the directory's listeners are told of its lanes then.
    func open(_ app: DirectoryApp) {
        let name = Name(brand: app.brand, app: app.id)
        let begins = state.withLock { state in
            if !state.waiting.contains(name) { state.waiting.append(name) }
            defer { state.isRunning = true }
            return !state.isRunning
        }
        // Not a child of anything: each certificate takes a second at most, and nobody waits for it.
        if begins { Task { await self.run() } }
    }

    private func run() async {
        while let name = next() {
            do {
                _ = try await directory.openApp(brand: name.brand, app: name.app)
                state.withLock { $0.waiting.removeAll { $0 == name } }
            } catch {
                // Many administrative changes at once: again when they are done.
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func next() -> Name? {
        state.withLock { state in
            if state.waiting.isEmpty { state.isRunning = false }
            return state.waiting.first
        }
    }
}
