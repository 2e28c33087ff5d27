package import GatewayStorage

/// What an engine hands to the suite: stores on data of its own, one for each case.
package protocol ContractEngine: Sendable {
    /// Makes an empty store on fresh data.
    ///
    /// - Returns: A store that nobody else uses.
    /// - Throws: Whatever keeps the engine from it.
    func open() async throws -> any GatewayStore

    /// Opens the data of a store that was closed, as the next process would.
    ///
    /// - Parameter store: A store of this engine, closed.
    /// - Returns: A store on the same data.
    /// - Throws: Whatever keeps the engine from it.
    func reopen(_ store: any GatewayStore) async throws -> any GatewayStore
}
