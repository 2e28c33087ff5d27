import Configuration

/// Reads settings from swift-configuration with errors that name key, value and range; an empty value counts as unset.
struct SettingsReader {
    /// The providers in their order: flags, environment, file.
    let config: ConfigReader

    /// Reads a text; nil when it is unset or empty; throws ``SettingsError`` when it is a list.
    func text(_ key: SettingKey) async throws -> String? {
        let text: String?
        do {
            text = try await config.fetchString(forKey: ConfigKey(key.rawValue))
        } catch {
            throw wrong(key, "a list", "one value")
        }
        guard let text, !text.isEmpty else { return nil }
        return text
    }

    /// Reads a whole number; throws ``SettingsError``.
    func integer<Number: FixedWidthInteger>(
        _ key: SettingKey,
        in range: ClosedRange<Number>,
        default fallback: Number
    ) async throws -> Number {
        guard let text = try await text(key) else { return fallback }
        guard let number = Number(text), range.contains(number) else {
            throw wrong(key, text, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Reads whole numbers, at least one: a YAML list, or text with commas; throws ``SettingsError``.
    func integers<Number: FixedWidthInteger>(
        _ key: SettingKey,
        in range: ClosedRange<Number>,
        maxCount: Int,
        default fallback: [Number]
    ) async throws -> [Number] {
        guard let text = try await list(key) else { return fallback }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Number($0.trimmingBlanks) }.filter(range.contains)
        guard numbers.count == parts.count, numbers.count <= maxCount else {
            throw wrong(
                key,
                text,
                "1 to \(maxCount) whole numbers from \(range.lowerBound) to \(range.upperBound), separated by commas"
            )
        }
        return numbers
    }

    /// Reads a YAML list, or text with commas, as items separated by commas; nil when it is unset or empty; throws an
    /// error when it is neither.
    func list(_ key: SettingKey) async throws -> String? {
        let name = ConfigKey(key.rawValue)
        let text: String?
        do {
            text = try await config.fetchString(forKey: name)
        } catch {
            // A YAML list cannot be read as text.
            text = try await config.fetchStringArray(forKey: name)?.joined(separator: ",")
        }
        guard let text, !text.isEmpty else { return nil }
        return text
    }

    /// Reads one word of a closed set; throws ``SettingsError``.
    func word<Word: RawRepresentable<String> & CaseIterable>(
        _ key: SettingKey,
        of words: Word.Type,
        default fallback: Word
    ) async throws -> Word {
        guard let text = try await text(key) else { return fallback }
        guard let word = Word(rawValue: text) else {
            throw wrong(key, text, "one of " + words.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return word
    }

    /// Reads `true` or `false`; throws ``SettingsError``.
    func flag(_ key: SettingKey, default fallback: Bool) async throws -> Bool {
        try await word(key, of: Flag.self, default: fallback ? .on : .off) == .on
    }

    private enum Flag: String, CaseIterable {
        case on = "true"
        case off = "false"
    }

    /// Reads an address to listen on; nil when it is unset; throws ``SettingsError``.
    func address(_ key: SettingKey) async throws -> ListenAddress? {
        guard let text = try await text(key) else { return nil }
        guard let address = ListenAddress(text) else {
            throw wrong(key, text, "HOST:PORT with a port from 0 to 65535, IPv6 in brackets")
        }
        return address
    }

    /// Makes an error about one setting.
    func wrong(_ key: SettingKey, _ value: String, _ allowed: String) -> SettingsError {
        .wrong(key: key.rawValue, environmentName: key.environmentName, value: value, allowed: allowed)
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        drop { $0 == " " }.prefix { $0 != " " }
    }
}
