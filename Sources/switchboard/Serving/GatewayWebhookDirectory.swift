import GatewayModel
import Identity
import Outbound

/// Provides brands' webhooks to the webhook service.
struct GatewayWebhookDirectory: WebhookDirectory {
    let directory: Directory

    var brandsWithWebhook: [BrandID] { directory.brands.filter { $0.webhook != nil }.map(\.id) }

    func target(of brand: BrandID) -> WebhookTarget? {
        guard let brand = directory.brand(brand), let webhook = brand.webhook else { return nil }
        return WebhookTarget(
            brand: brand.id,
            brandCreatedAt: brand.createdAt,
            url: webhook.url,
            types: webhook.types.map(Set.init),
            keys: directory.webhookKeys(brand: brand.id)
        )
    }
}
