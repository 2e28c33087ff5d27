package import GatewayModel

/// One thing that a device or a back-end changes; each is done in the writer's transaction so that lanes learn of
/// changes in the order of commits.
package enum StoreChange: Sendable {
    /// Registers a device. A token last seen under another consumer or device id of the brand moves: the old
    /// registration ends and what is pending for it is cancelled (`token_moved`). A session asks for its own consumer and
    /// only while it lasts (`sessionEnded` otherwise): a request that was on its way when its consumer logged out must not
    /// bring pushes back. It asks for the device that it is bound to (`boundElsewhere` otherwise), and its first
    /// registration binds it. Another consumer's registration of the device is replaced only with proof of its present
    /// token; without it the change is a `conflict`. Back-ends need no proof: the audit trail says what they took.
    case register(DeviceToRegister)
    /// Ends or narrows registrations of a consumer; nil app and device mean all of them. Pending rows that are no
    /// longer wanted are cancelled (`unregistered`, `unregistered_agent`).
    case unregister(brand: BrandID, consumer: ConsumerID, app: AppID?, device: DeviceID?, scope: UnregisterScope)
    /// Moves a read mark forward. Pending rows of what was read are cancelled (`read`), and the consumer's other devices
    /// get a badge row.
    case read(ReadRequest)
    /// Records a tap (R109-R112). Never changes unread. A proactive message that was tapped, or cleared by the tap of another
    /// (``TapRequest/clearsOthers``), is pending no longer; deliveries of one that was cleared are cancelled (`read`).
    case tap(TapRequest)
    /// Records what a device says of deliveries to it; unknown ones are ignored. What was said before is not changed by a
    /// repetition, and a tap stays a tap. Whatever is said says that the push arrived.
    case receipts(brand: BrandID, consumer: ConsumerID, [DeviceReceipt])
    /// Finds or creates a consumer and updates what is known of it; nil members of the profile change nothing.
    case upsertConsumer(brand: BrandID, id: ConsumerID, anonymous: Bool, profile: ConsumerProfile)
    /// Opens a session; the consumer is created when it is new. Refused when its credential is revoked or unknown.
    ///
    /// A login with an identifier takes in the anonymous consumer of ``LoginTerms/anonymousToken``: a session of the brand
    /// that was not ended and is live, or expired at most ``LoginTerms/anonymousMergeDays`` ago. With
    /// ``AnonymousMerge/device`` it takes in those of its device too, to whom the device's latest session, or a registration
    /// of it, belongs. Their conversations, deliveries and registrations of the device that logs in are the consumer's from
    /// then on, their other registrations and their sessions end, and their ids lead to it. With
    /// ``LoginTerms/singleDevice`` the consumer's earlier sessions end, and its registrations on other devices
    /// (`unregistered`); not for a login that names no device. Registrations that others have of the device end with proof
    /// of their present token (``LoginTerms/currentToken``) and stay without it. The consumer's oldest sessions above
    /// ``SessionLimits/perConsumer`` end. Without the session of ``LoginTerms/signedBy`` being live the answer is
    /// `sessionEnded`. What ``LoginTerms/assertion`` says of the consumer is written with the session; one that is accepted
    /// once only and was presented before changes nothing (`alreadyPresented`). One that a service account opens, and that
    /// none had signed, is counted by the audit trail (``AuditAction/sessionsMinted``): one entry for each account and hour.
    case openSession(StoredSession, LoginTerms = LoginTerms())
    /// Ends one session; with a scope also unregisters the device that it is bound to (all of the consumer's devices
    /// when it is bound to none).
    case endSession(tokenHash: [UInt8], unregister: UnregisterScope)
    /// Ends a consumer's sessions, of one device or of all, and unregisters likewise; `audit` is what the trail says of it,
    /// written with it, and only when there is such a consumer.
    case endSessions(
        brand: BrandID,
        consumer: ConsumerID,
        device: DeviceID?,
        unregister: UnregisterScope,
        audit: AuditEntry? = nil
    )
    /// Moves a delivery that failed or expired back to the outbox, under its id and unowned, for as long as the request
    /// says; its attempts go on being counted.
    case retry(RetryRequest)
    /// Answers with the consumer's active conversation, or opens one that is named after the request's message id.
    ///
    /// So a repetition opens another only when what the first one opened has been resolved since. A consumer that nobody
    /// knows is not created, and one that has ``ConversationToOpen/perConsumer`` of these is refused (`conflict`).
    case openConversation(ConversationToOpen)
    /// Stores what a consumer writes, once by its client id for as long as ids of events are remembered: the next message
    /// of its conversation, which is active from then on, told to the outbound feed, never unread and never pushed.
    ///
    /// A repetition that says something else is a `conflict`, one whose message was removed since is `gone`.
    case write(ConsumerMessage)
    /// Resolves a conversation from the consumer's side; one that is not active is a `conflict` (R122).
    case resolve(brand: BrandID, consumer: ConsumerID, conversation: ConversationID)
    /// Changes what is known of a consumer; one that nobody knows is not created.
    case changeProfile(ProfileChange)
    /// Forgets a consumer and those who were merged into it.
    ///
    /// With the commit their sessions have ended, their registrations are gone with what waits for them, nothing of them is
    /// found any more, and their ids are free: a login makes a new consumer. What is left of them is removed by
    /// ``HousekeepingBatch/Work/erasures``, whenever that is, also after a crash.
    case erase(ErasureRequest)
    /// Merges a consumer into another, as a login merges an anonymous one: conversations, unread, devices, taps and what waits
    /// follow, its sessions end, its profile is forgotten, and its id and those that were merged into it before lead to the
    /// other. A repetition answers the same and does nothing.
    case merge(MergeRequest)
    /// Ends registrations of devices that were not heard of for long, as if they had been deleted; the outbound feed says
    /// ``GatewayModel/UnregisterReason/stale``. Answers ``StoreChangeResult/unregistered(_:)``, without any for an unknown
    /// brand.
    ///
    /// A time in which nobody asked, more than a tenth of the limit, is none in which devices could be heard of: the gateway
    /// was away, or its clock is wrong. Every device then has the whole limit anew. So neither a clock that a start finds
    /// far ahead nor one that was ahead before ends what is in use.
    case endStale(StaleDevices)
}

