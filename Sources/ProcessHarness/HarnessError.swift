/// Why a run with real processes could not be done.
package struct HarnessError: Error, CustomStringConvertible {
    /// What went wrong, in plain words.
    package var description: String

    /// Takes what went wrong.
    ///
    /// - Parameter description: In plain words.
    package init(_ description: String) { self.description = description }
}
