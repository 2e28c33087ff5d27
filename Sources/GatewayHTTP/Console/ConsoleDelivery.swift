internal import GatewayModel
internal import Hummingbird
internal import TextFormats

/// One delivery: who is at fault and what to do, its history, and what the phone shows.
enum ConsoleDelivery {
    /// The maximum number of steps that are shown: the last ones.
    private static let maxRows = 100

    @Sendable
    static func page(_ console: Console) async throws -> Response {
        let session = try await console.session()
        let id = try console.call.segment("delivery")
        let delivery = try await console.get(console.api("deliveries", id))
        let explained = try await explanation(of: delivery, console)
        let links = try await console.get(console.api("deliveries", id, "links"))
        let seesConsumers = session.allows(.consumersRead, in: console.brand)
        let token = ConsolePage.hidden("csrf", session.csrfToken)
        let mayRetry = session.allows(.deliveriesManage, in: console.brand) && mayBeRetried(delivery["state"].word)
        let retry: HTML = """
            <form method="post" action="\(console.page("deliveries", id, "retry"))">\(token)\
            <p><button id="retry">Try again</button></p></form>
            """
        let reveal: HTML = """
            <h2 id="phone">What the phone shows</h2>
            <form method="post" action="\(console.page("deliveries", id, "reveal"))">\(token)
            <p><label for="reason">Why do you need the text? The audit trail stores it.</label>
            <input id="reason" name="reason" required maxlength="256"></p>
            \(ConsolePage.field("locale", "Language of the device, for example de"))
            <p><button id="reveal">Show the message and the push</button></p></form>
            """
        let content: HTML = """
            \(verdict(delivery, explained))
            \(HTML.when(mayRetry, retry))
            \(facts(delivery, consumer: consumer(delivery["consumer"].word, seesConsumers, console)))
            \(timeline(delivery, explained))
            \(attempts(delivery))
            \(HTML.when(seesConsumers && delivery["messageId"] != .null, reveal))
            \(ConsoleLinks.section(links, id, token, console))
            """
        return console.response("Delivery \(id.clipped(20))", session, .deliveries, content)
    }

    /// Returns the explanation of the delivery's device; null when its message is not stored.
    private static func explanation(of delivery: StrictJSON, _ console: Console) async throws -> StrictJSON {
        guard let message = delivery["messageId"].text else { return .null }
        let path = console.api("consumers", delivery["consumer"].word, "explain", query: [("message", message)])
        do {
            let devices = try await console.get(path)["devices"].items
            return devices.first { $0["delivery"] == delivery["id"] } ?? .null
        } catch let problem as Problem where problem.status == 404 { return .null }
    }

    private static func mayBeRetried(_ state: String) -> Bool {
        [DeliveryState.failed, .expired].contains { state.hasSameBytes(as: $0.rawValue) }
    }

    // MARK: Parts

    static func verdict(_ delivery: StrictJSON, _ explained: StrictJSON) -> HTML {
        let status = delivery["status"].number
        guard let verdict = DeviceExplanation.Code(word: explained["code"].word)?.verdict(status) else {
            return #"<p id="verdict" class="verdict">The push is \#(delivery["state"]).</p>"#
        }
        return """
            <p id="verdict" class="verdict">\(explained["sentence"].word) <strong>At fault: \(verdict.fault).</strong> \
            \(verdict.advice)</p>
            """
    }

    private static func consumer(_ id: String, _ seesConsumers: Bool, _ console: Console) -> HTML {
        let path = seesConsumers ? console.page("consumers", id) : console.page("deliveries", query: [("consumer", id)])
        return #"<a id="consumer" href="\#(path)">\#(id)</a>"#
    }

    static func facts(_ delivery: StrictJSON, consumer: HTML) -> HTML {
        let providerID = delivery["providerId"].word.clipped(256)
        return ConsolePage.list(
            "facts",
            [
                ("State", "\(delivery["state"])"),
                ("Consumer", consumer),
                ("Message", "\(delivery["messageId"])"),
                ("Device", "\(delivery["deviceId"].word)"), ("App", "\(delivery["app"])"),
                ("Provider", "\(delivery["provider"])"),
                ("Id at the provider", "\(providerID.isEmpty ? "–" : providerID)"),
                ("Badge", "\(delivery["badge"])"),
            ]
        )
    }

