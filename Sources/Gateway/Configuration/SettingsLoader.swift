import Configuration
import Foundation
import Synchronization

/// Merges flags, environment and file: flags > environment > file > default.
package struct SettingsLoader: Sendable {
    private let flags: [SettingKey: String]
    private let environment: [String: String]
    private let file: String?

    /// Creates a loader; it reads nothing yet, also not the YAML file at the path `file`, if one was named.
    package init(flags: [SettingKey: String] = [:], environment: [String: String], file: String? = nil) {
        self.flags = flags
        self.environment = environment
        self.file = file
    }

    /// Reads and checks all settings; throws ``SettingsError``.
    package func load() async throws -> GatewaySettings {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (key, value) in flags {
            values[AbsoluteConfigKey(ConfigKey(key.rawValue))] = ConfigValue(.string(value), isSecret: false)
        }
        var providers: [any ConfigProvider] = [
            InMemoryProvider(name: "flags", values: values),
            EnvironmentVariablesProvider(environmentVariables: environment)
                .prefixKeys(with: ConfigKey([SettingKey.environmentPrefix.lowercased()])),
        ]
        if let file, let provider = try await Self.provider(file: file) { providers.append(provider) }
        return try await GatewaySettings(config: ConfigReader(providers: providers))
    }

    /// Returns variables, sorted, with the prefix of settings that are none: a typing error, or a setting of another
    /// version.
    ///
    /// Those in `others`, which are read elsewhere, are not among them.
    package func unknownEnvironmentNames(besides others: Set<String>) -> [SettingsError.UnknownName] {
        let known = SettingKey.allCases.map(\.environmentName)
        return environment.keys
            .filter { $0.hasPrefix(SettingKey.environmentPrefix + "_") && !known.contains($0) }
            .filter { !others.contains($0) && !$0.hasPrefix("SWITCHBOARD_TEST_") }
            .sorted()
            .map { .init(name: $0, nearest: NearestName.nearest(to: $0, among: known)) }
    }

    private static func provider(file: String) async throws -> (any ConfigProvider)? {
        let text: String
        do {
            text = try String(contentsOfFile: file, encoding: .utf8)
        } catch {
            throw SettingsError.file(path: file, detail: "cannot be read: \(reason(error))")
        }
        // A file without any setting is not a YAML mapping, but it is valid.
        let isEmpty = text.split(separator: "\n").allSatisfy { line in
            let rest = line.drop { $0.isWhitespace }
            return rest.isEmpty || rest.hasPrefix("#") || rest == "---"
        }
        if isEmpty { return nil }
        // The parser asks for each key whether it is secret; this is how all keys of the file are collected.
        let seen = Mutex<[String]>([])
        let options = YAMLSnapshot.ParsingOptions(
            secretsSpecifier: .dynamic { key, _ in
                seen.withLock { $0.append(key) }
                return false
            }
        )
        let provider: FileProvider<YAMLSnapshot>
        do {
            let path = InMemoryProvider(values: ["filePath": ConfigValue(.string(file), isSecret: false)])
            provider = try await FileProvider(parsingOptions: options, config: ConfigReader(provider: path))
        } catch {
            throw SettingsError.file(path: file, detail: "not a YAML file of settings: \(error)")
        }
        let known = SettingKey.allCases.map(\.rawValue)
        let unknown = seen.withLock { $0 }.filter { !known.contains($0) }.sorted()
        guard unknown.isEmpty else {
            throw SettingsError.unknownKeys(
                path: file,
                unknown.map { .init(name: $0, nearest: NearestName.nearest(to: $0, among: known)) }
            )
        }
        return provider
    }

    /// Returns why a file cannot be read, with the system's text if it has one.
    static func reason(_ error: any Error) -> String {
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        if let underlying, underlying.domain == NSPOSIXErrorDomain {
            return String(cString: strerror(Int32(underlying.code)))
        }
        return (error as NSError).localizedDescription
    }
}
