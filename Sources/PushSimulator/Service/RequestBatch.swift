internal import HTTP2Connections
internal import NIOCore
internal import Synchronization

/// The requests of one read, from their verdicts to the responses.
///
/// Used on the connection's loop.
struct RequestBatch {
    /// One request with the provider's verdict.
    struct Judged {
        var request: HTTP2ServerRequest
        var provider: SimulatedProvider
        var verdict: PushVerdict
    }

    let core: SimulatorCore
    let connection: HTTP2ServerConnection
    let record: ConnectionRecord
    /// The provider of the port.
    let port: SimulatedProvider
    /// The time of arrival.
    let now: SimulatorTime
    /// The stream limit after the first accepted push; nil for no change.
    let raisedStreams: UInt32?

    /// Applies the rules, records the outcome of each request, and only then sends responses: a sender with a response
    /// finds the push in the list.
    ///
    /// - Parameter judged: The requests in order of arrival.
    func finish(_ judged: [Judged]) {
        var actions = self.core.actions { judged.map { ($0.provider, $0.verdict.token, $0.request.body.count) } }
        var outcomes: [RuledOutcome] = []
        outcomes.reserveCapacity(judged.count)
        for index in judged.indices {
            if let action = actions?[index] {
                actions?[index] = self.settlingGoAway(of: action, stream: judged[index].request.stream.id)
            }
            if let reason = self.loss(of: judged[index], action: actions?[index]) {
                outcomes.append(RuledOutcome(unanswered: reason))
                actions?[index] = nil
            } else {
                outcomes.append(self.outcome(of: judged[index], action: actions?[index]))
            }
        }
        let mustRaise = self.raise(outcomes)
        self.write(judged, outcomes)
        if let mustRaise { self.connection.setMaxConcurrentStreams(mustRaise) }
        guard let actions else { return self.respond(judged, outcomes) }
        for index in judged.indices {
            self.perform(actions[index], for: judged[index], outcomes[index])
        }
    }

    /// Returns why a request gets no response whatever the rules say: an earlier GOAWAY or close of the connection.
    private func loss(of judged: Judged, action: RuleAction?) -> String? {
        let stream = judged.request.stream.id
        return self.record.state.withLock { state in
            if state.isCut { return "drop" }
            if stream > state.lastStream { return "goaway" }
            if let action, action.drops || action.mutes || action.truncates, action.delayMilliseconds == 0 {
                state.isCut = true
            }
            if let last = action?.goAway?.lastStreamID { state.lastStream = min(state.lastStream, last) }
            state.highestStream = max(state.highestStream, min(stream, state.lastStream))
            return nil
        }
    }

    /// Sets the last-stream-id of a GOAWAY: a server may send any, but not below the streams that it has processed.
    private func settlingGoAway(of action: RuleAction, stream: Int32) -> RuleAction {
        guard let order = action.goAway else { return action }
        let last: Int32
        if let wanted = order.lastStreamID {
            last = self.record.state.withLock { max(wanted, $0.highestStream) }
        } else {
            guard !order.coversRequest else { return action }
            last = max(0, stream - 2)
        }
        var action = action
        action.goAway?.lastStreamID = last
        action.goAway?.coversRequest = stream <= last
        return action
    }

    private func outcome(of judged: Judged, action: RuleAction?) -> RuledOutcome {
        guard let action else { return RuledOutcome(judged.verdict) }
        return RuledOutcome(judged.verdict, bentBy: action, provider: judged.provider, at: self.now)
    }

    /// - Returns: The limit to announce now.
    private func raise(_ outcomes: [RuledOutcome]) -> UInt32? {
        guard let raisedStreams = self.raisedStreams else { return nil }
        return self.record.state.withLock { state in
            guard !state.isRaised, outcomes.contains(where: { $0.result == .accepted }) else { return nil }
            state.isRaised = true
            return raisedStreams
        }
    }

    private func write(_ judged: [Judged], _ outcomes: [RuledOutcome]) {
        let open = self.record.state.withLock { state in
            state.unanswered += judged.count
            return state.unanswered
        }
        self.core.count { counts in
            var accepted = 0
            for (one, outcome) in zip(judged, outcomes) {
                if outcome.result == .accepted, one.provider == self.port {
                    accepted += 1
                } else {
                    counts.add(one.provider, outcome)
                }
            }
            counts.addAccepted(accepted, by: self.port)
            counts.noteConcurrentStreams(open, of: self.port)
        }
        guard let log = self.core.log else { return }
        log.append(
            zip(judged, outcomes).filter { $0.0.provider.isPushService }.map { one, outcome in
                SimulatedPush(
                    number: 0,
                    provider: one.provider,
                    time: self.now,
                    result: outcome.result,
                    status: outcome.status,
                    reason: outcome.reason,
                    connection: self.record.number,
                    token: one.verdict.token,
                    path: one.request.path,
                    headers: one.request.headers,
                    body: one.request.body
                )
            }
        )
    }

    private func respond(_ judged: [Judged], _ outcomes: [RuledOutcome]) {
        var responses: [(stream: Int32, response: HTTP2ServerResponse)] = []
        responses.reserveCapacity(judged.count)
        for (one, outcome) in zip(judged, outcomes) {
            guard let reply = outcome.reply else { continue }
            responses.append((one.request.stream.id, HTTP2ServerResponse(reply)))
        }
        self.record.state.withLock { $0.unanswered -= responses.count }
        self.connection.respond(responses)
    }

    /// Performs an action: effects on the connection at once, effects on the request after the rule's delay.
    private func perform(_ action: RuleAction?, for judged: Judged, _ outcome: RuledOutcome) {
        let stream = judged.request.stream
        if let limit = action?.maxStreams { self.connection.setMaxConcurrentStreams(limit) }
        if let order = action?.goAway {
            let usual = judged.provider == .apns ? #"{"reason":"Shutdown"}"# : ""
            self.connection.goAway(
                lastStreamID: order.lastStreamID,
                code: HTTP2ErrorCode(rawValue: order.code),
                debugData: Array((order.debugData ?? usual).utf8)
            )
        }
        if let milliseconds = action?.dribbleMilliseconds, milliseconds > 0 {
            self.connection.dribble(every: .milliseconds(Int64(milliseconds)))
        }
        let (connection, record) = (self.connection, self.record)
        let end: @Sendable () -> Void = {
            if action?.drops == true {
                connection.abort()
            } else if action?.mutes == true {
                connection.mute()
            } else if action?.truncates == true, let reply = outcome.reply {
                connection.truncate(stream: stream.id, HTTP2ServerResponse(reply))
            } else if let code = action?.resetCode, outcome.reason == "reset" {
                stream.reset(HTTP2ErrorCode(rawValue: code))
                record.state.withLock { $0.unanswered -= 1 }
            } else if let reply = outcome.reply {
                stream.respond(HTTP2ServerResponse(reply))
                record.state.withLock { $0.unanswered -= 1 }
            }
        }
        guard let delay = action?.delayMilliseconds, delay > 0 else { return end() }
        self.core.group.any().scheduleTask(in: .milliseconds(Int64(delay)), end)
    }
}

extension HTTP2ServerResponse {
    /// Converts a response.
    fileprivate init(_ reply: SimulatorReply) {
        self.init(status: reply.status, headers: reply.headers, body: reply.body)
    }
}
