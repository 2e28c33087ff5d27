package import GatewayModel

/// One change by a device or a back-end; each is made in the writer's transaction so that lanes receive changes in
/// commit order.
package enum StoreChange: Sendable {
    /// Registers a device. A token last seen under another consumer or device id of the brand moves: the old
    /// registration ends and its pending deliveries are cancelled (`token_moved`). A session may register only for its
    /// own consumer and only while it is live (`sessionEnded` otherwise): a request that was in flight when its
    /// consumer logged out must not bring pushes back. It may register only the device to which it is bound
    /// (`boundElsewhere` otherwise), and its first registration binds it. Another consumer's registration of the device
    /// is replaced only with proof of its present token; without it the change is a `conflict`. Back-ends need no
    /// proof: the audit trail records which registrations they replaced. An imported device
    /// (``DeviceToRegister/isImported``) ends and replaces nothing: when its token is registered in the brand, or its id
    /// for the app, also as a stopped one, it is `kept`; when its consumer has the most registrations, a `conflict`.
    case register(DeviceToRegister)
    /// Ends or narrows registrations of a consumer; nil app and device mean all of them. Pending rows that are no
    /// longer wanted are cancelled (`unregistered`, `unregistered_agent`).
    case unregister(brand: BrandID, consumer: ConsumerID, app: AppID?, device: DeviceID?, scope: UnregisterScope)
    /// Moves a read mark forward. Pending rows of read messages are cancelled (`read`), and the consumer's other
    /// devices get a badge row.
    case read(ReadRequest)
    /// Records a tap (R109-R112). Never changes unread. A proactive message that was tapped, or cleared by the tap of
    /// another (``TapRequest/clearsOthers``), is no longer pending; deliveries of a cleared one are cancelled (`read`).
    case tap(TapRequest)
    /// Records a device's receipts of deliveries; unknown deliveries are ignored. A repeated receipt changes nothing,
    /// and a tap stays a tap. Every receipt implies that the push arrived.
    case receipts(brand: BrandID, consumer: ConsumerID, [DeviceReceipt])
    /// Finds or creates a consumer and updates its profile; nil members of the profile change nothing.
    case upsertConsumer(brand: BrandID, id: ConsumerID, anonymous: Bool, profile: ConsumerProfile)
    /// Opens a session; a new consumer is created. Rejected when its credential is revoked or unknown.
    ///
    /// A login with an identifier merges the anonymous consumer of ``LoginTerms/anonymousToken``: a session of the
    /// brand that was not ended and is live, or expired at most ``LoginTerms/anonymousMergeDays`` ago. With
    /// ``AnonymousMerge/device`` it also merges those of its device, to whom the device's latest session, or a
    /// registration of it, belongs. Their conversations, deliveries and registrations of the device that logs in then
    /// belong to the consumer, their other registrations and their sessions end, and their ids lead to it. With
    /// ``LoginTerms/singleDevice`` the consumer's earlier sessions end, and its registrations on other devices
    /// (`unregistered`); not for a login that names no device. Other consumers' registrations of the device end with
    /// proof of their present token (``LoginTerms/currentToken``) and stay without it. The consumer's oldest sessions
    /// above ``SessionLimits/perConsumer`` end. When the session of ``LoginTerms/signedBy`` is not live, the result is
    /// `sessionEnded`. The facts of ``LoginTerms/assertion`` are written with the session; an assertion for single use
    /// that was presented before changes nothing (`alreadyPresented`). A session that a service account opens, without
    /// another session that requested it, is counted in the audit trail (``AuditAction/sessionsMinted``): one entry for
    /// each account and hour.
    case openSession(StoredSession, LoginTerms = LoginTerms())
    /// Ends one session; with a scope also unregisters the device to which it is bound.
    case endSession(tokenHash: [UInt8], unregister: UnregisterScope)
    /// Ends a consumer's sessions, of one device or of all, and unregisters likewise; `audit` is the audit entry,
    /// written in the same transaction, and only when the consumer exists.
    case endSessions(
        brand: BrandID,
        consumer: ConsumerID,
        device: DeviceID?,
        unregister: UnregisterScope,
        audit: AuditEntry? = nil
    )
    /// Moves a delivery that failed or expired back to the outbox, under its id and unowned, with the lifetime of the
    /// request; its attempts continue to count.
    case retry(RetryRequest)
    /// Returns the consumer's active conversation, or opens one that is named after the request's message id.
    ///
    /// So a repetition opens another only when the first one has been resolved since. An unknown consumer is not
    /// created, and one that has ``ConversationToOpen/perConsumer`` of these is rejected (`conflict`).
    case openConversation(ConversationToOpen)
    /// Stores a consumer's message, once by its client id for as long as ids of events are remembered. It is the next
    /// message of its conversation, which becomes active, is published in the outbound feed, and is never unread and
    /// never pushed.
    ///
    /// A repetition with other content is a `conflict`, one whose message was removed since is `gone`.
    case write(ConsumerMessage)
    /// Resolves a conversation from the consumer's side; one that is not active is a `conflict` (R122).
    case resolve(brand: BrandID, consumer: ConsumerID, conversation: ConversationID)
    /// Changes a consumer's profile; an unknown consumer is not created.
    case changeProfile(ProfileChange)
    /// Erases a consumer and those that were merged into it.
    ///
    /// With the commit their sessions have ended, their registrations and waiting deliveries are gone, no lookup finds
    /// them any more, and their ids are free: a login creates a new consumer. ``HousekeepingBatch/Work/erasures``
    /// removes the remaining rows later, also after a crash.
    case erase(ErasureRequest)
    /// Merges a consumer into another, as a login merges an anonymous one: conversations, unread, devices, taps and
    /// waiting deliveries move, its sessions end, its profile is deleted, and its id and those that were merged into it
    /// before lead to the other. A repetition returns the same result and does nothing.
    case merge(MergeRequest)
    /// Changes a consumer's properties and consents, and publishes an event of it.
    ///
    /// The result is ``StoreChangeResult/tracked(_:)``, or `conflict` for too much data (``CustomerData/fits``).
    case track(CustomerChange)
    /// Ends registrations of devices that were inactive for long, as if they had been deleted; the reason in the
    /// outbound feed is ``GatewayModel/UnregisterReason/stale``. The result is ``StoreChangeResult/unregistered(_:)``,
    /// empty for an unknown brand.
    ///
    /// A gap of more than a tenth of the limit between two of these requests does not count as inactivity: the gateway
    /// was stopped, or its clock is wrong. Every device then has the whole limit again. So neither a clock that a start
    /// finds far ahead nor one that was ahead before ends a registration in use.
    case endStale(StaleDevices)
}

