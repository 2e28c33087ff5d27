import Delivery
import Foundation
import GatewayModel
import GatewayStorage
import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("The API description tested against the server", .timeLimit(.minutes(10)))
struct ContractTests {
    @Test("every route is described, and every description has its route")
    func complete() async throws {
        let described = Set(try await Description.read().operations.map(\.description))
        try await TestGateway.run { api in
            // The console's pages are for people: they show what the described routes return.
            let routes = Set(api.routes.filter { !$0.contains(" /console") })
            #expect(routes.subtracting(described).isEmpty, "not described")
            #expect(described.subtracting(routes).isEmpty, "not there")
        }
    }

    @Test("sets of names are those of the code")
    func names() async throws {
        let schemas = try await Description.read().root["components"]?["schemas"] ?? .null
        func names(_ path: String...) -> Set<String> {
            let schema = path.reduce(schemas) { $0[$1] ?? .null }
            return Set((schema["enum"]?.items ?? []).compactMap(\.string))
        }
        func cases<Name: CaseIterable & RawRepresentable<String>>(_: Name.Type) -> Set<String> {
            Set(Name.allCases.map(\.rawValue))
        }
        #expect(names("Problem", "properties", "code") == cases(ProblemCode.self))
        #expect(names("Scope") == cases(Scope.self))
        #expect(names("CredentialKind") == cases(CredentialKind.self))
        #expect(names("OperatorRole") == cases(OperatorRole.self))
        #expect(names("DeliveryState") == cases(DeliveryState.self))
        #expect(names("SearchHit", "properties", "foundBy") == cases(SearchHit.Name.self))
        let explained = { (name: String) in names("Explanation", "properties", "devices", "items", "properties", name) }
        #expect(explained("outcome") == cases(DeviceExplanation.Outcome.self))
        #expect(explained("code") == cases(DeviceExplanation.Code.self))
        #expect(names("Lane", "properties", "state") == cases(LaneStatus.State.self))
        #expect(names("ObjectiveReport", "properties", "condition") == cases(ObjectiveReport.Condition.self))
        #expect(names("CanaryStatus", "properties", "condition") == cases(CanaryStatus.Condition.self))
        let replay = try await Description.read().root["paths"]?["/v1/brands/{brand}/deliveries/replay"]?["post"]
        let rejected = ["responses", "200", "content", "application/json", "schema", "properties", "rejected", "items"]
            .reduce(replay ?? .null) { $0[$1] ?? .null }
        let reasons = (rejected["properties"]?["reason"]?["enum"]?.items ?? []).compactMap(\.string)
        #expect(Set(reasons) == cases(DeliveryReplay.Rejection.self))
        #expect(names("CalendarEntry", "properties", "kind") == cases(ExpiryCalendar.Entry.Kind.self))
        #expect(names("WebhookSettings", "properties", "types", "items") == cases(OutboundType.self))
        #expect(names("AuditPage", "properties", "items", "items", "properties", "action") == cases(AuditAction.self))
        #expect(names("CloudEvent", "properties", "type") == cases(EventType.self))
        #expect(names("Registration", "properties", "pushType") == cases(PushType.self))
        #expect(names("Registration", "properties", "environment") == cases(PushEnvironment.self))
        #expect(names("Registration", "properties", "platform") == cases(DevicePlatform.self))
        #expect(names("App", "properties", "platform") == cases(DevicePlatform.self))
        #expect(names("AppToPut", "properties", "fcm", "properties", "style") == cases(FCMSettings.Style.self))
        #expect(names("BrandSettings", "properties", "preview") == cases(BrandSettings.Preview.self))
        #expect(names("BrandSettings", "properties", "presence") == cases(BrandSettings.Presence.self))
        #expect(names("BrandSettings", "properties", "anonymousMerge") == cases(AnonymousMerge.self))
        #expect(names("AppToPut", "properties", "dialect") == cases(AppSettings.Dialect.self))
        let extraTokens = names("DeviceToRegister", "properties", "extraTokens", "items", "properties", "kind")
        #expect(extraTokens == cases(ExtraToken.Kind.self))
        let errors = schemas["Problem"]?["properties"]?["errors"]
        #expect(errors?["maxItems"]?.int == Problem.maxErrors)
    }

