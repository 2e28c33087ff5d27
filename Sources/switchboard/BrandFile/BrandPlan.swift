import GatewayClient
import TextFormats

/// The steps that make a brand as its file describes it, in an order in which any prefix is valid; a value without IO.
///
/// Hosts of links are given before apps use them and taken after no app does. Every step is found by comparison, so
/// that after an interrupted application the rest is planned again.
struct BrandPlan: Equatable {
    /// The steps.
    private(set) var steps: [BrandStep] = []
    /// The steps that only pruning would add: what the gateway has and the file does not.
    private(set) var kept: [BrandStep] = []
    /// Differences that no request can remove.
    private(set) var problems: [FileProblem] = []
    private let prunes: Bool

    /// Plans.
    ///
    /// - Parameters:
    ///   - wanted: The root of a file that was read.
    ///   - present: The brand as the gateway has it.
    ///   - prunes: Whether to delete apps and hooks, to revoke credentials, and to reset settings, that a section of the
    ///     file does not have.
    init(wanted: JSONValue, present: BrandState, prunes: Bool) {
        self.prunes = prunes
        let last = planBrand(wanted["brand"], present)
        planApps(wanted["apps"].members, present)
        planCredentials(wanted["credentials"].items, present)
        planHooks(wanted["hooks"].members, present)
        let id = wanted["brand"]["id"].plain
        if case .array = wanted["credentials"] { removeCredentials(wanted["credentials"].items, present) }
        if case .object(let apps) = wanted["apps"] {
            for app in present.apps.keys.sorted() where apps[app] == nil {
                remove(BrandStep(action: .delete, kind: .app, name: app))
            }
        }
        if case .object(let hooks) = wanted["hooks"] {
            for hook in present.hooks.keys.sorted() where hooks[hook] == nil {
                remove(BrandStep(action: .delete, kind: .hook, name: hook))
            }
        }
        if !last.isEmpty { steps.append(Self.change(of: id, ["linkHosts": last.last?.to ?? .null], last)) }
    }

    private mutating func remove(_ step: BrandStep) {
        if prunes { steps.append(step) } else { kept.append(step) }
    }

    // MARK: Brand

    private static func change(
        of id: String,
        _ settings: [String: JSONValue],
        _ differences: [FileDifference],
        name: JSONValue = .null
    ) -> BrandStep {
        var body: [String: JSONValue] = [:]
        if !settings.isEmpty { body["settings"] = .object(settings) }
        if name != .null { body["name"] = name }
        return BrandStep(
            action: .change,
            kind: .brand,
            name: id,
            path: ["brand"],
            body: .object(body),
            differences: differences
        )
    }

    /// Plans the brand; returns the difference of `linkHosts` that is left for the end.
    private mutating func planBrand(_ wanted: JSONValue, _ present: BrandState) -> [FileDifference] {
        let id = wanted["id"].plain
        guard let brand = present.brand else {
            var body = wanted.members
            if wanted["name"] == .null { body["name"] = .string(id) }
            let differences = FileDifference.list(from: .null, to: .object(body))
            steps.append(
                BrandStep(
                    action: .create,
                    kind: .brand,
                    name: id,
                    path: ["brand"],
                    body: .object(body),
                    differences: differences
                )
            )
            return []
        }
        let old = BrandState.comparable(brand["settings"])
        let names = wanted["name"] == .null ? [] : FileDifference.list(from: brand["name"], to: wanted["name"], "name")
        var (settings, differences) = ([String: JSONValue](), names)
        var last: [FileDifference] = []
        for (member, value) in wanted["settings"].members.sorted(by: { $0.key < $1.key }) {
            let (body, found) = Self.setting(member, value, old[member])
            if member == "linkHosts", let hosts = found.first {
                // First all of both, since apps may still use the old ones.
                let both = hosts.from.items + hosts.to.items.filter { !hosts.from.items.contains($0) }
                last = FileDifference.list(from: .array(both), to: hosts.to, hosts.member)
                let first = FileDifference.list(from: hosts.from, to: .array(both), hosts.member)
                if !first.isEmpty { settings[member] = .array(both) }
                differences += first
            } else if !found.isEmpty {
                settings[member] = body
                differences += found
            }
        }
        let unnamed = unnamedSettings(wanted["settings"], old)
        if prunes {
            for difference in unnamed {
                // The second part of a name such as `settings.quietHours.from` is the setting.
                let name = String(difference.member.split(separator: ".")[1])
                guard name != "linkHosts" else {
                    last.append(difference)
                    continue
                }
                settings[name] = .null
                differences.append(difference)
            }
        } else if !unnamed.isEmpty {
            kept.append(Self.change(of: id, [:], unnamed))
        }
        if !differences.isEmpty {
            steps.append(Self.change(of: id, settings, differences, name: names.isEmpty ? .null : wanted["name"]))
        }
        return last
    }

    /// Returns the body of a setting, and its differences.
    private static func setting(
        _ member: String,
        _ value: JSONValue,
        _ present: JSONValue
    ) -> (body: JSONValue, differences: [FileDifference]) {
        var (present, wanted) = (present, value == .null ? BrandState.defaults[member] ?? .null : value)
        var body = value
        switch member {
        case "linkHosts": wanted = .array(wanted.items.map(\.lowercased))
        case "quietHours" where wanted != .null:
            let usual: [String: JSONValue] = ["mode": "held"]
            wanted = .object(usual.merging(wanted.compact.members) { $1 })
        case "wire":
            let off = (BrandState.defaults[member] ?? .null).members
            wanted = .object(off.merging(wanted.compact.members) { $1 })
            body = wanted
        case "webhook" where wanted != .null:
            var (parts, known) = (wanted.compact.members, present.members)
            // Without a secret in the file the present one stays, and only a changed one is put.
            if parts["secret"] == nil { known["secret"] = nil }
            present = .object(known)
            wanted = .object(parts)
            if parts["secret"] == known["secret"] { parts["secret"] = nil }
            // Absent types are all types.
            if parts["types"] == nil { parts["types"] = JSONValue.null }
            body = .object(parts)
        default: break
        }
        return (body, FileDifference.list(from: present, to: wanted, "settings." + member))
    }

