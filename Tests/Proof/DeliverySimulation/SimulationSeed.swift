/// One seed: one schedule of everything that happens in a run.
package struct SimulationSeed: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number.
    package var rawValue: UInt64

    /// Creates a seed.
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The number in decimal digits.
    package var description: String { String(rawValue) }
}
