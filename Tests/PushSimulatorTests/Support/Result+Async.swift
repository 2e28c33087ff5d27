extension Result where Failure == any Error {
    /// Runs the body and stores its result, so that resources can be stopped before the result is used.
    init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
