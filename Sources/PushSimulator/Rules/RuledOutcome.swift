/// The outcome of a request after the rules were applied.
package struct RuledOutcome: Sendable {
    /// The result for the sender.
    package var result: SimulatedPush.Result
    /// The status of the response; nil without one.
    package var status: Int?
    /// The provider's reason for a rejection, or the action of the rule if there is no response.
    package var reason: String?
    /// The response; nil for none.
    package var reply: SimulatorReply?

    /// Creates the outcome of an unchanged verdict.
    ///
    /// - Parameter verdict: The provider's verdict.
    package init(_ verdict: PushVerdict) {
        self.result = verdict.isAccepted ? .accepted : .refused
        self.status = verdict.reply.status
        self.reason = verdict.reason
        self.reply = verdict.reply
    }

    /// Creates an outcome without a response.
    ///
    /// - Parameter reason: The action of the rule.
    init(unanswered reason: String) {
        self.result = .unanswered
        self.status = nil
        self.reason = reason
        self.reply = nil
    }

    /// Creates the outcome of a verdict that a rule changes.
    ///
    /// - Parameters:
    ///   - verdict: The provider's verdict.
    ///   - action: The action of the rule.
    ///   - provider: The provider.
    ///   - now: The time of arrival.
    package init(_ verdict: PushVerdict, bentBy action: RuleAction, provider: SimulatedProvider, at now: SimulatorTime)
    {
        if action.drops {
            self.init(unanswered: "drop")
        } else if action.resetCode != nil {
            self.init(unanswered: "reset")
        } else if action.goAway?.coversRequest == false {
            self.init(unanswered: "goaway")
        } else if action.isSilent {
            self.init(unanswered: "silent")
        } else if action.mutes {
            self.init(unanswered: "mute")
        } else {
            self.init(Self.response(verdict, bentBy: action, provider: provider, at: now))
        }
    }

    private static func response(
        _ verdict: PushVerdict,
        bentBy action: RuleAction,
        provider: SimulatedProvider,
        at now: SimulatorTime
    ) -> PushVerdict {
        var verdict = verdict
        if verdict.isAccepted, action.status ?? 0 != 200, action.status != nil || action.reason != nil {
            verdict = Self.rejection(of: verdict, bentBy: action, provider: provider, at: now)
        }
        if let text = action.html {
            // A front end responds in place of a server that it cannot reach.
            let status = verdict.isAccepted ? action.status ?? 502 : verdict.reply.status
            verdict.reply = .html(status, text)
            if status != 200 { verdict.reason = verdict.reason ?? "HTML" }
        }
        if let body = action.body { verdict.reply.body = body }
        if action.spoilsSignature { verdict.reply.body = Self.spoilingSignature(of: verdict.reply.body) }
        if let text = action.location { verdict.reply.headers.append(("location", text)) }
        if let text = action.retryAfter { verdict.reply.headers.append(("retry-after", text)) }
        return verdict
    }

    /// Changes a character of an id token's signature, so that it is still base64url.
    private static func spoilingSignature(of body: [UInt8]) -> [UInt8] {
        guard var members = (try? JSONValue(parsing: body))?.members,
            let index = members.firstIndex(where: { $0.name == "id_token" }),
            let token = members[index].value.stringValue
        else { return body }
        var bytes = Array(token.utf8)
        let place = bytes.count - 10
        bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        members[index].value = .string(String(decoding: bytes, as: UTF8.self))
        return JSONValue.object(members).text
    }

    private static func rejection(
        of verdict: PushVerdict,
        bentBy action: RuleAction,
        provider: SimulatedProvider,
        at now: SimulatorTime
    ) -> PushVerdict {
        switch provider {
        case .apns:
            let status = action.status ?? action.reason.flatMap(APNsReason.init)?.status ?? 400
            let reason = action.reason ?? APNsReason.usual(for: status)?.rawValue
            let id = verdict.reply.headers.first { $0.name == "apns-id" }?.value ?? RandomID.uuid()
            guard let reason else {
                let reply = SimulatorReply(status: status, headers: [("apns-id", id)])
                return PushVerdict(token: verdict.token, reason: "Status\(status)", reply: reply)
            }
            let timestamp = action.timestamp.map { SimulatorTime(milliseconds: $0) } ?? now
            let reply = APNsReply.refused(status: status, reason: reason, id: id, timestamp: timestamp)
            return PushVerdict(token: verdict.token, reason: reason, reply: reply)
        case .fcm:
            let code = action.reason ?? FCMRejection.usualCode(for: action.status ?? 500)
            let rejection = FCMRejection.code(code, httpStatus: action.status)
            return PushVerdict(token: verdict.token, reason: rejection.reason, reply: rejection.reply)
        case .oauth, .identityProvider, .talkdesk:
            let status = action.status ?? 400
            let usual = status == 401 ? "invalid_client" : status < 500 ? "invalid_grant" : "internal_failure"
            let rejection = OAuthError(error: action.reason ?? usual, text: "Rejected by a rule of the simulator.")
            var reply = rejection.reply
            reply.status = action.status ?? reply.status
            return PushVerdict(token: verdict.token, reason: rejection.error, reply: reply)
        case .chatwoot:
            let error = action.reason ?? "Rejected by a rule of the simulator."
            let json: JSONValue = ["error": .string(error)]
            return PushVerdict(token: verdict.token, reason: error, reply: .json(action.status ?? 422, json))
        }
    }
}