    /// Returns the settings that the file does not name and that differ from their defaults.
    private func unnamedSettings(_ wanted: JSONValue, _ present: JSONValue) -> [FileDifference] {
        guard case .object(let named) = wanted else { return [] }
        return present.members.keys.sorted().filter { named[$0] == nil }.flatMap { member in
            FileDifference.list(
                from: present[member],
                to: BrandState.defaults[member] ?? .null,
                "settings." + member
            )
        }
    }

    // MARK: Apps

    private mutating func planApps(_ apps: [String: JSONValue], _ present: BrandState) {
        for (id, app) in apps.sorted(by: { $0.key < $1.key }) {
            var old = present.apps[id].map(BrandState.comparable(_:))?.members
            old?["id"] = nil
            let differences = FileDifference.list(from: .object(old ?? [:]), to: Self.normal(app))
            guard old == nil || !differences.isEmpty else { continue }
            steps.append(
                BrandStep(
                    action: old == nil ? .create : .change,
                    kind: .app,
                    name: id,
                    path: ["apps", id],
                    body: app,
                    differences: differences
                )
            )
        }
    }

    /// Returns an app as the gateway returns it after a `PUT`.
    private static func normal(_ app: JSONValue) -> JSONValue {
        var all = app.members
        var apns = app["apns"].members
        // The password is not stored.
        apns["password"] = nil
        if apns["wakeOnRead"] == .bool(false) { apns["wakeOnRead"] = nil }
        all["apns"] = .object(apns)
        var links = app["links"].members
        links["host"] = app["links"]["host"].lowercased
        var android = app["links"]["android"].members
        if let prints = android["sha256CertFingerprints"] {
            android["sha256CertFingerprints"] = .array(prints.items.map { .string($0.plain.uppercased()) })
        }
        links["android"] = .object(android)
        all["links"] = .object(links)
        return .object(all)
    }

    // MARK: Hooks

    private mutating func planHooks(_ hooks: [String: JSONValue], _ present: BrandState) {
        for (id, hook) in hooks.sorted(by: { $0.key < $1.key }) {
            let old = present.hooks[id].map(BrandState.comparable(hook:))
            var new = hook.members
            if new["pathSecret"] == .bool(false) { new["pathSecret"] = nil }
            let differences = FileDifference.list(from: old ?? .null, to: .object(new))
            guard old == nil || !differences.isEmpty else { continue }
            steps.append(
                BrandStep(
                    action: old == nil ? .create : .change,
                    kind: .hook,
                    name: id,
                    path: ["hooks", id],
                    body: hook,
                    differences: differences
                )
            )
        }
    }

    // MARK: Credentials

    private mutating func planCredentials(_ credentials: [JSONValue], _ present: BrandState) {
        for (index, credential) in credentials.enumerated() {
            let namesakes = present.credentials.filter { Self.hasSameName($0, credential) }
            guard !namesakes.contains(where: { Self.fits($0, credential) }) else { continue }
            let (kind, path) = (credential["kind"].plain, ["credentials", String(index)])
            if let old = namesakes.first, kind == "sdkKey" {
                let detail =
                    "differs from \(old["id"].plain), and names of SDK keys are unique: give the new one another name"
                problems.append(FileProblem(path: path, detail: detail))
                continue
            }
            steps.append(
                BrandStep(
                    action: .create,
                    kind: .credential,
                    name: Self.title(credential),
                    path: path,
                    body: credential,
                    differences: FileDifference.list(from: .null, to: credential)
                )
            )
        }
    }

    private mutating func removeCredentials(_ credentials: [JSONValue], _ present: BrandState) {
        for old in present.credentials {
            let isWanted = credentials.contains { Self.hasSameName(old, $0) && Self.fits(old, $0) }
            guard !isWanted else { continue }
            remove(BrandStep(action: .delete, kind: .credential, name: Self.title(old), id: old["id"].plain))
        }
    }

    private static func title(_ credential: JSONValue) -> String {
        "\(credential["kind"].plain) \(credential["name"].plain)"
    }

    private static func hasSameName(_ first: JSONValue, _ second: JSONValue) -> Bool {
        first["kind"] == second["kind"] && first["name"] == second["name"]
    }

    /// Whether a credential has what the file names; the gateway shows nothing of its secret.
    private static func fits(_ present: JSONValue, _ wanted: JSONValue) -> Bool {
        var old = BrandState.comparable(present).members
        // Of a private key the gateway shows the public half.
        old["privateKey"] = old["publicKey"]
        return wanted.compact.members.allSatisfy { name, value in
            switch name {
            case "secret", "clientSecret": return true
            case "scopes": return Set(value.items.map(\.plain)) == Set((old[name] ?? .null).items.map(\.plain))
            case "expiresAt":
                let moments = [value, old[name] ?? .null].map { RFC3339.milliseconds(of: $0.plain) }
                return moments[0] != nil && moments[0] == moments[1]
            case "decision": return (old[name] ?? .null)["url"] == value["url"]
            case "singleUse", "backend": return (old[name] ?? .bool(false)) == value
            default: return old[name] == value
            }
        }
    }
}

extension JSONValue {
    /// A text in lower case; other values unchanged.
    fileprivate var lowercased: JSONValue { string.map { JSONValue.string($0.lowercased()) } ?? self }
}
