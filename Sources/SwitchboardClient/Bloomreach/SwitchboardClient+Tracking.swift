public import Foundation
import Logging

extension SwitchboardClient {
    /// Returns the settings of Bloomreach and the ids of the customer, for a call that needs an active session.
    ///
    /// - Throws: `parameterMissing` without ``ClientConfiguration/bloomreach``, `notInitialized`, `disabled`.
    @discardableResult
    func bloomreach() throws(SwitchboardError) -> (settings: BloomreachConfiguration, customerIDs: [String: String]) {
        _ = try session.admit()
        guard let settings = configuration.bloomreach, let user else {
            throw SwitchboardError(.parameterMissing, "the settings have no bloomreach", reason: "bloomreach")
        }
        return (settings, user.customerIDs)
    }

    /// Tracks an event of the customer; it waits in the storage until the gateway has it.
    ///
    /// At most 500 events wait; the oldest gives way to a new one.
    ///
    /// - Parameters:
    ///   - type: The type of the event.
    ///   - properties: The properties, at most 8 KiB as JSON.
    /// - Throws: `parameterMissing` without ``ClientConfiguration/bloomreach``, `invalidRequest` for a type without text or
    ///   too long properties, `notInitialized`, `disabled`.
    public func track(_ type: String, properties: [String: JSONValue] = [:]) throws(SwitchboardError) {
        try enqueue(.event, type, properties)
    }

    /// Sets properties of the customer; queued as by ``track(_:properties:)``.
    ///
    /// - Parameter properties: The properties, at most 8 KiB as JSON.
    /// - Throws: As ``track(_:properties:)``.
    public func setCustomerProperties(_ properties: [String: JSONValue]) throws(SwitchboardError) {
        try enqueue(.customer, nil, properties)
    }

    /// Tracks that a link of a campaign has opened the app; queued as by ``track(_:properties:)``.
    ///
    /// - Parameter url: The link, with its `utm_` parameters.
    /// - Throws: As ``track(_:properties:)``.
    public func trackCampaignClick(_ url: URL) throws(SwitchboardError) {
        try enqueue(.click, url.absoluteString, ["platform": .string(configuration.profile.platform.rawValue)])
    }

    /// Tracks that the customer gave or withdrew a consent; queued as by ``track(_:properties:)``.
    ///
    /// - Parameters:
    ///   - category: The id of a ``ConsentCategory``.
    ///   - isGiven: Whether it is given.
    /// - Throws: As ``track(_:properties:)``.
    public func setConsent(_ category: String, isGiven: Bool) throws(SwitchboardError) {
        let action: JSONValue = isGiven ? "accept" : "reject"
        try enqueue(.event, "consent", ["category": .string(category), "action": action, "valid_until": "unlimited"])
    }

    /// Tracks a tap on a push of Bloomreach, after ``handlePush(_:showNotification:)``; does nothing without consent, or for
    /// a silent push.
    ///
    /// - Parameters:
    ///   - message: The push.
    ///   - action: The button; nil for the push itself.
    /// - Throws: As ``track(_:properties:)``.
    public func trackOpened(_ message: PushMessage, action: PushMessage.Action? = nil) throws(SwitchboardError) {
        guard message.dialect == .bloomreach, let properties = BloomreachEvents.opened(message, action) else { return }
        let delivered = message.id.flatMap { user?.ledger.deliveredAt($0) }
        let deliveredAt = delivered.map { ReportTimes.delivered($0, sentAt: message.sentAt) }
        try enqueue(.event, "campaign", properties, at: ReportTimes.tapped(clock.now, deliveredAt: deliveredAt))
    }

    /// Tracks that the customer opened an inbox item, or used a button in it; does nothing without consent.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - button: The text of the button; nil for the opening.
    ///   - url: The target of the button.
    /// - Throws: As ``track(_:properties:)``.
    public func trackInbox(_ item: InboxItem, button: String? = nil, url: String? = nil) throws(SwitchboardError) {
        guard let properties = BloomreachEvents.inbox(item, button: button, url: url) else { return }
        try enqueue(.event, "campaign", properties)
    }

    /// Tracks whether the customer lets the app show notifications, for the token of the last registration.
    ///
    /// - Parameter isGranted: Whether it is allowed.
    /// - Throws: As ``track(_:properties:)``.
    public func setPushPermission(isGranted: Bool) throws(SwitchboardError) {
        try bloomreach()
        if let token = user?.registration.desired?.token { trackToken(token, isGranted: isGranted) }
    }

    /// Names the customer: the anonymous one becomes this one, and the inbox is fetched as a whole again.
    ///
    /// Use ``anonymize()`` before another customer is named.
    ///
    /// - Parameters:
    ///   - registered: The id of the customer at the brand.
    ///   - properties: Properties of the customer.
    /// - Throws: `conflict` if another customer is named already; else as ``track(_:properties:)``.
    public func identifyCustomer(
        _ registered: String,
        properties: [String: JSONValue] = [:]
    ) throws(SwitchboardError) {
        try bloomreach()
        guard !registered.isEmpty else {
            throw SwitchboardError(.parameterMissing, "registered is empty", reason: "registered")
        }
        if let known = user?.registeredID, !known.utf8.elementsEqual(registered.utf8) {
            throw SwitchboardError(.conflict, "another customer is named already: call anonymize first")
        }
        user?.registered = registered
        try enqueue(.customer, nil, properties)
    }

