/// The version of the programs.
package enum Version {
    /// The version of the source tree.
    package static let text = "0.1.0"
}
