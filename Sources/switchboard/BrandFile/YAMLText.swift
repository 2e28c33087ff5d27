import GatewayClient
import Yams

/// Writes JSON values as YAML.
enum YAMLText {
    /// Members that come before the others, which are sorted by name.
    private static let first = ["brand", "apps", "credentials", "hooks", "id", "kind", "name", "platform"]
    /// Words that parsers of YAML 1.1 take for another type.
    private static let reserved: Set<String> = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]

    /// Returns a value as YAML in block style, with a line break at its end.
    static func text(of value: JSONValue) throws -> String {
        try serialize(node: node(value), width: -1, allowUnicode: true)
    }

    private static func node(_ value: JSONValue) -> Node {
        switch value {
        case .null: Node("null", Tag(.null), .plain)
        case .bool(let value): Node(String(value), Tag(.bool), .plain)
        case .integer(let value): Node(String(value), Tag(.int), .plain)
        case .number(let value): Node(String(value), Tag(.float), .plain)
        case .string(let text): scalar(text)
        case .array(let items): Node(items.map { node($0) })
        case .object(let members):
            Node(members.sorted { order($0.key) < order($1.key) }.map { (scalar($0.key), node($0.value)) })
        }
    }

    private static func order(_ name: String) -> (Int, String) {
        (first.firstIndex(of: name) ?? first.count, name)
    }

    /// Quotes whatever is not certainly a text.
    private static func scalar(_ text: String) -> Node {
        let isPlain =
            text.wholeMatch(of: /[A-Za-z](:?[A-Za-z0-9_.\/-]){0,}/) != nil
            && !reserved.contains(text.lowercased())
        return Node(text, Tag(.str), text.contains("\n") ? .literal : isPlain ? .plain : .doubleQuoted)
    }
}
