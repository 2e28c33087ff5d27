/// The error of one member of a request.
package struct FieldProblem: Sendable, Equatable {
    /// The position: a JSON pointer (RFC 6901) into the body; for query parameters and path ids a slash and the name.
    package var pointer: String
    /// The reason: a phrase that follows the name, without the value.
    package var detail: String

    /// Returns a pointer to a member of the body, with the name's tildes and slashes escaped (RFC 6901 section 3).
    ///
    /// - Parameter path: The names from the body's root down.
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
