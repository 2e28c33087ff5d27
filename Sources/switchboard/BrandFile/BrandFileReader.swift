import Foundation
import Gateway
import GatewayClient
import GatewayModel
import Identity
import PushProviders
import TextFormats

/// Reads the value of a brand's file: checks the names of members and reads the files of secrets.
struct BrandFileReader {
    /// The directory of relative paths; empty for the working directory.
    let directory: String
    /// The errors so far.
    private(set) var problems: [FileProblem] = []
    /// The secrets, and public keys, by their paths.
    private(set) var secrets: [[String]: String] = [:]

    /// Reads a value and records errors.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - shape: The shape that it must have; null always fits.
    ///   - path: Its path in the file.
    ///   - siblings: The members of the object that it belongs to.
    /// - Returns: The value with `{"fingerprint"}` in place of secrets and public keys.
    mutating func read(
        _ value: JSONValue,
        _ shape: FileShape,
        _ path: [String],
        _ siblings: [String: JSONValue] = [:]
    ) -> JSONValue {
        guard value != .null || path.isEmpty else { return .null }
        switch shape {
        case .value: return value
        case .list(let shape):
            guard case .array(let items) = value else { return fail(path, "must be a list") }
            var all: [JSONValue] = []
            for item in items { all.append(read(item, shape, path + [String(all.count)])) }
            return .array(all)
        case .members(let known): return object(value, path, among: known.keys.sorted()) { known[$0] }
        case .named(let shape): return object(value, path, among: []) { _ in shape }
        case .secret(let secret): return file(value, secret, path, siblings)
        case .publicKey:
            guard value.string == nil else { return keep(value.plain, .privateKey, path, siblings) }
            return file(value, .privateKey, path, siblings, isSecret: false)
        case .serviceAccount:
            guard let file = value["file"].string, value.members.count == 1 else {
                return read(value, .members(FileShape.serviceAccountMembers), path)
            }
            return serviceAccount(file, path)
        }
    }

