import Foundation
import ProcessHarness
import Testing

@testable import GatewayHTTP

/// The API description as parsed by another YAML library.
struct Description: Sendable {
    /// A parameter of an operation.
    struct Parameter: Sendable {
        var name: String
        var place: String
        var schema: JSON
    }

    /// One operation: a method of a path.
    struct Operation: Sendable, CustomStringConvertible {
        var method: String
        var path: String
        var parameters: [Parameter]
        /// The schema of the body as JSON; nil when there is no body.
        var body: JSON?
        /// A valid body.
        var example: JSON?
        /// A valid body of JSON lines, where it takes no other.
        var lines: String?
        /// Whether a call without a credential is rejected.
        var isSecured: Bool
        /// Whether it allows the instance's admin token.
        var isForAdmin: Bool
        /// Whether it allows a consumer's session; other callers then name the consumer for whom they act.
        var isForConsumer: Bool
        /// Whether it belongs to an adaptor and uses its error format.
        var isAdaptor: Bool
        /// Whether it is Bloomreach's, with a format of its own.
        var isBloomreach: Bool
        /// Whether its errors have the format of gorush or of LivePerson's monitoring API.
        var hasOwnErrors: Bool
        var statuses: Set<String>
        var id: String
        /// Whether it reads JSON whatever its `Content-Type` (R191).
        var ignoresMediaType: Bool { isBloomreach || ["exchangeToken", "signPayload", "pushTokens"].contains(id) }

        var description: String { "\(method) \(path)" }
    }

    let root: JSON

    /// Parses the document with Python's `yaml`.
    static func read() async throws -> Description {
        let folder = try TemporaryDirectory()
        let path = folder.path("openapi.yaml")
        try OpenAPIDocument.text.write(toFile: path, atomically: true, encoding: .utf8)
        // The distribution's own interpreter, because its packages are installed by the distribution's names.
        let reader = try ChildProcess(
            "/usr/bin/python3",
            [
                "-c",
                "import json,sys,yaml; json.dump(yaml.safe_load(open(sys.argv[1])), open(sys.argv[2], 'w'), default=str)",
                path, folder.path("openapi.json"),
            ]
        )
        try #require(try await reader.ended().status == 0)
        return Description(root: try JSON(String(contentsOfFile: folder.path("openapi.json"), encoding: .utf8)))
    }

    /// Follows a reference, if it is one.
    func resolved(_ value: JSON) -> JSON {
        guard let reference = value["$ref"]?.string else { return value }
        var found = root
        for name in reference.dropFirst(2).split(separator: "/") { found = found[String(name)] ?? .null }
        return resolved(found)
    }

    var operations: [Operation] {
        let paths = root["paths"] ?? .null
        return paths.names.sorted().flatMap { path -> [Operation] in
            let item = paths[path] ?? .null
            let shared = item["parameters"]?.items ?? []
            return item.names.subtracting(["parameters"]).sorted().map { method in
                operation(method, path, item[method] ?? .null, shared)
            }
        }
    }

    private func operation(_ method: String, _ path: String, _ text: JSON, _ shared: [JSON]) -> Operation {
        let parameters = (shared + (text["parameters"]?.items ?? [])).map { resolved($0) }.map {
            Parameter(
                name: $0["name"]?.string ?? "",
                place: $0["in"]?.string ?? "",
                schema: resolved($0["schema"] ?? .null)
            )
        }
        let content = text["requestBody"]?["content"]?["application/json"]
        let examples = content?["examples"]
        let named = examples?.names.sorted().first.flatMap { examples?[$0]?["value"] }
        let security = text["security"]?.items ?? [.object(["admin": .array([])])]
        return Operation(
            method: method.uppercased(),
            path: path,
            parameters: parameters,
            body: content?["schema"].map(resolved),
            example: content?["example"] ?? named,
            lines: content == nil
                ? text["requestBody"]?["content"]?["application/x-ndjson"]?["example"]?.string : nil,
            isSecured: !security.isEmpty && security.allSatisfy { !$0.names.isEmpty },
            isForAdmin: security.contains { $0.names.contains("admin") },
            isForConsumer: security.contains { $0.names.contains("session") },
            isAdaptor: text["tags"]?.items.contains(.string("adaptors")) ?? false,
            isBloomreach: text["tags"]?.items.contains(.string("bloomreach")) ?? false,
            hasOwnErrors: ["GorushError", "LivePersonError"].contains {
                text["responses"]?["400"]?["$ref"]?.string?.hasSuffix("/" + $0) ?? false
            },
            statuses: text["responses"]?.names ?? [],
            id: text["operationId"]?.string ?? ""
        )
    }
}
