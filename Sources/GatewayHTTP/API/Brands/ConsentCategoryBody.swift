internal import GatewayModel
internal import TextFormats

/// The setting `consentCategories` in a body; it is replaced as a whole.
enum ConsentCategoryBody {
    /// Reads the categories; records errors.
    static func categories(_ checks: inout FieldChecks, _ member: BodyMember) -> [ConsentCategory]? {
        guard let items = checks.items(member, atMost: ConsentCategory.maxCount) else { return nil }
        var ids: Set<BoundedName> = []
        var categories: [ConsentCategory] = []
        for item in items {
            guard let object = checks.object(item, isRequired: true) else { continue }
            let id = checks.line(object["id"], atMost: ConsentCategory.nameBytes, isRequired: true)
            let isAssumed = checks.flag(object["legitimateInterest"]) ?? false
            let translations = translations(object["translations"], &checks)
            checks.rejectOthers(in: object, than: ["id", "legitimateInterest", "translations"])
            guard let id else { continue }
            if let name = BoundedName(id), !ids.insert(name).inserted {
                checks.fail(object["id"].pointer, "is the id of an earlier category")
            }
            categories.append(ConsentCategory(id: id, legitimateInterest: isAssumed, translations: translations))
        }
        return categories
    }

    private static func translations(
        _ member: BodyMember,
        _ checks: inout FieldChecks
    ) -> [String: ConsentCategory.Translation] {
        guard let object = checks.object(member) else { return [:] }
        let names = object.names
        guard names.count <= ConsentCategory.maxCount else {
            checks.fail(member.pointer, "must have at most \(ConsentCategory.maxCount) languages")
            return [:]
        }
        var translations: [String: ConsentCategory.Translation] = [:]
        for language in names {
            guard (1...TemplateBody.maxLocaleBytes).contains(language.text.utf8.count), language.text.isASCII else {
                checks.fail(object[language].pointer, "is not a language tag")
                continue
            }
            guard let texts = checks.object(object[language], isRequired: true) else { continue }
            let name = checks.line(texts["name"], atMost: ConsentCategory.nameBytes, isRequired: true)
            let description = checks.content(texts["description"], atMost: ConsentCategory.descriptionBytes)
            checks.rejectOthers(in: texts, than: ["name", "description"])
            if let name { translations[language.text] = .init(name: name, description: description) }
        }
        return translations
    }
}
