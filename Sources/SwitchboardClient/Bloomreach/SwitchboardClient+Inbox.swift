extension SwitchboardClient {
    /// The longest wait for the push token, and for the silent push, of a self-check.
    static let selfCheckTimeout = Duration.seconds(5)

    /// Fetches what is new in Bloomreach's app inbox.
    ///
    /// If another customer is named while the response is under way, it is dropped, and the inbox of that one is fetched.
    ///
    /// - Returns: The items that have not expired, newest first; at most 1,000.
    /// - Throws: `unauthorized` if the ``AuthorizationProvider`` gives no token, `parameterMissing` without
    ///   ``ClientConfiguration/bloomreach``; others after all repetitions.
    public func fetchAppInbox() async throws(SwitchboardError) -> [InboxItem] {
        let epoch = try session.admit()
        var attempts = 0
        while true {
            let bloomreach = try bloomreach()
            inbox.select(bloomreach.customerIDs)
            let token = inbox.syncToken
            attempts += 1
            do throws(SwitchboardError) {
                let response = try await callInbox(
                    routes.inbox(
                        bloomreach.customerIDs,
                        syncToken: token,
                        applicationID: bloomreach.settings.applicationID
                    )
                )
                try check(epoch)
                if user?.customerIDs == bloomreach.customerIDs {
                    try inbox.fetched(response)
                    return inbox.current(at: clock.now)
                }
                guard attempts < 3 else {
                    throw SwitchboardError(.conflict, "the customer changed during each request")
                }
            } catch {
                // The gateway does not know the sync token any more: everything is fetched.
                guard error.code == .gone, token != nil, attempts < 3, session.isCurrent(epoch) else { throw error }
                inbox = InboxState()
            }
        }
    }

    /// Marks an item of the app inbox as read, for the customer who fetched it.
    ///
    /// - Parameter item: The item.
    /// - Throws: As ``fetchAppInbox()``.
    public func markAppInboxRead(_ item: InboxItem) async throws(SwitchboardError) {
        try bloomreach()
        _ = try await callInbox(routes.markRead(item))
        inbox.read(item)
    }

    /// Makes a call that needs a customer token, if the brand uses them; each attempt asks the provider.
    private func callInbox(_ request: HTTPRequest) async throws(SwitchboardError) -> JSONValue {
        guard let authorization = inboxAuthorization else {
            throw SwitchboardError(.parameterMissing, "the settings have no bloomreach", reason: "bloomreach")
        }
        let clock = clock
        return try await callWithoutToken(configuration.retry.messages) { () async throws in
            request.authorized(with: try await authorization.header(clock: clock))
        }
    }

    /// Returns the categories of consents that the brand asks for; ``setConsent(_:isGiven:)`` tracks the customer's.
    ///
    /// - Returns: The categories.
    /// - Throws: `parameterMissing` without ``ClientConfiguration/bloomreach``; others after all repetitions.
    public func consentCategories() async throws(SwitchboardError) -> [ConsentCategory] {
        let request = routes.consentCategories().authorized(with: try bloomreach().settings.apiKey)
        return try await callWithoutToken(configuration.retry.messages) { request }
            .required("results", \.elements).compactMap { ConsentCategory($0) }
    }

    /// Checks the way of pushes from the gateway to this device by a silent one, which counts nowhere; for builds for
    /// debugging, see ``BloomreachConfiguration/isSelfCheckEnabled``.
    ///
    /// - Returns: The step that failed, if one did.
    /// - Throws: `forbidden` if it is not enabled, `conflict` if a check runs, `parameterMissing` without
    ///   ``ClientConfiguration/bloomreach``, `notInitialized`, `disabled`.
    public func selfCheckPush() async throws(SwitchboardError) -> SelfCheckResult {
        let bloomreach = try bloomreach()
        guard bloomreach.settings.isSelfCheckEnabled else {
            throw SwitchboardError(.forbidden, "self-checks are for builds for debugging")
        }
        guard selfCheckSignal == nil else { throw SwitchboardError(.conflict, "a self-check runs") }
        defer {
            selfCheckSignal?.finish()
            selfCheckSignal = nil
        }
        var step = SelfCheckResult.Step.token
        do {
            let registered = listenForSelfCheck()
            if user?.registration.desired == nil { try await wait(for: registered, "no push token was registered") }
            guard let token = user?.registration.desired?.token else {
                throw SwitchboardError(.sessionEnded, "the session ended during the self-check")
            }
            step = .events
            try await flushEvents()
            step = .request
            let arrived = listenForSelfCheck()
            let request = routes.selfCheck(bloomreach.customerIDs, token).authorized(with: bloomreach.settings.apiKey)
            let response = try await callWithoutToken(.none) { request }
            if response["success"]?.flag == false {
                throw SwitchboardError(.general, response["error"]?.text ?? "the push was not sent")
            }
            step = .push
            try await wait(for: arrived, "the silent push did not arrive")
            return SelfCheckResult(failedStep: nil, error: nil)
        } catch {
            return SelfCheckResult(failedStep: step, error: SwitchboardError(wrapping: error))
        }
    }

    /// Returns a stream with an element for the next push token, or the next push of a self-check.
    private func listenForSelfCheck() -> AsyncStream<Void> {
        selfCheckSignal?.finish()
        let (stream, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        selfCheckSignal = signal
        return stream
    }

    private func wait(for signals: AsyncStream<Void>, _ message: String) async throws {
        let late = SwitchboardError(.connectivity, message)
        try await bounded(Self.selfCheckTimeout, clock: clock, error: late) {
            for await _ in signals { return }
            throw late
        }
    }
}