/// A request to retry a delivery.
package struct RetryRequest: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The delivery.
    package var delivery: DeliveryID
    /// Its new lifetime from now on, in seconds.
    package var ttlSeconds: Int64
    /// The audit entry; written in the same transaction, and only when the change is made.
    package var audit: AuditEntry?

    /// Creates a request.
    package init(brand: BrandID, delivery: DeliveryID, ttlSeconds: Int64, audit: AuditEntry? = nil) {
        self.brand = brand
        self.delivery = delivery
        self.ttlSeconds = ttlSeconds
        self.audit = audit
    }
}

/// A validated request to register a device.
package struct DeviceToRegister: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The app.
    package var app: AppID
    /// The app's id of the installation.
    package var device: DeviceID
    /// Its consumer; created when it is new.
    package var consumer: ConsumerID
    /// The provider's token: secret.
    package var token: String
    /// The transport.
    package var pushType: PushType
    /// The provider's environment to which the token belongs.
    package var environment: PushEnvironment
    /// The platform of the device.
    package var platform: DevicePlatform
    /// Language tag.
    package var locale: String?
    /// Time zone name.
    package var timeZone: String?
    /// The version of the operating system.
    package var osVersion: String?
    /// Its tokens for other kinds of pushes; they replace its earlier ones.
    package var extraTokens: [ExtraToken] = []
    /// The app's version.
    package var appVersion: String?
    /// The kinds of pushes that it receives.
    package var receives: Receives
    /// The SHA-256 of the token of the requesting session; nil for back-ends.
    package var session: [UInt8]?
    /// Whether the consumer's other devices are logged out, together with its sessions from before the requesting one;
    /// ignored without a session.
    package var singleDevice = false
    /// Whether another consumer's registration is replaced only with proof though no session requests it.
    package var needsProof = false
    /// Whether it comes from another service's data: it is marked until a provider accepts its token or the device
    /// registers itself.
    package var isImported = false
    /// The proof that the device is the one that another consumer's registration pushes to; its own ``token`` is one
    /// too.
    package var currentToken: PushTokenProof?
    /// The audit entry of a back-end that ends another consumer's registration; written only then.
    package var audit: AuditEntry?

    /// Creates a request.
    package init(
        brand: BrandID,
        app: AppID,
        device: DeviceID,
        consumer: ConsumerID,
        token: String,
        pushType: PushType,
        environment: PushEnvironment,
        platform: DevicePlatform,
        receives: Receives
    ) {
        self.brand = brand
        self.app = app
        self.device = device
        self.consumer = consumer
        self.token = token
        self.pushType = pushType
        self.environment = environment
        self.platform = platform
        self.receives = receives
    }
}

