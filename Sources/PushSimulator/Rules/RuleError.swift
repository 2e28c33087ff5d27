/// The error of rules that were rejected.
package struct RuleError: Error, Equatable, CustomStringConvertible {
    /// A sentence with the position and the error.
    package var description: String
}
