import GatewayClient
import Yams

/// A YAML document as a JSON value, with the line of each member.
///
/// Only `true`, `false`, `null` and whole numbers are not texts (cf. YAML 1.2 section 10.2): `22:00`, `no` and times are
/// read as they are written. JSON is YAML too.
struct YAMLDocument {
    /// The value.
    private(set) var value = JSONValue.null
    /// The lines, from 1, by the paths of the values.
    private(set) var lines: [[String]: Int] = [:]
    private var count = 0

    /// The maximum number of values, aliases expanded: far more than the largest brand has.
    private static let maxValues = 50_000
    /// The maximum depth.
    private static let maxDepth = 64

    /// Parses YAML with one document; throws ``FileProblem`` with the line.
    init(_ text: String) throws(FileProblem) {
        let root: Node?
        do { root = try compose(yaml: text, .basic, .default, .utf8) } catch { throw Self.problem(error) }
        guard let root else { throw FileProblem(detail: "is empty") }
        value = try converted(root, [])
    }

    private mutating func converted(_ node: Node, _ path: [String]) throws(FileProblem) -> JSONValue {
        count += 1
        let line = node.mark?.line
        if lines[path] == nil { lines[path] = line }
        guard count <= Self.maxValues, path.count <= Self.maxDepth else {
            throw FileProblem(line: line, detail: "is too large, or nested too deeply")
        }
        switch node {
        case .scalar(let scalar): return try Self.value(of: scalar)
        case .sequence(let sequence):
            var items: [JSONValue] = []
            for item in sequence { items.append(try converted(item, path + [String(items.count)])) }
            return .array(items)
        case .mapping(let mapping):
            var members: [String: JSONValue] = [:]
            for (key, value) in mapping {
                guard case .scalar(let name) = key else {
                    throw FileProblem(line: key.mark?.line, detail: "the name of a member must be a text")
                }
                let path = path + [name.string]
                lines[path] = name.mark?.line
                members[name.string] = try converted(value, path)
            }
            return .object(members)
        case .alias: throw FileProblem(line: line, detail: "the alias cannot be resolved")
        }
    }

    private static func value(of scalar: Node.Scalar) throws(FileProblem) -> JSONValue {
        let (text, tag) = (scalar.string, scalar.tag.rawValue)
        guard tag.isEmpty || tag == Tag.Name.str.rawValue else {
            throw FileProblem(line: scalar.mark?.line, detail: "the tag \(tag) is not supported")
        }
        guard tag.isEmpty, scalar.style == .plain else { return .string(text) }
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default:
            // A number with a leading zero or sign is an id.
            guard let number = Int64(text), String(number) == text else { return .string(text) }
            return .integer(number)
        }
    }

    /// Returns the parser's error without the text of the file, which may contain secrets.
    private static func problem(_ error: any Error) -> FileProblem {
        guard let error = error as? YamlError else { return FileProblem(detail: "cannot be parsed") }
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            return FileProblem(line: mark.line, detail: "is not YAML: \(problem)")
        case .duplicatedKeysInMapping(let names, let context):
            let names = names.joined(separator: ", ")
            return FileProblem(line: context.mark.line, detail: "\(names) appears more than once")
        default: return FileProblem(detail: "is not YAML")
        }
    }
}