    /// Returns the steps, each with the time since the one before and what was waited for.
    static func timeline(_ delivery: StrictJSON, _ explained: StrictJSON) -> HTML {
        var rows: [HTML] = []
        var previous: (at: Timestamp, state: String)?
        for step in delivery["timeline"].items {
            let (state, at) = (step["state"].word, Timestamp(rfc3339: step["at"].word))
            var wait = ""
            if let previous, let at {
                let span = ConsolePage.span(max(at.milliseconds - previous.at.milliseconds, 0))
                wait = span + cause(previous.state, state)
            }
            rows.append(
                """
                <tr><th scope="row">\(state)</th><td>\(step["at"])</td><td>\(wait)</td><td>\(step["attempt"])</td>\
                <td>\(step["reason"])</td></tr>
                """
            )
            previous = at.map { ($0, state) }
        }
        if DeliveryState(word: delivery["state"].word)?.isFinished == false {
            rows.append(
                #"<tr><th scope="row">now</th><td class="text" colspan="4">\#(explained["sentence"].word)</td></tr>"#
            )
        }
        let columns = ["Step", "At", "Since the step before", "Attempt", "Reason"]
        return ConsolePage.table("timeline", "Timeline", columns, rows.suffix(maxRows))
    }

    /// Returns what was waited for between two steps.
    private static func cause(_ previous: String, _ state: String) -> String {
        guard state.hasSameBytes(as: "sent") else {
            return previous.hasSameBytes(as: "sent") ? ", for the provider's response" : ""
        }
        if previous.hasSameBytes(as: "retrying") { return ", for the next attempt" }
        if previous.hasSameBytes(as: "held") { return ", for an open window" }
        return ", for the lane, or for the end of quiet hours"
    }

    static func attempts(_ delivery: StrictJSON) -> HTML {
        let rows = delivery["attemptLog"].items.suffix(maxRows / 2).map { attempt -> HTML in
            """
            <tr><th scope="row">\(attempt["number"])</th><td>\(attempt["sentAt"])</td>\
            <td>\(ConsoleDeliveries.response(attempt))</td><td>\(attempt["latencyMs"])</td></tr>
            """
        }
        return ConsolePage.table("attempts", "Attempts", ["Attempt", "Sent", "Response", "Latency, ms"], rows)
    }

    // MARK: Forms

    @Sendable
    static func retry(_ console: Console) async throws -> Response {
        let token = try await console.form().field("csrf")
        let id = try console.call.segment("delivery")
        try await console.send(.post, console.api("deliveries", id, "retry"), csrfToken: token)
        return Console.redirection(to: console.page("deliveries", id))
    }

    /// Shows the message with its text, and the push that is made of it; the API asks for the reason and records it.
    @Sendable
    static func reveal(_ console: Console) async throws -> Response {
        let form = try await console.form()
        let (token, reason) = (try form.field("csrf"), try form.field("reason"))
        let id = try console.call.segment("delivery")
        let (delivery, revealed) = try await message(of: id, reason, token, console)
        let (title, nickname) = (revealed["title"].word, revealed["agent"]["nickname"].word)
        let sender: HTML = "<p>\(nickname)</p>"
        let session = try await console.session()
        let send: HTML = """
            <h2>See it on your own device</h2>
            <form method="post" action="\(console.page("deliveries", id, "send"))">\(ConsolePage.hidden("csrf", token))\
            \(ConsolePage.hidden("reason", reason))
            <p><label for="token">The push token of the device</label>
            <input id="token" name="token" required maxlength="4096" autocomplete="off" spellcheck="false"></p>
            \(ConsolePage.choice("environment", "Environment", ["production", "sandbox"], "production"))
            <p><button id="send">Send it to the device</button></p></form>
            """
        let content: HTML = """
            <article id="message" class="phone"><p><strong>\(title.isEmpty ? nickname : title)</strong></p>
            <p>\(revealed["text"].word.clipped(4000))</p>\(HTML.when(!title.isEmpty, sender))</article>
            \(try await preview(of: event(of: revealed, delivery), delivery, try form.field("locale"), console, token))
            \(HTML.when(session.allows(.brandAdmin, in: console.brand), send))
            <p><a id="back" href="\(console.page("deliveries", id))">Back to the delivery</a></p>
            """
        return console.response("What the phone shows", session, .deliveries, content)
    }

    /// Sends the push to a device that somebody has at hand: by a self-check, which is not stored or counted.
    @Sendable
    static func send(_ console: Console) async throws -> Response {
        let form = try await console.form()
        let token = try form.field("csrf")
        let id = try console.call.segment("delivery")
        let (delivery, revealed) = try await message(of: id, try form.field("reason"), token, console)
        let environment = try form.field("environment")
        let verdict = try await console.send(
            .post,
            console.api("apps", delivery["app"].word, "self-check"),
            csrfToken: token,
            body: [
                "token": .string(try form.field("token")), "pushType": delivery["provider"],
                "environment": environment.isEmpty ? .null : .string(environment),
                "event": event(of: revealed, delivery),
            ]
        ).json
        let content: HTML = """
            <p id="verdict" class="verdict">\(verdict["verdict"].word)</p>
            <p><a id="back" href="\(console.page("deliveries", id))">Back to the delivery</a></p>
            """
        return console.response("Sent to your device", try await console.session(), .deliveries, content)
    }

