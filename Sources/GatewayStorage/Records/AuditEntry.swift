package import GatewayModel

/// Who made an administrative change.
package struct AuditActor: Sendable, Equatable {
    /// What kind of caller it is; the raw value is the word on the wire.
    package enum Kind: String, Sendable, CaseIterable {
        /// The holder of the instance's admin token.
        case admin
        /// A brand's service account.
        case serviceAccount
        /// The process itself, such as the demo.
        case gateway
    }

    /// What kind of caller it is.
    package var kind: Kind
    /// The service account's id; for the others the word of the kind.
    package var id: String

    /// The holder of the admin token.
    package static let admin = AuditActor(kind: .admin, id: Kind.admin.rawValue)
    /// The process itself.
    package static let gateway = AuditActor(kind: .gateway, id: Kind.gateway.rawValue)

    /// Takes a caller.
    ///
    /// - Parameters:
    ///   - kind: What kind of caller it is.
    ///   - id: The service account's id, or the word of the kind.
    package init(kind: Kind, id: String) {
        self.kind = kind
        self.id = id
    }
}

/// What an administrative change did; the raw value is the word on the wire.
package enum AuditAction: String, Sendable, CaseIterable {
    /// A brand was made; the target is the brand.
    case brandCreated = "brand.created"
    /// A brand's name or settings were changed; the target is the brand.
    case brandChanged = "brand.changed"
    /// A brand was deleted; the target is the brand.
    case brandDeleted = "brand.deleted"
    /// An app was made; the target is the app.
    case appCreated = "app.created"
    /// An app was put again; the target is the app.
    case appChanged = "app.changed"
    /// An app was deleted; the target is the app.
    case appDeleted = "app.deleted"
    /// A provider was asked to judge an app's credential; the target is the app.
    case appSelfChecked = "app.self_checked"
    /// A credential was made; the target is its id.
    case credentialIssued = "credential.issued"
    /// A credential was revoked; the target is its id.
    case credentialRevoked = "credential.revoked"
    /// Everything that is sealed was sealed under another master key; the target is the brand, and each brand is told.
    case masterKeyRotated = "master_key.rotated"
    /// A failed delivery was put into the queue again; the target is the delivery.
    case deliveryRetried = "delivery.retried"
    /// A consumer was erased; the target is the id by which it was named.
    case consumerErased = "consumer.erased"
    /// A consumer was merged into another; the target is the id by which it was named, an arrow and the other's.
    case consumerMerged = "consumer.merged"
    /// A back-end read everything that is kept of a consumer; the target is the consumer.
    case consumerExported = "consumer.exported"
    /// A back-end changed a consumer's profile; the target is the consumer.
    case consumerChanged = "consumer.changed"
    /// A back-end ended a consumer's sessions; the target is the consumer.
    case consumerLoggedOut = "consumer.logged_out"
    /// A service account minted sessions within the hour that begins at the entry's time; the target is the account.
    case sessionsMinted = "sessions.minted"
    /// A subscription was deleted; the target is the subscription.
    case subscriptionDeleted = "subscription.deleted"
    /// A back-end registered a device and so ended another consumer's registration; the target is the app, a slash and the
    /// device.
    case deviceReassigned = "device.reassigned"
    /// A webhook's or subscription's mark was set back; the target is the subscription.
    case outboundReplayed = "outbound.replayed"
    /// An operator said that the system clock is right, so that things expire again; of the instance, and the target is the
    /// time that was accepted.
    case clockAccepted = "clock.accepted"
}

/// An administrative change as it is written down: who, what, when; never a value that was set.
package struct AuditEntry: Sendable, Equatable {
    /// The brand that it was about; nil for the whole instance.
    package var brand: BrandID?
    /// When.
    package var at: Timestamp
    /// Who.
    package var actor: AuditActor
    /// What was done.
    package var action: AuditAction
    /// To what: the id of a brand, app, credential, delivery or subscription, or a time.
    package var target: String
    /// The names of the members that changed, such as `settings.preview`, sorted; never their values.
    package var changes: [String]
    /// The request that asked for it; nil for the process itself.
    package var requestID: String?
    /// How many acts the entry stands for, as the store has counted them; nil is one.
    package var count: Int64?

    /// Takes a change.
    ///
    /// - Parameters:
    ///   - brand: The brand that it was about; nil for the whole instance.
    ///   - at: When.
    ///   - actor: Who.
    ///   - action: What was done.
    ///   - target: To what.
    ///   - changes: The names of the members that changed.
    ///   - requestID: The request that asked for it.
    package init(
        brand: BrandID?,
        at: Timestamp,
        actor: AuditActor,
        action: AuditAction,
        target: String,
        changes: [String] = [],
        requestID: String? = nil
    ) {
        self.brand = brand
        self.at = at
        self.actor = actor
        self.action = action
        self.target = target
        self.changes = changes
        self.requestID = requestID
    }
}

/// An entry of the audit trail with its number.
package struct AuditRecord: Sendable, Equatable {
    /// Its number, 1 or more, rising in the order of the changes and never given again.
    package var id: Int64
    /// The change.
    package var entry: AuditEntry

    /// Takes an entry.
    ///
    /// - Parameters:
    ///   - id: Its number.
    ///   - entry: The change.
    package init(id: Int64, entry: AuditEntry) {
        self.id = id
        self.entry = entry
    }
}