    @Test("every request has an example in each of its media types")
    func hasExamples() async throws {
        let paths = try await Description.read().root["paths"] ?? .null
        for path in paths.names {
            for method in paths[path]?.names ?? [] {
                let content = paths[path]?[method]?["requestBody"]?["content"] ?? .null
                for type in content.names {
                    let body = content[type]
                    #expect(body?["example"] != nil || body?["examples"] != nil, "\(method) \(path), \(type)")
                }
            }
        }
    }

    @Test("every operation has an id, responses and the errors of its callers")
    func shapes() async throws {
        let operations = try await Description.read().operations
        #expect(Set(operations.map(\.id)).count == operations.count)
        for operation in operations {
            #expect(!operation.id.isEmpty, "\(operation)")
            #expect(operation.statuses.contains { $0.hasPrefix("2") || $0 == "101" }, "\(operation)")
            #expect(!operation.isSecured || operation.statuses.isSuperset(of: ["401", "403"]), "\(operation)")
            let errors =
                ["400", "413"] + (operation.ignoresMediaType ? [] : ["415"]) + (operation.isAdaptor ? [] : ["422"])
            #expect(operation.body == nil || operation.statuses.isSuperset(of: errors), "\(operation)")
        }
    }

    @Test("the examples succeed, and the responses are described")
    func examples() async throws {
        let operations = try await Description.read().operations
        try await TestGateway.run { api in
            let world = try await World.make(api)
            // Deletions come last.
            let ordered =
                operations.filter { $0.method != "DELETE" } + operations.filter { $0.method == "DELETE" }.reversed()
            for operation in ordered where (operation.isForAdmin || operation.isAdaptor) && operation.path != "/metrics"
            {
                guard operation.statuses.isDisjoint(with: ["101"]), operation.id != "tailDeliveries" else { continue }
                // The test brand's only delivery does not fail.
                guard operation.id != "retryDelivery" else { continue }
                // There is no token service.
                guard !operation.path.contains("/access/") else { continue }
                let reply = try await world.call(operation)
                #expect(operation.statuses.contains(String(reply.status)), "\(operation): \(reply.text)")
                #expect(reply.status < 300, "\(operation): \(reply.text)")
            }
        }
    }

    @Test("a call without a credential, or with one of another brand, is rejected")
    func credentials() async throws {
        let operations = try await Description.read().operations
        try await TestGateway.run { api in
            let world = try await World.make(api)
            let before = try await api.dump()
            for operation in operations where operation.isSecured {
                for credential in [Credential.none, .raw("Basic !"), .raw("Bearer"), .bearer("x"), .raw("Digest x")] {
                    try await world.call(operation, as: credential).expectRejection(operation)
                }
                guard operation.path.contains("{brand}") else { continue }
                try await world.call(operation, as: world.stranger).expectRejection(operation)
            }
            #expect(try await api.dump() == before)
        }
    }

    @Test("a body with one invalid member is rejected with that member's name, and nothing is stored")
    func wrongBodies() async throws {
        let description = try await Description.read()
        try await TestGateway.run { api in
            let world = try await World.make(api)
            let before = try await api.dump()
            var count = 0
            for operation in description.operations where operation.id != "postEvents" {
                guard let schema = operation.body, let valid = try world.body(operation) else { continue }
                for wrong in WrongValues(description: description).bodies(schema, valid) {
                    let reply = try await world.call(operation, body: wrong.body)
                    let what: Comment = "\(operation) \(wrong.pointer) \(wrong.name): \(reply.text)"
                    #expect(reply.status == (operation.isAdaptor ? 400 : 422), what)
                    let texts = operation.isBloomreach ? reply["errors"]?.text : reply.message(operation)
                    // Where gorush has a text of its own, it names the member without a slash.
                    let name = operation.hasOwnErrors ? String(wrong.pointer.dropFirst()) : wrong.pointer
                    let isNamed =
                        operation.isAdaptor
                        ? texts?.lowercased().contains(name.lowercased()) ?? false
                        : reply.pointers.contains { $0 == wrong.pointer || $0.hasPrefix(wrong.pointer + "/") }
                    #expect(isNamed, what)
                    count += 1
                }
            }
            #expect(try await api.dump() == before)
            #expect(count > 300, "only \(count) bodies were sent")
            print("bodies that are wrong in one place: \(count)")
        }
    }

