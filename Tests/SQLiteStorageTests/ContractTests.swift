import StorageContract
import Testing

@Suite("SQLite passes the storage contract")
struct ContractTests {
    @Test("the contract", .timeLimit(.minutes(10)), arguments: StorageContract.cases)
    func holds(_ contractCase: ContractCase) async throws {
        try await run(contractCase, on: try SQLiteEngine())
    }

    @Test(
        "the contract, when the writer remembers no consumer between turns",
        .timeLimit(.minutes(10)),
        arguments: StorageContract.cases
    )
    func holdsWithoutMemory(_ contractCase: ContractCase) async throws {
        try await run(contractCase, on: try SQLiteEngine(memoryBytes: 0))
    }

    @Test(
        "every eighth case of the contract, with SQLite's own file methods",
        .timeLimit(.minutes(10)),
        arguments: StorageContract.cases.enumerated().filter { $0.offset.isMultiple(of: 8) }.map(\.element)
    )
    func holdsWithoutTuning(_ contractCase: ContractCase) async throws {
        try await run(contractCase, on: try SQLiteEngine(tunesFileAccess: false))
    }

    /// Runs a case, counts again the rows behind the stored counts, and follows every conversation's messages.
    private func run(_ contractCase: ContractCase, on engine: SQLiteEngine) async throws {
        try await contractCase.run(on: engine)
        #expect(try engine.miscounted() == [], "\(contractCase.name)")
        #expect(try engine.brokenChains() == [], "\(contractCase.name)")
    }
}
