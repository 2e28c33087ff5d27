import GatewayStorage
import Testing

/// One rule that every engine keeps, with the test of it; reports through Swift Testing, so run it within a test.
package struct ContractCase: Sendable, CustomTestStringConvertible {
    /// What must hold.
    package let name: String
    private let body: @Sendable (ContractFixture) async throws -> Void

    /// Creates a rule and its test.
    ///
    /// - Parameters:
    ///   - name: What must hold.
    ///   - body: Fails the running test when it does not hold.
    init(_ name: String, _ body: @escaping @Sendable (ContractFixture) async throws -> Void) {
        self.name = name
        self.body = body
    }

    /// What must hold.
    package var testDescription: String { name }

    /// Runs the test on an engine, with a store of its own.
    ///
    /// - Parameter engine: The engine.
    /// - Throws: What the engine threw where nothing should be thrown.
    package func run(on engine: any ContractEngine) async throws {
        let fixture = try await ContractFixture(engine: engine)
        do {
            try await body(fixture)
        } catch {
            await fixture.store.close()
            throw error
        }
        await fixture.store.close()
    }
}