    private mutating func object(
        _ value: JSONValue,
        _ path: [String],
        among known: [String],
        _ shape: (String) -> FileShape?
    ) -> JSONValue {
        guard case .object(let members) = value else { return fail(path, "must be an object") }
        var all: [String: JSONValue] = [:]
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            let path = path + [name]
            if let shape = shape(name) {
                all[name] = read(member, shape, path, members)
            } else {
                all[name] = fail(path, Self.unknown(path, known))
            }
        }
        return .object(all)
    }

    /// Checks what other members are found by: the brand's id, and kind and name of each credential.
    mutating func checkNames(_ root: JSONValue) {
        guard problems.isEmpty else { return }
        if root["brand"]["id"].string?.isEmpty != false { _ = fail(["brand", "id"], "is required, as a text") }
        var known: Set<[String]> = []
        for (index, credential) in root["credentials"].items.enumerated() {
            let path = ["credentials", String(index)]
            guard let kind = credential["kind"].string, let name = credential["name"].string else {
                _ = fail(path, "must have a kind and a name")
                continue
            }
            if !known.insert([kind, name]).inserted { _ = fail(path, "has the kind and the name of an earlier one") }
        }
    }

    private mutating func fail(_ path: [String], _ detail: String) -> JSONValue {
        problems.append(FileProblem(path: path, detail: detail))
        return .null
    }

    private static func unknown(_ path: [String], _ known: [String]) -> String {
        let nearest = NearestName.nearest(to: path.last ?? "", among: known)
        return "is unknown" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }

    // MARK: Secrets

    private func resolved(_ file: String) -> String {
        file.hasPrefix("/") || directory.isEmpty ? file : directory + "/" + file
    }

    private mutating func file(
        _ value: JSONValue,
        _ secret: FileShape.Secret,
        _ path: [String],
        _ siblings: [String: JSONValue],
        isSecret: Bool = true
    ) -> JSONValue {
        let (file, fingerprint) = (value["file"], value["fingerprint"])
        guard !value.members.isEmpty, Set(value.members.keys).isSubset(of: ["file", "fingerprint"]),
            file == .null || file.string != nil, fingerprint == .null || fingerprint.string != nil
        else {
            let reason = isSecret ? ": secrets do not belong in this file" : " or a text"
            return fail(path, "must be {file: PATH}" + reason)
        }
        guard let name = file.string else { return ["fingerprint": fingerprint] }
        do {
            let data = try SecretFile.read(resolved(name), isSecret: isSecret)
            guard let text = Self.text(data, secret) else { return fail(path, "\(name) is not a text") }
            return keep(text, secret, path, siblings)
        } catch {
            // An export names files that need not exist as long as nothing has to be put.
            if error == .missing, fingerprint != .null { return ["fingerprint": fingerprint] }
            return fail(path, "\(name) \(error.text)")
        }
    }

    private static func text(_ data: Data, _ secret: FileShape.Secret) -> String? {
        let text = String(data: data, encoding: .utf8)
        switch secret {
        case .text, .token: return text.map { $0.last?.isNewline == true ? String($0.dropLast()) : $0 }
        case .key, .privateKey: return text
        case .certificate:
            return text.flatMap { $0.contains("-----BEGIN ") ? $0 : nil } ?? StrictBase64.encode(data, .standard)
        }
    }

    /// Records a secret's text and returns its fingerprint as the gateway computes it.
    private mutating func keep(
        _ text: String,
        _ secret: FileShape.Secret,
        _ path: [String],
        _ siblings: [String: JSONValue]
    ) -> JSONValue {
        secrets[path] = text
        switch secret {
        case .text, .key: return ["fingerprint": .string(SecretHash.fingerprint(text))]
        case .token:
            let rule = siblings["pushType"]?.string.flatMap(PushType.init(rawValue:))?.transport.tokenRule
            return ["fingerprint": .string(SecretHash.fingerprint(rule?.normalised(text) ?? text))]
        case .certificate:
            let file = siblings["password"]?["file"].string
            let password = file.flatMap { try? SecretFile.read(resolved($0)) }.flatMap { Self.text($0, .text) }
            do {
                let settings = APNsCertificateSettings(certificate: text, password: password)
                return ["fingerprint": .string(try APNsCertificate(opening: settings).facts.fingerprint)]
            } catch { return fail(path, error.detail) }
        case .privateKey:
            do {
                guard let use = Self.use(of: siblings) else { return fail(path, "needs a kind and an algorithm") }
                return ["fingerprint": .string(try Self.publicFingerprint(text, use, path.last == "publicKey"))]
            } catch { return fail(path, error.text) }
        }
    }

    /// Returns the use of a credential's key; nil when its kind has none.
    private static func use(of credential: [String: JSONValue]) -> KeyUse? {
        let algorithm = credential["algorithm"]?.string ?? ""
        switch credential["kind"]?.string {
        case "tokenBroker": return KeyUse.signature(.es256)
        case "jweKey": return KeyEncryptionAlgorithm(rawValue: algorithm).map { KeyUse.encryption($0) }
        default: return SignatureAlgorithm(rawValue: algorithm).map { KeyUse.signature($0) }
        }
    }

    private static func publicFingerprint(
        _ pem: String,
        _ use: KeyUse,
        _ isPublic: Bool
    ) throws(KeyRejection) -> String {
        if isPublic { return try AsymmetricKey(publicPEM: pem, for: use).publicKey.publicKeyFingerprint }
        return try AsymmetricKey(privatePEM: pem, for: use).publicKey.publicKeyFingerprint
    }

    private mutating func serviceAccount(_ file: String, _ path: [String]) -> JSONValue {
        do {
            let data = try SecretFile.read(resolved(file))
            guard let account = try? JSONValue(parsing: data), let key = account["private_key"].string else {
                return fail(path, "\(file) is not Google's JSON file of a service account")
            }
            var members = account.members.filter { FileShape.serviceAccountMembers[$0.key] != nil }
            members["private_key"] = keep(key, .key, path + ["private_key"], [:])
            return .object(members)
        } catch {
            return fail(path, "\(file) \(error.text)")
        }
    }
}
