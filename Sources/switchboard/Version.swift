/// The version of the program.
enum Version {
    /// The version of the source tree.
    static let text = "0.1.0"
}
