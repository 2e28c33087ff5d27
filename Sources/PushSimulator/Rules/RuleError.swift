/// Why rules were not taken.
package struct RuleError: Error, Equatable, CustomStringConvertible {
    /// A sentence that names the place and what is wrong there.
    package var description: String
}
