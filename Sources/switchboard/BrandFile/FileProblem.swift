/// An error in a brand's file.
struct FileProblem: Error, Equatable {
    /// The path of the member, from the root; empty for the whole file.
    var path: [String] = []
    /// The line, from 1; nil for that of the member.
    var line: Int?
    /// The description, without the value: it may be a secret.
    var detail: String
}
