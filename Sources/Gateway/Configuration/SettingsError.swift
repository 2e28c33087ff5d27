/// An error in the configuration; the text names the key, the value and what is allowed.
package enum SettingsError: Error, Equatable, CustomStringConvertible {
    /// The setting does not allow this value.
    case wrong(key: String, environmentName: String, value: String, allowed: String)
    /// The file holds keys that are not settings; each with the most similar setting.
    case unknownKeys(path: String, [UnknownName])
    /// The file cannot be read or is not YAML.
    case file(path: String, detail: String)

    /// A name that is not a setting.
    package struct UnknownName: Equatable, Sendable {
        /// The unknown name.
        package var name: String
        /// The most similar setting, if there is one.
        package var nearest: String?
    }

    /// A message for operators.
    package var description: String {
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
