/// A brand (tenant) as stored.
package struct Brand: Sendable, Equatable {
    /// Its id.
    package var id: BrandID
    /// Its name as consumers see it.
    package var name: String
    /// Its settings.
    package var settings: BrandSettings
    /// The creation time.
    package var createdAt: Timestamp
    /// The webhook for its outbound items, if it has one.
    package var webhook: WebhookSettings?

    /// Creates a brand.
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
