/// A thousand mixed turns, each compared with the model.
enum RandomCases {
    static let all = [1, 2].map { seed in
        ContractCase("a thousand mixed turns agree with the model, seed \(seed)") { (f) async throws in
            var walk = RandomWalk(fixture: f, seed: UInt64(seed))
            try await walk.run(turns: 1000)
        }
    }
}
