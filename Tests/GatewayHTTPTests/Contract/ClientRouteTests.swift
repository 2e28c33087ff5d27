import Foundation
import Testing

@Suite("The clients of Deploy/clients, and the description of the API", .timeLimit(.minutes(10)))
struct ClientRouteTests {
    private static let clients = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Deploy/clients")

    @Test(
        "every route of a client is described, and every error code has a class",
        arguments: [
            ("python/switchboard.py", "python/switchboard.py"),
            ("java/switchboard/SwitchboardClient.java", "java/switchboard/SwitchboardException.java"),
            ("typescript/switchboard.ts", "typescript/switchboard.ts"),
        ]
    )
    func described(calls: String, errors: String) async throws {
        let description = try await Description.read()
        let known = Set(description.operations.map(\.description))
        let text = try String(contentsOf: Self.clients.appending(path: calls), encoding: .utf8)
        let routes = text.matches(of: /"((?:GET|POST|PUT|PATCH|DELETE) \/[^"]*)"/).map { String($0.output.1) }
        #expect(routes.count == 3)
        for route in routes { #expect(known.contains(route), "\(route)") }
        #expect(text.matches(of: /["'`]\/v[0-9]/).isEmpty, "a path that is written without its method")

        let classes = try String(contentsOf: Self.clients.appending(path: errors), encoding: .utf8)
        let codes = description.root["components"]?["schemas"]?["Problem"]?["properties"]?["code"]?["enum"]?.items ?? []
        #expect(codes.count > 10)
        for code in codes.compactMap(\.string) { #expect(classes.contains(code), "\(code)") }
    }
}
