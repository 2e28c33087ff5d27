/// The fields of one message type.
struct FCMMessageType: Sendable {
    /// The fields by name, both in snake case and in lower camel case; the JSON mapping accepts both.
    ///
    /// The canonical name is the snake case one.
    private let fields: [String: (canonical: String, type: FCMFieldType)]

    /// Creates a message type.
    ///
    /// - Parameter fields: The fields by name in snake case.
    init(_ fields: [String: FCMFieldType]) {
        var table: [String: (canonical: String, type: FCMFieldType)] = [:]
        for (name, type) in fields {
            table[name] = (name, type)
            table[Self.lowerCamelCase(name)] = (name, type)
        }
        self.fields = table
    }

    /// Looks a field up.
    ///
    /// - Parameter name: The name in either spelling.
    /// - Returns: The field; nil when the type has none of that name.
    func field(named name: String) -> (canonical: String, type: FCMFieldType)? {
        self.fields[name]
    }

    private static func lowerCamelCase(_ name: String) -> String {
        let words = name.split(separator: "_")
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return words.prefix(1).joined() + rest.joined()
    }
}
