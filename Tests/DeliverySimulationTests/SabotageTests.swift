import DeliverySimulation
import Testing

@Suite("The simulation with an injected fault")
struct SabotageTests {
    @Test("finds each injected fault, and names the invariant that it violates", arguments: Sabotage.allCases)
    func found(sabotage: Sabotage) throws {
        let report = (1...400).lazy
            .map { Simulation.run(SimulationSeed(rawValue: UInt64($0)), sabotage: sabotage) }
            .first { $0.violation != nil }
        let violation = try #require(report?.violation)
        #expect(violation.invariant == sabotage.breaks, "\(violation)")
    }

    @Test("has a fault for every invariant")
    func everyInvariant() {
        #expect(Set(Sabotage.allCases.map(\.breaks)) == Set(Invariant.allCases))
    }
}
