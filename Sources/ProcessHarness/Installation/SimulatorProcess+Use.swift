extension SimulatorProcess {
    /// Starts a simulator that only counts pushes, does something with it, and stops it, however that ends.
    ///
    /// - Parameters:
    ///   - options: Further flags.
    ///   - work: What is done, with the directory of the simulator.
    /// - Returns: What the work returned.
    /// - Throws: When it does not come up, and what the work throws.
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
