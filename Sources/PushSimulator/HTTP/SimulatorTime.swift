/// A moment of the simulator's wall clock, handed into every decision so that tests can move it.
package struct SimulatorTime: Sendable, Hashable, Comparable {
    /// Milliseconds since the UNIX epoch.
    package var milliseconds: Int64

    /// Takes a moment.
    ///
    /// - Parameter milliseconds: Milliseconds since the UNIX epoch.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Takes a moment.
    ///
    /// - Parameter seconds: Seconds since the UNIX epoch.
    package init(seconds: Int64) {
        self.milliseconds = seconds * 1000
    }

    /// Whole seconds since the UNIX epoch.
    package var seconds: Int64 { self.milliseconds / 1000 }

    /// Compares two moments.
    ///
    /// - Parameters:
    ///   - lhs: One.
    ///   - rhs: The other.
    /// - Returns: Whether the first is earlier.
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.milliseconds < rhs.milliseconds }
}
