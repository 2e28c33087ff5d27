/// Why the configuration cannot be used; the text names the key, the value and what is allowed.
enum SettingsError: Error, Equatable, CustomStringConvertible {
    /// A value is not one that the setting takes.
    case wrong(key: String, environmentName: String, value: String, allowed: String)
    /// The file holds keys that are not settings; each with the setting that it is nearest to.
    case unknownKeys(path: String, [UnknownName])
    /// The file cannot be read or is not YAML.
    case file(path: String, detail: String)

    /// A name that is not a setting.
    struct UnknownName: Equatable {
        /// The name as it was written.
        var name: String
        /// The name that was probably meant.
        var nearest: String?
    }

    var description: String {
        switch self {
        case .wrong(let key, let environmentName, let value, let allowed):
            return "\(key) (\(environmentName)) is \"\(value)\", but must be \(allowed)"
        case .unknownKeys(let path, let names):
            let list = names.map { unknown in
                unknown.nearest.map { "\(unknown.name) (did you mean \($0)?)" } ?? unknown.name
            }
            return "\(path): not a setting: \(list.joined(separator: ", "))"
        case .file(let path, let detail):
            return "\(path): \(detail)"
        }
    }
}
