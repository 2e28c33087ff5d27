package import GatewayStorage

extension SQLiteStore {
    package func markCodeUsed(_ code: RedeemedCode) async throws(StorageError) -> Bool {
        try await write { writer in try writer.markUsed(code, at: code.keptFrom) }
    }
}
