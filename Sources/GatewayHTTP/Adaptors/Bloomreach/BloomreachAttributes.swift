internal import GatewayModel
internal import GatewayStorage
internal import Hummingbird
internal import Identity
internal import TextFormats

/// Attributes of customers as Bloomreach's SDK reads them (R134).
enum BloomreachAttributes {
    private static let maxCount = 100

    /// The kinds of attributes, of which the gateway has the first three.
    private enum Kind: String, CaseIterable {
        case property, id, consent
        case segmentation, expression, prediction, aggregate, recommendation
    }

    private struct Wanted {
        var kind: Kind
        var name: String
    }

    static func read(_ call: Call) async throws -> Response {
        let brand = try call.requireAPIKey()
        let body = try await call.object(ofAnyType: true)
        var checks = FieldChecks()
        let ids = checks.customerIDs(body["customer_ids"], isRequired: true)
        let items = checks.items(body["attributes"], atMost: maxCount, isRequired: true) ?? []
        let wanted = items.compactMap { Self.wanted($0, &checks) }
        let known = try checks.finish(ids)
        let customer = try await call.customer(known, nil, of: brand)
        let now = call.services.clock.now
        return ResponseFactory.object(.ok, capacity: 64 + wanted.count * 128) { writer in
            writer.member("success", true)
            writer.array("results", wanted) { writer, attribute in
                let value = Self.value(of: attribute, known, customer, brand, at: now)
                writer.literal("{")
                writer.member("success", value != nil)
                if let value {
                    writer.name(known: "value")
                    writer.raw(value.sortedText)
                } else {
                    writer.member("error", "The API key does not allow this, or the project does not have it.")
                }
                writer.literal("}")
            }
        }
    }

    private static func wanted(_ item: BodyMember, _ checks: inout FieldChecks) -> Wanted? {
        guard let object = checks.object(item, isRequired: true),
            let kind = checks.word(object["type"], as: Kind.self, isRequired: true)
        else { return nil }
        let name: BoundedName =
            switch kind {
            case .property: "property"
            case .consent: "category"
            case .id, .segmentation, .expression, .prediction, .aggregate, .recommendation: "id"
            }
        for other: BoundedName in ["property", "category", "id"] where other != name { _ = checks.text(object[other]) }
        return checks.text(object[name], isRequired: true).map { Wanted(kind: kind, name: $0) }
    }

    /// Returns the value of an attribute, null for an unknown one; nil when the holder of an API key may not read it.
    ///
    /// The key is in every app, so that it reads only what the brand allows, and ids that the request names.
    private static func value(
        of attribute: Wanted,
        _ ids: CustomerIDs,
        _ customer: Customer?,
        _ brand: Brand,
        at now: Timestamp
    ) -> StrictJSON? {
        switch attribute.kind {
        case .property:
            guard brand.settings.readableProperties.contains(where: { $0.hasSameBytes(as: attribute.name) }) else {
                return nil
            }
            return BoundedName(attribute.name).flatMap { customer?.data.properties[$0] } ?? .null
        case .consent:
            guard brand.settings.consentCategory(attribute.name) != nil else { return nil }
            let requirement = brand.settings.requirement(of: attribute.name)
            return .bool((customer?.data ?? CustomerData()).allows(requirement, at: now))
        case .id:
            switch BoundedName(attribute.name) {
            case "registered":
                guard let customer, !customer.isAnonymous else { return .null }
                return .string(customer.id.rawValue)
            // A soft id has several values; the others could be of other devices.
            case "cookie": return ids.cookie.map { .array([.string($0.rawValue)]) }
            default: return nil
            }
        case .segmentation, .expression, .prediction, .aggregate, .recommendation: return nil
        }
    }
}
