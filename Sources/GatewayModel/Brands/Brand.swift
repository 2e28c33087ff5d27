/// A brand (tenant) as it is stored.
package struct Brand: Sendable, Equatable {
    /// Its id.
    package var id: BrandID
    /// Its name as consumers see it.
    package var name: String
    /// Its settings.
    package var settings: BrandSettings
    /// When it was made.
    package var createdAt: Timestamp
    /// Where its outbound items are posted to, if anywhere.
    package var webhook: WebhookSettings?

    /// Takes the facts of a brand.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - name: Its name as consumers see it.
    ///   - settings: Its settings.
    ///   - createdAt: When it was made.
    ///   - webhook: Where its outbound items are posted to.
    package init(
        id: BrandID,
        name: String,
        settings: BrandSettings,
        createdAt: Timestamp,
        webhook: WebhookSettings? = nil
    ) {
        self.id = id
        self.name = name
        self.settings = settings
        self.createdAt = createdAt
        self.webhook = webhook
    }
}
