/// A kind of pushes to which a consumer consents or not (R135); it encodes and decodes as its JSON.
package struct ConsentCategory: Codable, Equatable, Sendable {
    /// The texts for people in one language.
    package struct Translation: Codable, Equatable, Sendable {
        /// The name of the category.
        package var name: String
        /// The description.
        package var description: String?

        /// Creates texts.
        package init(name: String, description: String? = nil) {
            self.name = name
            self.description = description
        }
    }

    /// The brand's id for it, unique among its categories.
    package var id: String
    /// Whether a consumer who has not decided counts as consenting; default false.
    package var legitimateInterest: Bool
    /// The texts, by language tag.
    package var translations: [String: Translation]

    /// The maximum of categories of a brand, and of translations of a category.
    package static let maxCount = 64
    /// The maximum length of a name, in bytes of UTF-8.
    package static let nameBytes = 256
    /// The maximum length of a description, in bytes of UTF-8.
    package static let descriptionBytes = 2048

    /// Creates a category.
    package init(id: String, legitimateInterest: Bool = false, translations: [String: Translation] = [:]) {
        self.id = id
        self.legitimateInterest = legitimateInterest
        self.translations = translations
    }
}

extension BrandSettings {
    /// Returns the category of an id, compared as bytes; nil when there is none.
    package func consentCategory(_ id: String) -> ConsentCategory? {
        consentCategories.first { $0.id.utf8.elementsEqual(id.utf8) }
    }
}
