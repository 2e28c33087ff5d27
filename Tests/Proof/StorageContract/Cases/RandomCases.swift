import GatewayModel
import GatewayStorage
import Testing

/// A thousand mixed turns against a simple model.
enum RandomCases {
    static let all = [1, 2].map { seed in
        ContractCase("a thousand mixed turns agree with a simple model, seed \(seed)") { (f) async throws in
            var walk = RandomWalk(fixture: f, seed: UInt64(seed))
            try await walk.run(turns: 1000)
        }
    }
}
