/// What is wrong with one member of a request.
package struct FieldProblem: Sendable, Equatable {
    /// Where: a JSON pointer (RFC 6901) into the body; for query parameters and path ids the name behind a slash.
    package var pointer: String
    /// What: a phrase that follows the name, without the value.
    package var detail: String

    /// Takes a problem.
    ///
    /// - Parameters:
    ///   - pointer: Where.
    ///   - detail: What.
    package init(pointer: String, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }

    /// A pointer to a member of the body, with the name's tildes and slashes escaped (RFC 6901 section 3).
    ///
    /// - Parameter path: The names from the body down.
    /// - Returns: The pointer; a name is cut to 64 characters (Unicode scalars) because it comes from the caller.
    package static func pointer(_ path: [String]) -> String {
        var pointer = String.UnicodeScalarView()
        for name in path {
            pointer.append("/")
            for scalar in name.unicodeScalars.prefix(64) {
                switch scalar {
                case "~": pointer.append(contentsOf: "~0".unicodeScalars)
                case "/": pointer.append(contentsOf: "~1".unicodeScalars)
                default: pointer.append(scalar)
                }
            }
        }
        return String(pointer)
    }
}
