internal import GatewayModel
internal import PushPayloads
internal import TextFormats

/// The setting `templates` in a body; it is replaced as a whole.
enum TemplateBody {
    /// The maximum number of locales of one kind.
    static let maxLocales = 64
    /// The maximum number of bytes of all templates of a brand: every response with the brand contains them.
    static let maxBytes = 65_536
    /// The maximum length of a language tag, in bytes (RFC 5646 section 4.4.1 requires no more).
    static let maxLocaleBytes = 35

    /// Reads the templates; records errors.
    static func templates(_ member: BodyMember, _ checks: inout FieldChecks) -> TemplateSettings? {
        guard let object = checks.object(member) else { return nil }
        var kinds: [TemplateSettings.Kind: [String: TemplateSettings.Words]] = [:]
        var bytes = 0
        for kind in TemplateSettings.Kind.allCases {
            guard let locales = checks.object(object[BoundedName(known: kind.rawValue)]) else { continue }
            if locales.names.count > maxLocales {
                checks.fail(locales.pointer, "must have at most \(maxLocales) locales")
                continue
            }
            var tags: Set<BoundedName> = []
            for locale in locales.names {
                guard let words = words(locales[locale], locale.text, &checks) else { continue }
                if !tags.insert(BoundedName(known: BrandTemplates.normalised(locale.text))).inserted {
                    checks.fail(locales[locale].pointer, "is a duplicate locale in another spelling")
                }
                bytes += (words.title?.utf8.count ?? 0) + (words.body?.utf8.count ?? 0)
                kinds[kind, default: [:]][locale.text] = words
            }
        }
        if bytes > maxBytes { checks.fail(object.pointer, "must have at most \(maxBytes) bytes of templates") }
        checks.rejectOthers(in: object, than: TemplateSettings.Kind.allCases.map { BoundedName(known: $0.rawValue) })
        return TemplateSettings(kinds: kinds)
    }

    private static func words(
        _ member: BodyMember,
        _ locale: String,
        _ checks: inout FieldChecks
    ) -> TemplateSettings.Words? {
        guard isLocale(locale) else {
            checks.fail(member.pointer, "is not a language tag such as de or pt-BR, nor \(TemplateSettings.anyLocale)")
            return nil
        }
        guard let object = checks.object(member, isRequired: true) else { return nil }
        checks.rejectOthers(in: object, than: ["title", "body"])
        let words = TemplateSettings.Words(
            title: template(object["title"], &checks),
            body: template(object["body"], &checks)
        )
        if object["title"].isEmpty, object["body"].isEmpty {
            checks.fail(object.pointer, "must have a title or a body")
        }
        return words
    }

    private static func template(_ member: BodyMember, _ checks: inout FieldChecks) -> String? {
        guard let text = checks.content(member, atMost: WordTemplate.maxBytes) else { return nil }
        do { _ = try WordTemplate(text) } catch {
            checks.fail(member.pointer, error.detail)
            return nil
        }
        return text
    }

    private static func isLocale(_ tag: String) -> Bool {
        guard (1...maxLocaleBytes).contains(tag.utf8.count) else { return false }
        let parts = tag.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        return parts.allSatisfy { part in
            !part.isEmpty && part.utf8.count <= 8
                && part.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 >= 0x30 && $0 <= 0x39 }
        }
    }
}
