/// The error of a run with real processes.
package struct HarnessError: Error, CustomStringConvertible {
    /// The description of the error.
    package var description: String

    /// Creates an error.
    package init(_ description: String) { self.description = description }
}
