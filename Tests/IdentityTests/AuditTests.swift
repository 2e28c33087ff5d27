import GatewayModel
import GatewayStorage
import TestSupport
import Testing

@testable import Identity

@Suite("The audit trail names who changed what", .timeLimit(.minutes(10)))
struct AuditTests {
    private static let origin = AuditOrigin(actor: AuditActor(kind: .serviceAccount, id: "sa_x"), requestID: "r-1")

    @Test("each change names the members that it changed, and no value")
    func changes() async throws {
        try await Gateway.with { gateway in
            let directory = gateway.directory
            let (brand, app) = (BrandID(trusted: "new"), AppID(trusted: "ios"))
            var settings = BrandSettings()
            settings.retentionDays = 7
            let made = Brand(id: brand, name: "New", settings: settings, createdAt: gateway.clock.now)
            try await directory.createBrand(made, by: Self.origin)
            _ = try await directory.updateBrand(brand, by: Self.origin) { brand throws(DirectoryError) in
                brand.settings.preview = .sender
                brand.settings.retentionDays = 30
            }
            var shop = AppSettings(platform: .ios, apns: Gateway.apns)
            _ = try await directory.putApp(brand: brand, app: app, settings: shop, by: Self.origin)
            var other = Gateway.apns
            other.authentication = .token(
                APNsTokenSettings(teamId: "TEAM123456", keyId: "KEY1234567", privateKey: "ANOTHER-PEM")
            )
            shop.apns = other
            shop.dialect = .ujet
            _ = try await directory.putApp(brand: brand, app: app, settings: shop, by: Self.origin)
            let secret = "imported-secret-of-more-than-thirty-two-bytes"
            let request = CredentialRequest.sdkKey(algorithm: .hs256, secret: secret, app: app)
            let key = try await directory.issue(request, brand: brand, name: "k", by: Self.origin)
            try await directory.revokeCredential(brand: brand, id: key.summary.id, by: Self.origin)
            try await directory.audit(.appSelfChecked, brand: brand, target: "ios", by: Self.origin)
            try await directory.deleteApp(brand: brand, app: app, by: Self.origin)
            try await directory.deleteBrand(brand, by: Self.origin)
            let query = AuditQuery(brand: nil, limit: 100)
            let trail = try await gateway.store.audit(query).map(\.entry).filter { $0.brand == brand }.reversed()
            #expect(trail.allSatisfy { $0.actor == Self.origin.actor && $0.requestID == "r-1" })
            let reported = trail.map { "\($0.action.rawValue) \($0.target) \($0.changes.joined(separator: ","))" }
            let appMembers =
                "apns.keyId,apns.privateKey,apns.sandboxKey.keyId,apns.sandboxKey.privateKey,apns.teamId,apns.topic,endpointsBy,"
                + "platform"
            #expect(
                reported == [
                    "brand.created new name,settings.retentionDays",
                    "brand.changed new settings.preview,settings.retentionDays", "app.created ios \(appMembers)",
                    "app.changed ios apns.privateKey,apns.sandboxKey.keyId,apns.sandboxKey.privateKey,dialect",
                    "credential.issued \(key.summary.id) algorithm,app,kind,singleUse",
                    "credential.revoked \(key.summary.id) ", "app.self_checked ios ", "app.deleted ios ",
                    "brand.deleted new ",
                ]
            )
            let text = "\(trail)"
            for value in ["PEM", secret, "TEAM123456", "sender"] { #expect(!text.contains(value)) }
        }
    }

    @Test("a change that its condition rejects is neither made nor recorded")
    func conditions() async throws {
        try await Gateway.with { gateway in
            let directory = gateway.directory
            let before = try await gateway.store.audit(AuditQuery(brand: nil, limit: 100))
            await #expect(throws: DirectoryError.changed) {
                try await directory.updateBrand(Gateway.acme) { brand throws(DirectoryError) in
                    brand.name = "lost"
                    throw .changed
                }
            }
            let settings = AppSettings(platform: .ios, apns: Gateway.apns)
            await #expect(throws: DirectoryError.changed) {
                try await directory.putApp(brand: Gateway.acme, app: AppID(trusted: "a"), settings: settings) {
                    old,
                    _ throws(DirectoryError) in
                    #expect(old == nil)
                    throw .changed
                }
            }
            #expect(directory.brand(Gateway.acme)?.name == "acme")
            #expect(directory.apps(brand: Gateway.acme).isEmpty)
            #expect(try await gateway.store.audit(AuditQuery(brand: nil, limit: 100)) == before)
        }
    }
}
