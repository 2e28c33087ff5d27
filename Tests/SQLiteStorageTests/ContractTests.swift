import StorageContract
import Testing

@Suite("SQLite keeps the contract")
struct ContractTests {
    @Test("the contract", .timeLimit(.minutes(10)), arguments: StorageContract.cases)
    func holds(_ contractCase: ContractCase) async throws {
        try await contractCase.run(on: try SQLiteEngine())
    }
}
