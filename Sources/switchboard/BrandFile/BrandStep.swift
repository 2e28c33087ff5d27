import GatewayClient

/// One request that makes a brand as its file describes it.
struct BrandStep: Equatable {
    /// The effect of the request.
    enum Action: String {
        /// Creates it.
        case create
        /// Changes or replaces it.
        case change
        /// Deletes or revokes it.
        case delete
    }

    /// The kind of resource.
    enum Kind: String {
        /// The brand itself.
        case brand
        /// An app.
        case app
        /// A credential.
        case credential
        /// A helpdesk's webhook.
        case hook
    }

    /// The effect.
    var action: Action
    /// The kind of resource.
    var kind: Kind
    /// The id of the brand, app or hook; of a credential its kind and name.
    var name: String
    /// The id of a credential that exists.
    var id: String?
    /// The place of the body in the file.
    var path: [String] = []
    /// The body, with fingerprints in place of secrets.
    var body = JSONValue.null
    /// The members that differ.
    var differences: [FileDifference] = []

    /// The resource in words.
    var subject: String { "\(kind.rawValue) \(name)" + (id.map { " (\($0))" } ?? "") }

    /// The step in lines: the resource, then the members.
    var lines: [String] {
        let sign =
            switch action {
            case .create: "+"
            case .change: "~"
            case .delete: "-"
            }
        return (["\(sign) \(subject)"] + differences.map { "    " + $0.text }).map(TextTable.printable)
    }

    /// The step as JSON.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "action": .string(action.rawValue), "kind": .string(kind.rawValue), "name": .string(name),
            "members": .array(differences.map(\.json)),
        ]
        if let id { members["id"] = .string(id) }
        return .object(members)
    }

    /// Whether the response has a generated secret, which is shown only once.
    var returnsSecret: Bool {
        switch (kind, action) {
        case (.credential, .create):
            let isGenerated = ["serviceAccount", "apiKey", "tokenBroker"].contains(body["kind"].plain)
            let isImportable = ["sdkKey", "customerTokenKey"].contains(body["kind"].plain)
            return isGenerated || isImportable && body["secret"] == .null
        case (.brand, .create), (.brand, .change):
            let isNew = differences.contains { $0.member == "settings.webhook.url" && $0.from == .null }
            return isNew && body["settings"]["webhook"]["secret"] == .null
        // A path's secret that the hook has already stays.
        case (.hook, .create), (.hook, .change):
            return differences.contains { $0.member == "pathSecret" && $0.to == .bool(true) }
        default: return false
        }
    }
}