/// A delivery that is to be tried again.
package struct RetryRequest: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The delivery.
    package var delivery: DeliveryID
    /// How long it may wait from now on, in seconds.
    package var ttlSeconds: Int64
    /// What the trail says of it; written with it, and only when it is done.
    package var audit: AuditEntry?

    /// Takes what is to be tried again.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - delivery: The delivery.
    ///   - ttlSeconds: How long it may wait from now on.
    ///   - audit: What the trail says of it.
    package init(brand: BrandID, delivery: DeliveryID, ttlSeconds: Int64, audit: AuditEntry? = nil) {
        self.brand = brand
        self.delivery = delivery
        self.ttlSeconds = ttlSeconds
        self.audit = audit
    }
}

/// A device as it asks to be registered, validated.
package struct DeviceToRegister: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The app.
    package var app: AppID
    /// The app's id of the installation.
    package var device: DeviceID
    /// Whose it is; created when it is new.
    package var consumer: ConsumerID
    /// The provider's token: secret.
    package var token: String
    /// The transport.
    package var pushType: PushType
    /// Which of the provider's worlds the token belongs to.
    package var environment: PushEnvironment
    /// What kind of device it is.
    package var platform: DevicePlatform
    /// Language tag.
    package var locale: String?
    /// Time zone name.
    package var timeZone: String?
    /// The system's version.
    package var osVersion: String?
    /// Its tokens for other kinds of pushes; they take the place of those that it had.
    package var extraTokens: [ExtraToken] = []
    /// The app's version.
    package var appVersion: String?
    /// What it wants to be pushed.
    package var receives: Receives
    /// The SHA-256 of the token of the session that asks; nil for back-ends.
    package var session: [UInt8]?
    /// Whether the consumer's other devices are logged out, together with its sessions from before the one that asks; means
    /// nothing without a session.
    package var singleDevice = false
    /// The proof that the device is the one that another consumer's registration pushes to; its own ``token`` is one too.
    package var currentToken: PushTokenProof?
    /// What the audit trail says of a back-end that ends another consumer's registration; written only then.
    package var audit: AuditEntry?

    /// Takes what a device asks for.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - app: The app.
    ///   - device: The app's id of the installation.
    ///   - consumer: Whose it is.
    ///   - token: The provider's token.
    ///   - pushType: The transport.
    ///   - environment: Which of the provider's worlds the token belongs to.
    ///   - platform: What kind of device it is.
    ///   - receives: What it wants to be pushed.
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

/// Up to where a consumer has read.
package struct ReadRequest: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The consumer.
    package var consumer: ConsumerID
    /// The conversation.
    package var conversation: ConversationID
    /// Up to where.
    package var target: ReadTarget
    /// The device that showed the messages, which needs no badge push; nil when the back-end reports the read.
    package var device: DeviceID?

    /// Takes how far was read.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    ///   - conversation: The conversation.
    ///   - target: Up to where.
    ///   - device: The device that showed the messages.
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
    /// When it was tapped, as the device says.
    package var tappedAt: Timestamp
    /// The action or button, as the device says.
    package var action: String?
    /// Whether the consumer's other pending proactive messages are pending no longer; means something only with the first
    /// report of the tap, so that a repetition never clears what came in between.
    package var clearsOthers = false

    /// Takes a tap.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    ///   - message: The message.
    ///   - device: The device.
    ///   - tappedAt: When it was tapped.
    ///   - action: The action or button.
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

/// What a device says of a push that it got.
package struct DeviceReceipt: Sendable {
    /// What happened on the device.
    package enum State: String, Sendable, CaseIterable {
        /// It arrived.
        case delivered
        /// It was shown.
        case displayed
        /// The consumer wiped it away.
        case dismissed
    }

    /// The message.
    package var message: MessageID
    /// The device.
    package var device: DeviceID
    /// What happened.
    package var state: State
    /// When, as the device says.
    package var at: Timestamp

    /// Takes what a device says.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - device: The device.
    ///   - state: What happened.
    ///   - at: When.
    package init(message: MessageID, device: DeviceID, state: State, at: Timestamp) {
        self.message = message
        self.device = device
        self.state = state
        self.at = at
    }
}
