/// A webhook of a helpdesk, secrets included; encodes and decodes as the JSON that is stored sealed (Helpdesks page).
package struct HookSettings: Codable, Equatable, Sendable {
    /// The sender's format; the raw value is the JSON value.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// Any JSON, with a mapping.
        case generic
        /// Chatwoot's webhooks.
        case chatwoot
    }

    /// Where consumers' messages go back to: an account of Chatwoot.
    package struct Reply: Codable, Equatable, Sendable {
        /// The address of Chatwoot, as it was set.
        package var url: String
        /// The number of the account.
        package var accountId: Int64
        /// The access token of a user or bot of the account.
        package var token: String

        /// Creates an account.
        package init(url: String, accountId: Int64, token: String) {
            self.url = url
            self.accountId = accountId
            self.token = token
        }

        /// Returns the address that creates messages in a conversation, by its number in the account (Chatwoot's API
        /// reference, "Create New Message").
        package func messages(conversation: Int64) -> String {
            let base = url.hasSuffix("/") ? String(url.dropLast()) : url
            return "\(base)/api/v1/accounts/\(accountId)/conversations/\(conversation)/messages"
        }
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
    /// Where consumers' messages go back to, of the kind ``Kind/chatwoot``; nil when they do not.
    package var reply: Reply?

    /// Creates settings.
    package init(
        kind: Kind,
        secret: String? = nil,
        signatureHeader: String? = nil,
        pathSecret: String? = nil,
        mapping: String? = nil,
        reply: Reply? = nil
    ) {
        self.kind = kind
        self.secret = secret
        self.signatureHeader = signatureHeader
        self.pathSecret = pathSecret
        self.mapping = mapping
        self.reply = reply
    }
}
