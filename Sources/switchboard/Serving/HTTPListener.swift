import ServiceLifecycle

/// An HTTP application that says in plain words when its address cannot be listened on.
struct HTTPListener: Service {
    /// What listens.
    let application: any Service
    /// Where.
    let address: ListenAddress
    /// Set by the application when it listens.
    let isListening: ListeningFlag

    func run() async throws {
        do {
            try await application.run()
        } catch  where !isListening.value && !(error is CancellationError) {
            throw CommandFailure(.listen, "cannot listen on \(address): \(error)")
        }
    }
}