/// A request to move a consumer's read mark.
package struct ReadRequest: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The consumer.
    package var consumer: ConsumerID
    /// The conversation.
    package var conversation: ConversationID
    /// The position up to which the consumer has read.
    package var target: ReadTarget
    /// The device that showed the messages, which needs no badge push; nil when the back-end reports the read.
    package var device: DeviceID?

    /// Creates a request.
    package init(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID,
        target: ReadTarget,
        device: DeviceID?
    ) {
        self.brand = brand
        self.consumer = consumer
        self.conversation = conversation
        self.target = target
        self.device = device
    }
}

/// A tap that a device reports.
package struct TapRequest: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The consumer.
    package var consumer: ConsumerID
    /// The message, which is the push message id.
    package var message: MessageID
    /// The device.
    package var device: DeviceID
    /// When it was tapped, as the device reports.
    package var tappedAt: Timestamp
    /// The action or button, as the device reports.
    package var action: String?
    /// Whether the consumer's other pending proactive messages are cleared.
    ///
    /// It applies only to the first report of the tap, so that a repetition never clears later messages.
    package var clearsOthers = false
    /// Whether a proactive message is returned after its look-back, too (R114).
    package var showsExpired = false

    /// Creates a tap.
    package init(
        brand: BrandID,
        consumer: ConsumerID,
        message: MessageID,
        device: DeviceID,
        tappedAt: Timestamp,
        action: String?
    ) {
        self.brand = brand
        self.consumer = consumer
        self.message = message
        self.device = device
        self.tappedAt = tappedAt
        self.action = action
    }
}

/// A device's receipt of a push.
package struct DeviceReceipt: Sendable {
    /// The state of a push on the device.
    package enum State: String, Sendable, CaseIterable {
        /// It arrived.
        case delivered
        /// It was shown.
        case displayed
        /// The consumer dismissed it.
        case dismissed
    }

    /// The message.
    package var message: MessageID
    /// The device.
    package var device: DeviceID
    /// The state.
    package var state: State
    /// The time, as the device reports.
    package var at: Timestamp

    /// Creates a receipt.
    package init(message: MessageID, device: DeviceID, state: State, at: Timestamp) {
        self.message = message
        self.device = device
        self.state = state
        self.at = at
    }
}
