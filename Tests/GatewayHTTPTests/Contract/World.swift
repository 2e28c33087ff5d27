import HTTPTypes
import Testing

@testable import GatewayHTTP

/// A brand with one of everything, so that a call with one invalid value is valid otherwise.
struct World: Sendable {
    let api: API
    /// Values for the parameters of paths, by name.
    var names: [String: String]
    let stranger: Credential
    /// Callers of operations that the administrator does not call.
    let backend: Credential
    /// The caller of Bloomreach's operations.
    let apiKey: Credential

    static func make(_ api: API) async throws -> World {
        try await api.makeWiredBrand()
        try await api.makeBrand("other")
        let webhook = """
            {"settings":{"webhook":{"url":"https://hooks.example/"},"consentCategories":[{"id":"newsletter"}],\
            "wire":{"bloomreach":true,"liveperson":true,"gorush":true}}}
            """
        try #require(try await api.call(.patch, "/v1/brands/acme", webhook).status == 200)
        try #require(try await api.call(.get, "/v1/brands/acme/outbound/reader").status == 200)
        let stranger = try await api.makeAccount("other", "brand:admin", "events:write", "consumers:write")
        let registered = try await api.register("d-1", as: try await api.makeSession("u-1", device: "d-1"))
        try #require(registered.status == 201)
        let result = try await api.post("evt-1", conversation: "c-9")
        let message = try #require(result["messageId"]?.string)
        let deliveries = try await api.call(.get, "/v1/brands/acme/deliveries")
        let delivery = try #require(deliveries["items"]?[0]?["id"]?.string)
        try await api.post(
            "evt-2",
            consumer: "u-2",
            conversation: "c-10",
            more: #","kind":"proactive","campaign":"spring""#,
            type: "proactive.message"
        )
        let made = try await api.call(
            .post,
            "/v1/brands/acme/credentials",
            #"{"kind":"serviceAccount","name":"of the world","scopes":["events:write"]}"#
        )
        let hook = """
            {"kind":"chatwoot","secret":"kx8wYq3vT1mZ5nB7",\
            "reply":{"url":"https://chat.example","accountId":1,"token":"hT4bQ9wLr2Vn8XyK"}}
            """
        try #require(try await api.call(.put, "/v1/brands/acme/hooks/desk", hook).status == 201)
        try await api.makeOperator("dana", "support@acme")
        let key = try await api.makeAPIKey()
        _ = try await api.makeCustomerTokenKey()
        let backend = try await api.makeAccount("acme", "sessions:mint", "events:write", "deliveries:read")
        let templates = #"{"settings":{"campaignTemplates":{"welcome":"Hello {{1}}"}}}"#
        try #require(try await api.call(.patch, "/v1/brands/acme", templates).status == 200)
        let campaign = try await api.call(
            .post,
            "/api/v2/account/acme/campaign",
            as: backend,
            """
            {"campaignName":"autumn","skill":"sales","templateId":"welcome","consent":true,\
            "consumers":[{"consumerContent":{"inapp":"u-3"},"variables":{"1":"Ann"}}]}
            """
        )
        let link = try await api.call(.post, "/v1/brands/acme/deliveries/\(delivery)/links", "{}")
        let names = [
            "brand": "acme", "app": "ios", "consumer": "u-1", "deviceId": "d-1", "conversation": "c-9",
            "messageId": message, "delivery": delivery, "credential": try #require(made["id"]?.string),
            "subscription": "reader", "campaign": "spring", "category": "newsletter", "item": "i-1",
            "inAppMessage": "m-1", "hook": "desk", "lane": "ios:apns:production", "pathSecret": "x",
            "proactiveCampaign": try #require(campaign["proactiveCampaignId"]?.string, "\(campaign.text)"),
            "operator": "dana", "link": try #require(link["id"]?.string, "\(link.text)"),
            "linkToken": try #require(link["token"]?.string),
        ]
        return World(api: api, names: names, stranger: stranger, backend: backend, apiKey: key)
    }

    /// Returns a path with its parameters filled in, except for the given one.
    func path(_ operation: Description.Operation, _ other: [String: String] = [:], query: String? = nil) -> String {
        var path = operation.path
        for (name, value) in names.merging(other, uniquingKeysWith: { $1 }) {
            path = path.split(separator: "/", omittingEmptySubsequences: false)
                .map { $0 == "{\(name)}" ? value : String($0) }.joined(separator: "/")
        }
        let acts = operation.isForConsumer && !(query ?? "").hasPrefix("consumer=")
        let project = operation.id == "sendSelfCheckNotification" ? "project_id=acme" : nil
        let search = operation.id == "search" && query?.hasPrefix("q=") != true ? "q=u-1" : nil
        let parts = [acts ? "consumer=u-1" : nil, project, search, query].compactMap(\.self)
        return parts.isEmpty ? path : path + "?" + parts.joined(separator: "&")
    }

    /// Returns the caller that an operation allows.
    func credential(_ operation: Description.Operation) -> Credential {
        if operation.isBloomreach { return apiKey }
        return operation.isAdaptor ? (operation.isSecured ? backend : .none) : .admin
    }

    /// Returns the headers that an operation requires.
    func headers(_ operation: Description.Operation) throws -> HTTPFields {
        guard operation.id == "exchangeToken" else { return [:] }
        return [try #require(HTTPField.Name("X-SDK-Key-Name")): "acme"]
    }

    /// Returns a valid body of an operation.
    func body(_ operation: Description.Operation) throws -> JSON? {
        switch operation.id {
        case "putApp": try JSON(#"{"platform":"ios","apns":\#(API.apns)}"#)
        case "postReceipts":
            try JSON(
                """
                {"receipts":[{"messageId":"\(names["messageId"] ?? "")","deviceId":"d-1","state":"delivered",\
                "at":"2026-01-02T03:04:05Z"}]}
                """
            )
        case "exchangeToken":
            try JSON(#"{"token":"\#(api.token(api.claims(#","identifier":"u-1""#)))","device_id":"d-1"}"#)
        case "createBrand": try JSON(#"{"id":"new","name":"New","settings":{"retentionDays":90}}"#)
        case "updateBrand": try JSON(#"{"name":"New","settings":{"retentionDays":90}}"#)
        case "registerDevice": try JSON(#"{"token":"aabbccdd","pushType":"apns"}"#)
        default: operation.example
        }
    }
}

extension JSON {
    /// The value as JSON text.
    var text: String {
        switch self {
        case .null: return "null"
        case .bool(let value): return value ? "true" : "false"
        case .number(let value):
            return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
        case .string(let text): return Self.quoted(text)
        case .array(let items): return "[" + items.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            let parts = members.keys.sorted().map { "\(Self.quoted($0)):\(members[$0]?.text ?? "null")" }
            return "{" + parts.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\"", "\\": "\\" + String(scalar)
            case _ where scalar.value < 0x20: "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }
}
