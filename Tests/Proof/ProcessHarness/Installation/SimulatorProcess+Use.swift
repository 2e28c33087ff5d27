extension SimulatorProcess {
    /// Starts a simulator that only counts pushes, runs some work with it and its directory, and stops it, also after
    /// an error.
    package static func use<Value>(
        options: [String] = [],
        _ work: (SimulatorProcess, TemporaryDirectory) async throws -> Value
    ) async throws -> Value {
        let directory = try TemporaryDirectory()
        let simulator = try await start(in: directory, quiet: true, options: options)
        let result: Result<Value, any Error>
        do { result = .success(try await work(simulator, directory)) } catch { result = .failure(error) }
        _ = try? await simulator.process.stop()
        return try result.get()
    }
}