    /// Reveals the message of a delivery.
    private static func message(
        of id: String,
        _ reason: String,
        _ token: String,
        _ console: Console
    ) async throws -> (delivery: StrictJSON, message: StrictJSON) {
        let delivery = try await console.get(console.api("deliveries", id))
        guard let message = delivery["messageId"].text else { throw Problem.notFound("message") }
        let revealed = try await console.send(
            .post,
            console.api("messages", message, "reveal"),
            csrfToken: token,
            body: ["reason": .string(reason)]
        )
        return (delivery, revealed.json)
    }

    /// Returns the event of a message.
    private static func event(of message: StrictJSON, _ delivery: StrictJSON) -> StrictJSON {
        let kind = message["kind"]
        let isAgents = kind.word.hasSameBytes(as: MessageKind.agent.rawValue)
        let event: StrictJSON.Members = [
            "id": .string("preview"), "type": .string(isAgents ? "agent.message" : "proactive.message"),
            "kind": isAgents ? .null : kind, "consumer": delivery["consumer"], "conversation": message["conversation"],
            "text": message["text"], "title": message["title"], "data": message["data"], "agent": message["agent"],
            "link": message["link"], "category": message["category"], "silent": message["silent"],
        ]
        return .object(StrictJSON.Members(event.filter { $0.value != .null }))
    }

    /// Returns the request that the provider would get for an event now; the reason if it would get none.
    private static func preview(
        of event: StrictJSON,
        _ delivery: StrictJSON,
        _ locale: String,
        _ console: Console,
        _ token: String
    ) async throws -> HTML {
        do {
            let preview = try await console.send(
                .post,
                console.api("apps", delivery["app"].word, "preview"),
                csrfToken: token,
                body: [
                    "event": event, "pushType": delivery["provider"],
                    "locale": locale.isEmpty ? .null : .string(locale),
                ]
            ).json
            let cut = preview["truncated"].items.map(\.word).joined(separator: ", ")
            return """
                <h2>The push over \(delivery["provider"])</h2>
                <p id="budget">\(preview["bodyBytes"]) of \(preview["limitBytes"]) bytes. Left out or shortened: \
                \(cut.isEmpty ? "nothing" : cut).</p>
                <pre id="payload">\(String(decoding: preview["body"].sortedText, as: UTF8.self).clipped(8000))</pre>
                """
        } catch let problem as Problem where problem.status != 401 {
            return #"<p id="budget">There is no preview: \#(problem.detail)</p>"#
        }
    }
}

extension DeviceExplanation.Code {
    /// The fault and the advice for an operator.
    ///
    /// - Parameter status: The status of the provider's last response.
    /// - Returns: The fault ends a sentence, the advice is one.
    func verdict(_ status: Int64?) -> (fault: String, advice: String) {
        switch self {
        case .accepted: ("nobody", "If the phone shows nothing, look at its notification settings and its network.")
        case .delivered, .tapped: ("nobody", "There is nothing to do.")
        case .queued, .sending: ("nobody", "Wait, and load this page again.")
        case .quietHours: ("nobody", "The consumer or the brand may change the quiet hours.")
        case .laneWaits: ("you or the provider", "The page of lanes has the cause, and what waits.")
        case .windowOpen: ("nobody", "The message is in the app.")
        case .retrying: ("the provider", "Wait for the next attempt.")
        case .failed:
            switch status ?? 0 {
            case 401, 403: ("you", "Check the credential of the app with a self-check.")
            case 404, 410: ("the device", "The app must register its new token.")
            case 429, 500...599: ("the provider", "Try again when the provider's status page is green.")
            default: ("you", "Look for the reason among the provider's codes: app, payload and token must fit.")
            }
        case .expired: ("nobody", "Give messages a longer time to live, or find what held the lane.")
        case .unregistered, .registeredLater: ("nobody", "The device was not registered at that time.")
        case .unregisteredAgent, .agentLoggedOut: ("nobody", "The consumer must log in again in the app.")
        case .notSubscribed: ("nobody", "The app may register for proactive messages.")
        case .noConsent: ("nobody", "The consumer decides.")
        case .read, .collapsed, .silenced: ("nobody", "The push was not necessary.")
        case .tokenMoved, .tokenRejected: ("the device", "The app must register again.")
        case .noMessage: ("you", "Look whether the back-end posted the event.")
        case .notStored: ("nobody", "Ask about a newer message.")
        }
    }
}