    /// The number of events that wait.
    public var pendingEventCount: Int { user?.events.count ?? 0 }

    /// Sends the events that wait, each once; the library does it by itself after each event.
    ///
    /// - Throws: The error that ended it; the events still wait.
    public func flushEvents() async throws(SwitchboardError) {
        let epoch = try session.admit()
        try bloomreach()
        // A pass that runs may be past an event.
        _ = await eventTask?.value
        try check(epoch)
        sendEvents()
        let error = await eventTask?.value ?? nil
        try check(epoch)
        if let error { throw error }
    }

    // MARK: The queue

    /// Adds an event to the queue, and sends what waits.
    private func enqueue(
        _ kind: TrackedEvent.Kind,
        _ name: String?,
        _ properties: [String: JSONValue],
        at time: Date? = nil
    ) throws(SwitchboardError) {
        try bloomreach()
        guard name?.isEmpty != true, (name?.utf8.count ?? 0) <= 2048,
            JSONValue.object(properties).data.count <= TrackedEvent.maxBytes
        else { throw SwitchboardError(.invalidRequest, "an event has no type, or is too long") }
        add(kind, name, properties, at: time ?? clock.now)
        save()
        sendEvents()
    }

    /// Adds an event of the customer on this device, also without a session.
    private func add(_ kind: TrackedEvent.Kind, _ name: String?, _ properties: [String: JSONValue], at time: Date) {
        guard let ids = user?.customerIDs else { return }
        user?.events.add(TrackedEvent(kind: kind, customerIDs: ids, name: name, properties: properties, at: time))
    }

    /// Tracks the state of a push token, if there are settings of Bloomreach; nil keeps the permission.
    func trackToken(_ token: PushToken, isGranted: Bool? = nil) {
        guard let bloomreach = configuration.bloomreach, let user else { return }
        let state = TokenTracking.Tracked(
            token: token,
            isGranted: isGranted ?? user.tokenTracking.tracked?.isGranted ?? true,
            applicationID: bloomreach.applicationID,
            appVersion: configuration.appVersion,
            at: clock.now
        )
        var tracking = user.tokenTracking
        let events = tracking.track(state, frequency: bloomreach.tokenTracking, deviceID: user.deviceID)
        self.user?.tokenTracking = tracking
        for properties in events { add(.event, "notification_state", properties, at: clock.now) }
        save()
        sendEvents()
    }

    /// Tracks the arrival of a push, also before ``initialize(_:)``.
    func trackDelivered(_ message: PushMessage, isShown: Bool, at now: Date) {
        guard message.dialect == .bloomreach, configuration.bloomreach != nil,
            let properties = BloomreachEvents.delivered(message, isShown: isShown)
        else { return }
        add(.event, "campaign", properties, at: ReportTimes.delivered(now, sentAt: message.sentAt))
        sendEvents()
    }

    /// Sends the events that wait in the background, if no task does so.
    func sendEvents() {
        guard eventTask == nil, session.phase == .active, pendingEventCount > 0 else { return }
        let epoch = session.epoch
        eventTask = Task {
            let error = await sendWaitingEvents(epoch)
            // After a logout there may be a task of the next consumer.
            if session.epoch == epoch { eventTask = nil }
            return error
        }
    }

    /// Sends each event that waits once, oldest first, until the gateway is away; returns the error then.
    ///
    /// It runs also during a logout, before the session ends.
    func sendWaitingEvents(_ epoch: Int) async -> SwitchboardError? {
        let routes = routes
        var number = 0
        var count = 0
        defer { if count > 0, session.epoch == epoch { save() } }
        while session.epoch == epoch, !Task.isCancelled, let bloomreach = configuration.bloomreach,
            let entry = user?.events.next(after: number)
        {
            number = entry.number
            var failure: SwitchboardError?
            do {
                _ = try await send(routes.track(entry.event).authorized(with: bloomreach.apiKey))
            } catch {
                failure = error
            }
            guard session.epoch == epoch else { break }
            let maxTries = configuration.profile.maxReportTries
            guard user?.events.sent(number, error: failure, maxTries: maxTries) == true else { return failure }
            count += 1
            // What a crash sends again is at most this much.
            if count.isMultiple(of: 20) { save() }
        }
        return nil
    }

    /// Ends the push token of a customer who logs out, after what waits; returns the error.
    func invalidateTrackedToken() async -> SwitchboardError? {
        guard let bloomreach = configuration.bloomreach, let user,
            let properties = user.tokenTracking.invalidation(deviceID: user.deviceID)
        else { return nil }
        let event = TrackedEvent(
            kind: .event,
            customerIDs: user.customerIDs,
            name: "notification_state",
            properties: properties,
            at: clock.now
        )
        do {
            _ = try await send(routes.track(event).authorized(with: bloomreach.apiKey))
            self.user?.tokenTracking.invalidated()
            return nil
        } catch {
            // An API key that was rejected is no session that has ended: nothing was unregistered.
            let isRejected = error.code == .authenticationFailed || error.code == .tokenExpired
            return isRejected ? SwitchboardError(.unauthorized, error.message, reason: error.reason) : error
        }
    }
}
