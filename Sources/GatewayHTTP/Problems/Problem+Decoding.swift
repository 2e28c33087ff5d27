extension Problem {
    /// Says which member could not be decoded, and what it should have been.
    init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(invalid: Self.pointer(context.codingPath + [key]), "is required")
        case .valueNotFound(_, let context):
            self.init(invalid: Self.pointer(context.codingPath), "must not be null")
        case .typeMismatch(let type, let context):
            self.init(invalid: Self.pointer(context.codingPath), "must be " + Self.name(of: type))
        case .dataCorrupted(let context):
            // Our own decoders write what is wrong in this form; texts of others hold the value.
            let own = context.debugDescription.hasPrefix("must be ")
            self.init(
                invalid: Self.pointer(context.codingPath),
                own ? context.debugDescription : "is not a valid value"
            )
        @unknown default:
            self.init(invalid: "", "is not valid")
        }
    }

    private static func pointer(_ path: [any CodingKey]) -> String {
        FieldProblem.pointer(path.map { key in key.intValue.map { String($0) } ?? key.stringValue })
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type: "a number"
        case is [Any].Type: "an array"
        case is [String: Any].Type: "an object"
        default: "of another type"
        }
    }
}
