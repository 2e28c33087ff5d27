import Foundation
import GatewayClient
import GatewayModel

/// A brand as a gateway has it, read for a comparison with a file.
struct BrandState {
    /// The brand's response; nil when there is no such brand.
    var brand: JSONValue?
    /// The brand's entity tag.
    var brandTag: String?
    /// The responses of its apps by id.
    var apps: [String: JSONValue] = [:]
    /// The entity tags of the apps.
    var appTags: [String: String] = [:]
    /// The responses of its credentials.
    var credentials: [JSONValue] = []
    /// The responses of its hooks by id.
    var hooks: [String: JSONValue] = [:]
    /// The entity tags of the hooks.
    var hookTags: [String: String] = [:]

    /// The settings of a new brand.
    static let defaults: [String: JSONValue] = {
        let data = (try? JSONEncoder().encode(BrandSettings())) ?? Data()
        return ((try? JSONValue(parsing: data)) ?? .null).members
    }()

    /// Reads a brand by its id; empty when there is none.
    ///
    /// - Throws: ``CommandFailure``.
    static func read(_ id: String, _ client: APIClient) async throws -> BrandState {
        let path = ["v1", "brands", id]
        let response = try await client.exchange("GET", path)
        if response.status == 404, response.body["code"].string == "not_found" { return BrandState() }
        let brand = try client.checked(response)
        var state = BrandState(brand: brand.body, brandTag: brand.entityTag)
        (state.apps, state.appTags) = try await tagged(path + ["apps"], client)
        (state.hooks, state.hookTags) = try await tagged(path + ["hooks"], client)
        state.credentials = try await items(path + ["credentials"], client)
        return state
    }

    /// Reads everything of a list one by one, since only then it has an entity tag; throws ``CommandFailure``.
    private static func tagged(
        _ path: [String],
        _ client: APIClient
    ) async throws -> (values: [String: JSONValue], tags: [String: String]) {
        var (values, tags): ([String: JSONValue], [String: String]) = ([:], [:])
        for item in try await items(path, client) {
            let id = item["id"].plain
            let response = try await client.call("GET", path + [id])
            values[id] = response.body
            tags[id] = response.entityTag
        }
        return (values, tags)
    }

    /// Reads all pages of a list; throws ``CommandFailure``.
    static func items(_ path: [String], _ client: APIClient) async throws -> [JSONValue] {
        var items: [JSONValue] = []
        var cursor: String?
        repeat {
            let page = try await client.call("GET", path, query: [("limit", "500"), ("cursor", cursor)]).body
            items += page["items"].items
            cursor = page["nextCursor"].string
        } while cursor != nil
        return items
    }

    /// Returns a response in the form of a file that was read: `{"fingerprint"}` in place of secrets and public keys, and
    /// without what only the gateway determines.
    ///
    /// - Parameter response: A brand's settings, an app or a credential.
    /// - Returns: The value.
    static func comparable(_ response: JSONValue) -> JSONValue {
        guard case .object(let members) = response else { return response }
        var all = members.mapValues(comparable(_:))
        for name in ["endpointsBy", "updatedAt", "createdAt", "previousSecretUntil"] { all[name] = nil }
        if members["certificateFingerprint"] != nil {
            for name in ["commonName", "topics", "expiresAt"] { all[name] = nil }
        }
        for (name, value) in members {
            let suffix = name == "private_key_fingerprint" ? "_fingerprint" : "Fingerprint"
            guard name.hasSuffix(suffix) else { continue }
            all[name] = nil
            all[String(name.dropLast(suffix.count))] = ["fingerprint": value]
        }
        return .object(all)
    }

    /// Returns a hook in the form of a file that was read.
    static func comparable(hook: JSONValue) -> JSONValue {
        var members = hook.members
        // Names in a mapping are the brand's own.
        let mapping = members.removeValue(forKey: "mapping")
        var all = comparable(.object(members)).members.filter { FileShape.hook.names.contains($0.key) }
        if all["pathSecret"] == .bool(false) { all["pathSecret"] = nil }
        all["mapping"] = mapping
        return .object(all)
    }

    // MARK: Export

    /// The brand as the value of a file; secrets are files that do not exist yet, with their fingerprints.
    var exported: JSONValue {
        var shownApps: [String: JSONValue] = [:]
        for (id, app) in apps {
            var members = Self.comparable(app).members
            members["id"] = nil
            shownApps[id] = Self.withFiles(.object(members), id)
        }
        var newest: [[String]: JSONValue] = [:]
        // The newest of those that a rotation left side by side.
        for credential in credentials.sorted(by: { $0["createdAt"].plain < $1["createdAt"].plain }) {
            newest[[credential["kind"].plain, credential["name"].plain]] = Self.exported(credential)
        }
        var shownHooks: [String: JSONValue] = [:]
        for (id, hook) in hooks {
            var members = Self.comparable(hook: hook).members
            for name in ["secret", "reply"] {
                members[name] = members[name].map { Self.withFiles($0, "hook-\(id)-\(name)") }
            }
            shownHooks[id] = .object(members)
        }
        let shown = brand ?? .null
        let settings = Self.withFiles(Self.comparable(shown["settings"]), "settings")
        return [
            "brand": ["id": shown["id"], "name": shown["name"], "settings": settings], "apps": .object(shownApps),
            "credentials": .array(
                newest.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { $0.value }
            ), "hooks": .object(shownHooks),
        ]
    }

    private static func exported(_ credential: JSONValue) -> JSONValue {
        let isPublic = ["jwtIssuer", "identityProvider"].contains(credential["kind"].plain)
        return .object(
            credential.compact.members.filter { name, _ in
                FileShape.credential.names.contains(name) && (isPublic || name != "publicKey")
            }
        )
    }

    private static func withFiles(_ value: JSONValue, _ name: String) -> JSONValue {
        if value.isFingerprint { return ["file": .string("secrets/" + name), "fingerprint": value["fingerprint"]] }
        guard case .object(let members) = value.compact else { return value }
        var all: [String: JSONValue] = [:]
        for (member, value) in members { all[member] = withFiles(value, "\(name)-\(member)") }
        return .object(all)
    }
}
