extension SwitchboardClient {
    /// Requests what the brand offers at places of the app, and keeps the offer for ``openConversation()``.
    ///
    /// It needs no login; with one the consumer's active conversation is named. Without an offer an earlier one is dropped.
    ///
    /// - Parameters:
    ///   - entryPoints: The places of the app, such as `sec://sales`.
    ///   - identity: The consumer, if the session has no credential yet; only a JWE is sent, all else proves nothing.
    /// - Returns: The response.
    /// - Throws: `parameterMissing` without ``ClientConfiguration/monitoring``; others after all repetitions.
    @discardableResult
    public func getEngagement(
        entryPoints: [String],
        identity: AuthenticationParameters? = nil
    ) async throws(SwitchboardError) -> Engagement {
        let epoch = try session.admit()
        guard configuration.monitoring != nil else {
            throw SwitchboardError(.parameterMissing, "monitoring is missing", reason: "monitoring")
        }
        let request = routes.engagement(
            entryPoints: entryPoints,
            identity: canAuthenticate ? nil : identity?.encryptedAssertion,
            sessionID: engagement.sessionID,
            visitorID: engagement.visitorID
        )
        let response: Engagement
        if canAuthenticate {
            response = try await call(
                configuration.retry.engagement,
                { _ in request },
                read: { value throws(SwitchboardError) in try Engagement(value) }
            )
        } else {
            response = try Engagement(try await callWithoutToken(configuration.retry.engagement) { request })
        }
        // The consumer may have changed during the last wait.
        try check(epoch)
        engagement.received(response)
        return response
    }

    /// Makes a call without the session's token, repeated by policy.
    ///
    /// - Parameters:
    ///   - policy: The repetitions.
    ///   - request: Returns the request of each attempt.
    /// - Returns: The response.
    /// - Throws: The one error of the call; `sessionEnded` for a result of an earlier consumer.
    func callWithoutToken(
        _ policy: RetryPolicy,
        _ request: () async throws -> HTTPRequest
    ) async throws(SwitchboardError) -> JSONValue {
        let epoch = try session.admit()
        var schedule = RetrySchedule(policy)
        while true {
            let result: Result<JSONValue, SwitchboardError>
            do {
                let request = try await request()
                try check(epoch)
                result = .success(try await send(request))
            } catch {
                result = .failure(SwitchboardError(wrapping: error))
            }
            try check(epoch)
            let failure: SwitchboardError
            switch result {
            case .success(let value): return value
            case .failure(let error): failure = error
            }
            guard case .wait(let delay) = schedule.failed(failure) else { throw failure }
            try await typed { try await clock.sleep(for: delay) }
            try check(epoch)
        }
    }

    /// Opens a conversation to write in: the consumer's active one, or a new one, which the last offer routes.
    ///
    /// An offer is used once. If the gateway rejects it because it is old, it is dropped: request another one, or call
    /// this again for a conversation without one.
    ///
    /// - Returns: The id of the conversation.
    /// - Throws: `gone` or `invalidRequest` for the offer, `conflict` if the consumer has as many conversations as the
    ///   gateway keeps; others after all repetitions.
    public func openConversation() async throws(SwitchboardError) -> String {
        let epoch = try session.admit()
        let routes = routes
        let clientID = RandomText.identifier()
        let details = engagement.details
        do {
            let id = try await call(
                configuration.retry.messages,
                { _ in routes.openConversation(clientID: clientID, engagement: details) },
                read: { value throws(SwitchboardError) in try value.required("id", \.text) }
            )
            if let details { engagement.used(details) }
            return id
        } catch {
            if let details, session.isCurrent(epoch), [.gone, .invalidRequest].contains(error.code) {
                engagement.used(details)
            }
            throw error
        }
    }
}
