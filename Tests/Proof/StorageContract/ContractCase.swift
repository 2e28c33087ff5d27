import GatewayStorage
import Testing

/// One rule that every engine keeps, with its test; reports through Swift Testing, so run it within a test.
package struct ContractCase: Sendable, CustomTestStringConvertible {
    /// The rule.
    package let name: String
    private let body: @Sendable (ContractFixture) async throws -> Void

    /// Creates a rule and its test.
    ///
    /// - Parameters:
    ///   - name: The rule.
    ///   - body: The test, which records an issue when the rule is violated.
    init(_ name: String, _ body: @escaping @Sendable (ContractFixture) async throws -> Void) {
        self.name = name
        self.body = body
    }

    /// The rule.
    package var testDescription: String { name }

    /// Runs the test on an engine, with a store of its own.
    ///
    /// - Parameter engine: The engine.
    /// - Throws: An unexpected error of the engine.
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
