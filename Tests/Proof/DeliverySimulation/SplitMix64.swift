/// A seeded generator (splitmix64): the only source of randomness in a simulation.
///
/// `Deploy/mutate.py` builds this folder without `TestSupport`, which has the same one for tests.
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    /// Starts a sequence; the seed determines every number that follows.
    package init(seed: UInt64) { state = seed }

    /// Returns the next number; all are equally probable.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `bound` - 1: written out so that no release of the standard library changes a
    /// schedule.
    mutating func below(_ bound: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(max(bound, 1))).high) }

    mutating func between(_ low: Int, _ high: Int) -> Int { low + below(high - low + 1) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
