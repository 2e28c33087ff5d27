import Foundation

extension SwitchboardClient {
    /// Registers the device for pushes, or renews its registration; call it at every start of the app, and whenever the
    /// platform gives a new token.
    ///
    /// Without a login it is stored, and sent with the next one.
    ///
    /// - Parameters:
    ///   - token: The push token.
    ///   - receives: The kinds of messages.
    ///   - authentication: The credential, if the session has none yet; recommended.
    /// - Returns: The result.
    /// - Throws: The error after all repetitions; also reported as `registrationFailed`.
    @discardableResult
    public func registerPush(
        _ token: PushToken,
        receives: PushKinds = .all,
        authentication: AuthenticationParameters? = nil
    ) async throws(SwitchboardError) -> RegistrationResult {
        let epoch = try session.admit()
        try adoptIfNeeded(authentication)
        let registration = PushRegistration(token: token, receives: receives)
        let step = user?.registration.request(
            registration,
            canAuthenticate: canAuthenticate,
            frequency: configuration.renewal,
            appVersion: configuration.appVersion,
            now: clock.now
        )
        save()
        selfCheckSignal?.yield()
        trackToken(token)
        switch step {
        case .send(let registration):
            try await sendRegistration(registration, epoch: epoch)
            return .registered
        case .waitForLogin: return .deferred
        case .nothing, nil: return .unchanged
        }
    }

    /// Sends a registration; one after the other, so that the newest token is the last.
    ///
    /// - Parameters:
    ///   - registration: The registration.
    ///   - epoch: The epoch of the request; if it is over after the wait, nothing is sent for the next consumer.
    /// - Throws: The error after all repetitions.
    func sendRegistration(_ registration: PushRegistration, epoch: Int) async throws(SwitchboardError) {
        try await registering.enter()
        defer { registering.leave() }
        do {
            try check(epoch)
            let routes = routes
            let environment = configuration.environment
            var sent = registration
            try await call(
                configuration.retry.registration,
                { user in
                    // A repetition sends the newest token, if the platform has given one meanwhile.
                    sent = user.registration.desired ?? registration
                    return routes.register(sent, deviceID: user.deviceID, environment: environment)
                },
                read: { _ throws(SwitchboardError) in }
            )
            record?.receives = sent.receives
            user?.registration.stored(sent, appVersion: configuration.appVersion, at: clock.now)
            save()
            emit(.registrationFinished)
        } catch {
            if error.code != .sessionEnded { emit(.registrationFailed(error)) }
            throw error
        }
    }

    /// Returns whether the gateway has a registration of this device.
    ///
    /// - Returns: Whether there is one; if not, register again.
    /// - Throws: The error after all repetitions.
    public func isRegistered() async throws(SwitchboardError) -> Bool {
        do {
            let routes = routes
            return try await call(
                configuration.retry.registration,
                { routes.registration(deviceID: $0.deviceID) },
                read: { value throws(SwitchboardError) in value["state"]?.text == "active" }
            )
        } catch {
            guard error.code == .notFound else { throw error }
            user?.registration.confirmed = nil
            save()
            return false
        }
    }

    /// Returns whether a push is one of the configured systems and of this brand; works without a session.
    public nonisolated func isFromThisSystem(_ payload: PushPayload) -> Bool { parser.dialect(of: payload) != nil }

    /// Returns the push message id; nil if there is none, or if the push is somebody else's.
    public nonisolated func getPushMessageId(_ payload: PushPayload) -> String? { parser.parse(payload)?.id }

    /// Reads a push without handling it, as for a custom view; nil if it is somebody else's.
    public nonisolated func parse(_ payload: PushPayload) -> PushMessage? { parser.parse(payload) }

    /// Handles a push that arrived, in the foreground or in the background; works without a session.
    ///
    /// The unread count follows the push's badge, notifications of read messages are removed, and the arrival is
    /// reported to the gateway. A push that arrives in several ways is handled once.
    ///
    /// - Parameters:
    ///   - payload: The members of the push.
    ///   - showNotification: Whether to show it, by the banner handler or else by the presenter.
    /// - Returns: The push; nil if it is somebody else's, which has no effect.
    @discardableResult
    public func handlePush(_ payload: PushPayload, showNotification: Bool) async -> PushMessage? {
        guard let message = parser.parse(payload) else { return nil }
        loadIfNeeded()
        let now = clock.now
        var ledger = user?.ledger ?? looseLedger
        guard let effect = ledger.handle(message, receives: record?.receives ?? .all, at: now) else { return message }
        if message.kind == .selfCheck { selfCheckSignal?.yield() }
        if user == nil { looseLedger = ledger } else { user?.ledger = ledger }
        let isShown = showNotification && effect.isShown
        if user != nil {
            if let count = effect.unread { setUnread(count) }
            queueReceipts(message, isShown: isShown, at: now)
            trackDelivered(message, isShown: isShown, at: now)
            save()
        }
        // A logout may clear the screen during each of these waits.
        let owner = owner
        if let count = effect.unread { await presenter?.setBadge(count) }
        if let withdrawal = effect.withdrawal, owner == self.owner { await presenter?.withdraw(withdrawal) }
        if isShown, owner == self.owner {
            if let bannerHandler {
                await offActorVoid { await bannerHandler(message) }
            } else if let presenter {
                await offActorVoid { await presenter.show(message) }
            }
        }
        sendReports()
        return message
    }

