import GatewayModel
import TextFormats

/// A brand's templates, parsed, by kind and locale.
package struct BrandTemplates: Sendable {
    private struct Words: Sendable {
        var title: WordTemplate?
        var body: WordTemplate?
    }

    /// The templates by kind, and by language tag in the form of ``normalised(_:)``.
    private let kinds: [TemplateSettings.Kind: [BoundedName: Words]]

    /// The most bytes of a title from a template; a longer one is truncated.
    static let maxTitleBytes = 512
    /// The most bytes of a text from a template, and of each value in it: more than any provider accepts, so a text
    /// that is truncated here is truncated again and marked by ``TextFitting``.
    static let maxTextBytes = 8192

    /// Parses templates; nil when there are none.
    ///
    /// A template that cannot be parsed was rejected when the brand was set; it is skipped.
    init?(_ settings: TemplateSettings?) {
        guard let settings, !settings.kinds.isEmpty else { return nil }
        kinds = settings.kinds.mapValues { locales in
            var parsed: [BoundedName: Words] = [:]
            for (locale, words) in locales {
                guard let tag = BoundedName(Self.normalised(locale)) else { continue }
                parsed[tag] = Words(
                    title: words.title.flatMap { try? WordTemplate($0) },
                    body: words.body.flatMap { try? WordTemplate($0) }
                )
            }
            return parsed
        }
    }

    /// Returns title and text of a notification; nil if the brand has no template for it, or if it renders to nothing.
    func words(
        _ kind: TemplateSettings.Kind,
        locale: String?,
        values: @escaping (WordTemplate.Name) -> String?
    ) -> (title: String?, text: String?) {
        guard let locales = kinds[kind] else { return (nil, nil) }
        let bounded = { (name: WordTemplate.Name) in values(name).map { $0.prefix(bytes: Self.maxTextBytes) } }
        func render(_ part: (Words) -> WordTemplate?, atMost limit: Int) -> String? {
            for tag in Self.tags(locale) {
                guard let template = locales[tag].flatMap(part) else { continue }
                let text = template.render(bounded).prefix(bytes: limit)
                return text.allSatisfy(\.isWhitespace) ? nil : text
            }
            return nil
        }
        return (render(\.title, atMost: Self.maxTitleBytes), render(\.body, atMost: Self.maxTextBytes))
    }

    /// Returns the language tags to search for a locale: for `zh_Hant-TW` zh-hant-tw, zh-hant, zh, then the template
    /// for every locale.
    private static func tags(_ locale: String?) -> [BoundedName] {
        var tags: [BoundedName] = []
        var tag = normalised(locale ?? "").utf8[...]
        while !tag.isEmpty {
            if let name = BoundedName(Substring(tag)) { tags.append(name) }
            tag = tag.lastIndex(of: UInt8(ascii: "-")).map { tag[..<$0] } ?? tag[tag.endIndex...]
        }
        return tags + [BoundedName(known: TemplateSettings.anyLocale)]
    }

    /// Returns the normalized form of a language tag; equal tags may differ in case and in the separator of their
    /// parts.
    ///
    /// - Returns: The tag in lower case with `-` between its parts.
    package static func normalised(_ locale: String) -> String {
        String(
            decoding: locale.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0.asciiLowercased },
            as: UTF8.self
        )
    }
}

extension String {
    /// Returns the longest prefix of whole characters within that many bytes.
    fileprivate func prefix(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var used = 0
        return String(
            prefix {
                used += $0.utf8.count
                return used <= limit
            }
        )
    }
}
