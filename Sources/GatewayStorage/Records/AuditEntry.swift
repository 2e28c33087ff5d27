package import GatewayModel

/// The caller that made an administrative change.
package struct AuditActor: Sendable, Equatable {
    /// The kind of the caller; the raw value is the JSON value.
    package enum Kind: String, Sendable, CaseIterable {
        /// The holder of the instance's admin token.
        case admin
        /// A brand's service account.
        case serviceAccount
        /// An operator with an account.
        case `operator`
        /// The process itself, without a request.
        case gateway
    }

    /// The kind of the caller.
    package var kind: Kind
    /// The service account's id or the operator's name; for the others the raw value of the kind.
    package var id: String

    /// The holder of the admin token.
    package static let admin = AuditActor(kind: .admin, id: Kind.admin.rawValue)
    /// The process itself.
    package static let gateway = AuditActor(kind: .gateway, id: Kind.gateway.rawValue)

    /// Creates a caller.
    package init(kind: Kind, id: String) {
        self.kind = kind
        self.id = id
    }
}

/// The kind of an administrative change; the raw value is the JSON value.
package enum AuditAction: String, Sendable, CaseIterable {
    /// A brand was created; the target is the brand.
    case brandCreated = "brand.created"
    /// A brand's name or settings were changed; the target is the brand.
    case brandChanged = "brand.changed"
    /// A brand was deleted; the target is the brand.
    case brandDeleted = "brand.deleted"
    /// An app was created; the target is the app.
    case appCreated = "app.created"
    /// An app was put again; the target is the app.
    case appChanged = "app.changed"
    /// An app was deleted; the target is the app.
    case appDeleted = "app.deleted"
    /// A provider was asked to check an app's credential; the target is the app.
    case appSelfChecked = "app.self_checked"
    /// A credential was created; the target is its id.
    case credentialIssued = "credential.issued"
    /// A credential was revoked; the target is its id.
    case credentialRevoked = "credential.revoked"
    /// All sealed secrets were sealed under another master key; the target is the brand, and each brand gets an entry.
    case masterKeyRotated = "master_key.rotated"
    /// A failed delivery was requeued; the target is the delivery.
    case deliveryRetried = "delivery.retried"
    /// Failed deliveries of a period were requeued, those of one request; the target is the period.
    case deliveriesReplayed = "deliveries.replayed"
    /// A link to a delivery was created; the target is the delivery, a slash and the link.
    case deliveryLinkCreated = "delivery_link.created"
    /// A link to a delivery was revoked; the target is the delivery, a slash and the link.
    case deliveryLinkRevoked = "delivery_link.revoked"
    /// A consumer was erased; the target is the id by which it was named.
    case consumerErased = "consumer.erased"
    /// A consumer was merged into another; the target is the id by which it was named, an arrow and the other's.
    case consumerMerged = "consumer.merged"
    /// A back-end exported a consumer's data; the target is the consumer.
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
    /// A webhook's or subscription's mark was moved back; the target is the subscription.
    case outboundReplayed = "outbound.replayed"
    /// An in-app message was stored; the target is its id.
    case inAppMessageChanged = "in_app_message.changed"
    /// An in-app message was deleted; the target is its id.
    case inAppMessageDeleted = "in_app_message.deleted"
    /// A helpdesk's webhook was put; the target is its id.
    case hookChanged = "hook.changed"
    /// A helpdesk's webhook was deleted; the target is its id.
    case hookDeleted = "hook.deleted"
    /// An operator paused a lane; the target is its name.
    case lanePaused = "lane.paused"
    /// An operator resumed a lane; the target is its name.
    case laneResumed = "lane.resumed"
    /// An operator set or removed a lane's pace; the target is its name.
    case lanePaced = "lane.paced"
    /// An operator's account was created; the target is its name. The entry belongs to the instance, as all of accounts.
    case operatorCreated = "operator.created"
    /// An operator's password or roles were changed; the target is the account's name.
    case operatorChanged = "operator.changed"
    /// An operator's account was deleted; the target is its name.
    case operatorDeleted = "operator.deleted"
    /// An operator signed in; the target is the account's name.
    case operatorSignedIn = "operator.signed_in"
    /// An operator signed out; the target is the account's name.
    case operatorSignedOut = "operator.signed_out"
    /// The text of a message was shown to a caller, who gave a reason; the target is the message.
    case messageRevealed = "message.revealed"
    /// An operator confirmed that the system clock is right, so that things expire again. The entry belongs to the
    /// instance; the target is the accepted time.
    case clockAccepted = "clock.accepted"
}

/// An administrative change in the audit trail: actor, action and time; never a value that was set.
package struct AuditEntry: Sendable, Equatable {
    /// The brand; nil for the whole instance.
    package var brand: BrandID?
    /// The time.
    package var at: Timestamp
    /// The actor.
    package var actor: AuditActor
    /// The action.
    package var action: AuditAction
    /// The target: the id of a brand, app, credential, delivery or subscription, or a time.
    package var target: String
    /// The names of the members that changed, such as `settings.preview`, sorted; never their values.
    package var changes: [String]
    /// The request that caused the change; nil for the process itself.
    package var requestID: String?
    /// The number of actions that the entry stands for, as counted by the store; nil is one.
    package var count: Int64?
    /// The caller's reason for ``AuditAction/messageRevealed``; nil for other actions.
    package var reason: String?

    /// Creates a change.
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
    /// Its number, 1 or more, rising in the order of the changes and never reused.
    package var id: Int64
    /// The change.
    package var entry: AuditEntry

    /// Creates an entry.
    package init(id: Int64, entry: AuditEntry) {
        self.id = id
        self.entry = entry
    }
}