    @Test("an invalid parameter is rejected with its name")
    func wrongParameters() async throws {
        let description = try await Description.read()
        try await TestGateway.run { api in
            let world = try await World.make(api)
            let before = try await api.dump()
            var count = 0
            for operation in description.operations where operation.isForAdmin {
                for parameter in operation.parameters where parameter.place == "query" {
                    for (name, value) in Self.wrongTexts(parameter.schema, WrongValues(description: description)) {
                        let path = world.path(operation, query: "\(parameter.name)=\(value)")
                        let reply = try await world.call(operation, path: path)
                        let what: Comment = "\(operation) ?\(parameter.name) \(name): \(reply.text)"
                        #expect(reply.status == 422 && reply.pointers.contains("/" + parameter.name), what)
                        count += 1
                    }
                }
                for parameter in operation.parameters where parameter.place == "path" {
                    for value in ["%", "%2", "%zz", "%ff", "%c3"] {
                        let path = world.path(operation, [parameter.name: value])
                        let reply = try await world.call(operation, path: path)
                        #expect([400, 401, 404].contains(reply.status), "\(operation) \(value): \(reply.text)")
                        count += 1
                    }
                }
            }
            #expect(try await api.dump() == before, "something was stored")
            for operation in description.operations where operation.isForAdmin {
                for parameter in operation.parameters where parameter.place == "path" {
                    // Some of these are valid ids.
                    for value in ["%00", "..%2F..", "%252e%252e", String(repeating: "x", count: 257), "%C2%85"] {
                        let path = world.path(operation, [parameter.name: value])
                        let reply = try await world.call(operation, path: path)
                        let isFine = operation.method == "DELETE" && reply.status == 204
                        #expect(
                            isFine || [200, 201, 404, 422].contains(reply.status),
                            "\(operation) \(value): \(reply.status) \(reply.text)"
                        )
                        count += 1
                    }
                }
            }
            print("parameters that are wrong: \(count)")
        }
    }

    /// Returns texts for a query that its schema rejects.
    private static func wrongTexts(_ schema: JSON, _ values: WrongValues) -> [(String, String)] {
        var texts: [(String, String)] = values.values(schema).compactMap { name, value in
            switch value {
            case .string("\u{0}"): ("a control character", "%00")
            case .string(let text): name.hasPrefix("wrong type") ? ("no number", "x") : (name, text)
            case .number(let number): name.hasPrefix("wrong type") ? nil : (name, JSON.number(number).text)
            default: nil
            }
        }
        if schema["type"] == .string("integer") { texts += [("empty", ""), ("in words", "ten")] }
        if schema["enum"] != nil { texts += [("empty", ""), ("doubled", "x&x")] }
        return texts.filter { !$0.1.contains("&") }
    }

    @Test("a text that is not a JSON object is rejected before anything about it is read")
    func wrongTexts() async throws {
        let description = try await Description.read()
        let deep = #"{"a":"# + String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000) + "}"
        let many = "{" + (0..<100_000).map { #""k\#($0)":1"# }.joined(separator: ",") + "}"
        let texts: [(String, [UInt8], Set<Int>)] = [
            ("an open brace", Array("{".utf8), [400]), ("an array", Array("[]".utf8), [400, 202]),
            ("a number", Array("5".utf8), [400]), ("null", Array("null".utf8), [400]),
            ("two texts", Array("{} {}".utf8), [400]), ("a comma too many", Array(#"{"a":1,}"#.utf8), [400]),
            ("no UTF-8", [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], [400]),
            ("a byte order mark", [0xEF, 0xBB, 0xBF, 0x7B, 0x7D], [400]),
            ("half a surrogate", Array(#"{"a":"\ud800"}"#.utf8), [400]),
            ("a NUL byte", Array("{\"a\":\"\u{0}\"}".utf8), [400]),
            ("a member twice", Array(#"{"zz":1,"zz":2}"#.utf8), [422]),
            ("100,000 levels", Array(deep.utf8), [400]), ("a million bytes of members", Array(many.utf8), [413, 422]),
            ("more than a mebibyte", Array("{".utf8) + [UInt8](repeating: 0x20, count: 1 << 20), [413]),
            ("nothing but blanks", Array("  ".utf8), [400]),
        ]
        try await TestGateway.run { api in
            let world = try await World.make(api)
            let before = try await api.dump()
            for operation in description.operations where operation.body != nil {
                for (name, bytes, statuses) in texts {
                    // Where nothing is required and other members are ignored, a long list of them is not an error.
                    let isLenient = name.contains("members") && operation.id == "mintSession"
                    let reply = try await world.call(operation, bytes: bytes)
                    #expect(
                        // There an invalid member is 400, too.
                        statuses.contains(reply.status) || isLenient || (operation.isAdaptor && reply.status == 400),
                        "\(operation) \(name): \(reply.status) \(reply.text.prefix(300))"
                    )
                }
                for type in ["text/plain", "application/xml", "application/json; charset=utf-16", "x", ""]
                where !operation.ignoresMediaType {
                    let path = world.path(operation)
                    let reply = try await world.call(operation, path: path, type: type)
                    #expect(reply.status == 415, "\(operation) \(type): \(reply.status) \(reply.text)")
                }
            }
            let after = try await api.dump()
            #expect(before.filter { $0.key != "sessions" } == after.filter { $0.key != "sessions" })
        }
    }

    @Test("every path reports its methods")
    func methods() async throws {
        let operations = try await Description.read().operations
        let known = Dictionary(grouping: operations, by: \.path).mapValues { Set($0.map(\.method)) }
        try await TestGateway.run { api in
            let world = try await World.make(api)
            for (path, methods) in known {
                guard let operation = operations.first(where: { $0.path == path }) else { continue }
                for name in ["GET", "PUT", "POST", "PATCH", "DELETE", "OPTIONS"] where !methods.contains(name) {
                    let method = try #require(HTTPRequest.Method(name))
                    let reply = try await api.call(method, world.path(operation))
                    if operation.isBloomreach {
                        #expect(reply.status == 405 && reply["code"]?.string == "method_not_allowed", "\(reply.text)")
                    } else if operation.hasOwnErrors {
                        #expect(reply.status == 405 && reply.message(operation)?.isEmpty == false, "\(reply.text)")
                    } else if operation.isAdaptor {
                        let isCampaign = path.hasPrefix("/api/v2/account/")
                        reply.expectEnvelope(405, "method_not_allowed", besides: isCampaign ? ["code", "message"] : [])
                    } else {
                        reply.expectProblem(405, "method_not_allowed")
                    }
                    let allowed = Set(
                        (reply.headers[.allow] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
                    )
                    #expect(allowed.subtracting(["HEAD"]) == methods, "\(path)")
                }
            }
        }
    }
}

extension World {
    /// Calls an operation as its example does, except for the given values.
    func call(
        _ operation: Description.Operation,
        as credential: Credential? = nil,
        body: JSON? = nil,
        bytes: [UInt8]? = nil,
        path: String? = nil,
        type: String = "application/json"
    ) async throws -> Reply {
        let method = try #require(HTTPRequest.Method(operation.method))
        let lines = operation.lines.map { Array($0.utf8) }
        let sent = try bytes ?? lines ?? (body ?? self.body(operation)).map { Array($0.text.utf8) }
        return try await api.call(
            method,
            path ?? self.path(operation),
            as: credential ?? self.credential(operation),
            bytes: sent,
            type: lines == nil ? type : "application/x-ndjson",
            headers: headers(operation)
        )
    }
}

extension Reply {
    /// The sentence of an adaptor's error.
    fileprivate func message(_ operation: Description.Operation) -> String? {
        operation.hasOwnErrors ? self["message"]?.string : self["error"]?["message"]?.string
    }

    fileprivate func expectRejection(_ operation: Description.Operation) {
        guard !operation.hasOwnErrors else {
            #expect(status == 401 && message(operation)?.isEmpty == false, "\(operation): \(status) \(text)")
            return
        }
        let codes = ["unauthorized", "token_invalid", "token_expired"]
        let code = (operation.isAdaptor && !operation.isBloomreach ? self["error"] : try? json())?["code"]?.string
        #expect(status == 401 && codes.contains(code ?? ""), "\(operation): \(status) \(text)")
    }
}
