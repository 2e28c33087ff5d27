import GatewayModel
import Identity
import PushProviders
import Synchronization

/// Decrypts apps' certificates that an earlier version stored with their passwords, one after the other.
///
/// In the background, when an app's lanes are first used. Any thread may call it.
final class AppOpener: Sendable {
    private struct Name: Hashable {
        var brand: BrandID
        var app: AppID
    }

    private struct State {
        /// Apps that are requested and not opened yet; at most the number of apps.
        var waiting: [Name] = []
        var isRunning = false
    }

    private let directory: Directory
    private let state = Mutex(State())

    init(directory: Directory) { self.directory = directory }

    /// Opens a lane's app in the background if it is not open; the directory then notifies its listeners of the app's
    /// lanes; returns whether the app is open, or was deleted.
    ///
    /// - Throws: `PushCredentialError` when the app cannot be opened.
    func isOpen(_ lane: LaneKey) throws(PushCredentialError) -> Bool {
        guard let app = directory.app(brand: lane.brand, app: lane.app), app.isClosed else { return true }
        if let problem = app.openingProblem {
            throw PushCredentialError(pointer: problem.pointer, detail: problem.detail)
        }
        open(app)
        return false
    }

    private func open(_ app: DirectoryApp) {
        let name = Name(brand: app.brand, app: app.id)
        let begins = state.withLock { state in
            if !state.waiting.contains(name) { state.waiting.append(name) }
            defer { state.isRunning = true }
            return !state.isRunning
        }
        // An unstructured task: each certificate takes at most a second, and nothing waits for it.
        if begins { Task { await self.run() } }
    }

    private func run() async {
        while let name = next() {
            do {
                _ = try await directory.openApp(brand: name.brand, app: name.app)
                state.withLock { $0.waiting.removeAll { $0 == name } }
            } catch {
                // Many administrative changes at once: retried when they are done.
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
