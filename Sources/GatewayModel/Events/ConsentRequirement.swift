/// The consent without which a push is not sent.
package struct ConsentRequirement: Equatable, Sendable {
    /// The id of the category (``ConsentCategory``).
    package var category: String
    /// Whether a consumer who has not decided counts as consenting (``ConsentCategory/legitimateInterest``).
    package var isAssumed: Bool

    /// Creates a requirement.
    package init(category: String, isAssumed: Bool = false) {
        self.category = category
        self.isAssumed = isAssumed
    }
}
