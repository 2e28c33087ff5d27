/// A webhook of a helpdesk, secrets included; encodes and decodes as the JSON that is stored sealed (Helpdesks page).
package struct HookSettings: Codable, Equatable, Sendable {
    /// The sender's format; the raw value is the JSON value.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// Any JSON, with a mapping.
        case generic
        /// Chatwoot's webhooks.
        case chatwoot
    }

    /// The sender's format.
    package var kind: Kind
    /// The secret that the sender signs with, as text; nil for a sender that does not sign.
    package var secret: String?
    /// The header with the signature, for a sender that only signs the body; nil for the kind's own signature.
    package var signatureHeader: String?
    /// The last segment of the path, as base64url; nil for a path without one.
    package var pathSecret: String?
    /// The mapping of the kind ``Kind/generic``, as JSON with sorted members.
    package var mapping: String?

    /// Creates settings.
    package init(
        kind: Kind,
        secret: String? = nil,
        signatureHeader: String? = nil,
        pathSecret: String? = nil,
        mapping: String? = nil
    ) {
        self.kind = kind
        self.secret = secret
        self.signatureHeader = signatureHeader
        self.pathSecret = pathSecret
        self.mapping = mapping
    }
}
