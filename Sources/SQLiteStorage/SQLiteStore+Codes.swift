package import GatewayStorage

extension SQLiteStore {
    package func burnCode(_ code: RedeemedCode) async throws(StorageError) -> Bool {
        try await write { writer in try writer.burn(code, at: code.keptFrom) }
    }
}
