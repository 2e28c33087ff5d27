import Foundation
import GatewayClient
internal import TextFormats

/// A brand as a YAML file describes it: `brand`, `apps`, `credentials` and `hooks`, each like the body of its route.
///
/// A section that is absent is not managed by the file.
struct BrandFile {
    /// The name of the file in messages.
    let name: String
    /// The brand's id.
    let id: String
    /// The file's value, with `{"fingerprint"}` in place of each secret; members that are null stay.
    let root: JSONValue
    private let secrets: [[String]: String]
    private let lines: [[String]: Int]

    /// Reads a file.
    ///
    /// - Parameter path: The file; `-` is standard input. Paths of secrets are relative to its directory.
    /// - Throws: ``CommandFailure`` with every error, each with its line.
    init(path: String) throws {
        let isInput = path == "-"
        try self.init(
            text: try JSONFile.readText(path),
            name: isInput ? "standard input" : path,
            directory: isInput ? "" : path.folderOfPath
        )
    }

    /// Parses the text of a file.
    ///
    /// - Parameters:
    ///   - text: YAML.
    ///   - name: The name of the file in messages.
    ///   - directory: The directory of relative paths; empty for the working directory.
    /// - Throws: ``CommandFailure`` with every error, each with its line.
    init(text: String, name: String, directory: String) throws {
        let document: YAMLDocument
        do { document = try YAMLDocument(text) } catch { throw Self.failure([error], name, [:]) }
        var reader = BrandFileReader(directory: directory)
        root = reader.read(document.value, .file, [])
        reader.checkNames(root)
        guard reader.problems.isEmpty else { throw Self.failure(reader.problems, name, document.lines) }
        self.name = name
        id = root["brand"]["id"].plain
        secrets = reader.secrets
        lines = document.lines
    }

    /// Returns the request body of a step, secrets included.
    ///
    /// - Parameter step: A step of a plan for this file.
    /// - Returns: The body.
    /// - Throws: ``CommandFailure`` when the file has only the fingerprint of a secret that the body needs.
    func body(of step: BrandStep) throws -> JSONValue { try body(step.body, step.path) }

    private func body(_ value: JSONValue, _ path: [String]) throws -> JSONValue {
        if let text = secrets[path] { return .string(text) }
        if value.isFingerprint {
            let detail = "is needed for a change, and the gateway returns no secrets: name its file"
            throw failure([FileProblem(path: path, detail: detail)])
        }
        switch value {
        case .object(let members):
            var all: [String: JSONValue] = [:]
            for (name, member) in members { all[name] = try body(member, path + [name]) }
            return .object(all)
        case .array(let items):
            return .array(try items.enumerated().map { try body($0.element, path + [String($0.offset)]) })
        default: return value
        }
    }

    /// Returns an error with each problem on a line.
    func failure(_ problems: [FileProblem]) -> CommandFailure { Self.failure(problems, name, lines) }

    private static func failure(_ problems: [FileProblem], _ name: String, _ lines: [[String]: Int]) -> CommandFailure {
        let texts = problems.map { problem in
            // The line of the nearest value that is in the file.
            var place = problem.path
            while lines[place] == nil, !place.isEmpty { place.removeLast() }
            let line = problem.line ?? (problem.path.isEmpty ? nil : lines[place])
            let member = problem.path.isEmpty ? "" : problem.path.joined(separator: ".") + " "
            return TextTable.printable("\(name):\(line.map { "\($0):" } ?? "") \(member)\(problem.detail)")
        }
        return CommandFailure(.failure, texts.joined(separator: "\n"))
    }
}

extension JSONValue {
    /// Whether it stands for a secret.
    var isFingerprint: Bool { members.count == 1 && self["fingerprint"].string != nil }
}
