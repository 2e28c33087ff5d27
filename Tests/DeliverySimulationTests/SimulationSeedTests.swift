import DeliverySimulation
import Testing

@Suite("A simulation's seed")
struct SimulationSeedTests {
    @Test("is printed as its number")
    func description() {
        #expect(SimulationSeed(rawValue: 42).description == "42")
    }
}
