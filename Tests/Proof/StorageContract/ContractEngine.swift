package import GatewayStorage

/// An engine under test: opens stores on data of their own, one for each case.
package protocol ContractEngine: Sendable {
    /// Creates an empty store on fresh data.
    ///
    /// - Returns: A store that no other case uses.
    /// - Throws: An error of the engine.
    func open() async throws -> any GatewayStore

    /// Opens the data of a store that was closed, as the next process would.
    ///
    /// - Parameter store: A store of this engine, closed.
    /// - Returns: A store on the same data.
    /// - Throws: An error of the engine.
    func reopen(_ store: any GatewayStore) async throws -> any GatewayStore
}