    private func queueReceipts(_ message: PushMessage, isShown: Bool, at now: Date) {
        guard let id = message.id, message.hasTrackingConsent, message.kind != .selfCheck else { return }
        guard message.dialect == .switchboard || message.dialect == .livePerson else { return }
        let at = ReportTimes.delivered(now, sentAt: message.sentAt)
        user?.reports.add(PushReceipt(messageID: id, state: isShown ? .displayed : .delivered, at: at))
    }

    /// Reports that the consumer removed a notification without opening it.
    public func notificationDismissed(_ messageID: String) {
        loadIfNeeded()
        user?.reports.add(PushReceipt(messageID: messageID, state: .dismissed, at: clock.now))
        save()
        sendReports()
    }

    /// Sends the receipts that wait, with a token that is there already: no receipt asks the app for one.
    func sendReports() {
        guard reportTask == nil, session.phase == .active, tokens.isUsable(at: clock.uptime),
            (user?.reports.count ?? 0) > 0
        else { return }
        let epoch = session.epoch
        reportTask = Task {
            await sendReportBatches(epoch)
            // After a logout there may be a task of the next consumer.
            if session.epoch == epoch { reportTask = nil }
        }
    }

    private func sendReportBatches(_ epoch: Int) async {
        let routes = routes
        var continues = true
        while continues, session.isCurrent(epoch), let batch = user?.reports.batch, !batch.isEmpty {
            var failure: SwitchboardError?
            do {
                try await call(
                    .none,
                    { routes.receipts(batch, deviceID: $0.deviceID) },
                    read: { _ throws(SwitchboardError) in }
                )
            } catch {
                failure = error
            }
            guard session.isCurrent(epoch) else { return }
            continues =
                user?.reports.sent(batch, error: failure, maxTries: configuration.profile.maxReportTries) ?? false
            save()
        }
    }

    /// Waits until registrations, receipts, events and changes of the screen that run in the background have ended, before the app
    /// is suspended.
    public func finishPendingWork() async {
        await registrationTask?.value
        await reportTask?.value
        _ = await eventTask?.value
        await rejectionTask?.value
        await screenTask?.value
    }

    /// Reports a tap on the library's own banner to the app, by the event `notificationTapped`.
    public func bannerTapped(_ message: PushMessage) { emit(.notificationTapped(message)) }

    /// Reports that the consumer tapped a push; call it after ``handlePush(_:showNotification:)`` and before the
    /// conversation opens.
    ///
    /// The next opening scrolls to the message, also if the report fails. The unread count does not change.
    ///
    /// - Parameters:
    ///   - messageID: The push message id; without it only the scroll position follows.
    ///   - action: The id of the button, if the consumer used one.
    ///   - clearOthers: Whether the consumer's other proactive messages stop being pending.
    /// - Returns: The target of the tap; nil without an id.
    /// - Throws: `notFound` or `gone` for a message that is not this consumer's or whose time is over; others after all
    ///   repetitions.
    @discardableResult
    public func setPushNotificationTapped(
        _ messageID: String?,
        action: String? = nil,
        clearOthers: Bool = false
    ) async throws(SwitchboardError) -> TapResult? {
        taps.tapped(messageID)
        guard let messageID else { return nil }
        _ = try session.admit()
        let at = ReportTimes.tapped(clock.now, deliveredAt: user?.ledger.deliveredAt(messageID))
        let report = TapReport(messageID: messageID, at: at, action: action, clearsOthers: clearOthers)
        let routes = routes
        return try await call(
            configuration.retry.messages,
            { routes.tap(report, deviceID: $0.deviceID) },
            read: { value throws(SwitchboardError) in
                TapResult(
                    kind: try value.required("kind") { $0.text.flatMap { PushMessage.Kind(rawValue: $0) } },
                    conversationID: value["conversation"]?.text,
                    sequence: value["sequence"]?.integerValue,
                    message: value["message"].flatMap { GatewayMessage($0) }
                )
            }
        )
    }

    /// Returns the position at which the conversation opens now: a tap counts for one opening.
    public func conversationOpening() -> ScrollTarget { taps.opening() }
}

/// Runs a body of the app away from the caller's actor.
@concurrent
func offActorVoid(_ body: @Sendable () async -> Void) async { await body() }
