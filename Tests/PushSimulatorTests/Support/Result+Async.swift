extension Result where Failure == any Error {
    /// Runs the body and keeps how it ended, so that what was started can be stopped before it is looked at.
    init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
