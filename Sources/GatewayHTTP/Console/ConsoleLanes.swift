internal import GatewayModel
internal import Hummingbird
internal import TextFormats

/// The lanes in sentences, with their pauses and paces; and the audit trail.
enum ConsoleLanes {
    @Sendable
    static func page(_ console: Console) async throws -> Response {
        let session = try await console.session()
        let cursor = try console.parameters(["cursor"], atMost: 2048)
        let list = try await console.get(console.api("lanes", query: cursor))
        let isManager = session.allows(.deliveriesManage, in: console.brand)
        let rows = list["items"].items.map { lane -> HTML in
            let (id, depth) = (lane["id"].word, lane["depth"])
            let (verb, label) = lane["pausedSince"] == .null ? ("pause", "Pause") : ("resume", "Resume")
            let button: HTML = """
                <form method="post" action="\(console.page("lanes", id, verb))">\
                \(ConsolePage.hidden("csrf", session.csrfToken))\
                <button name="\(verb)" id="\(verb)-\(id)" aria-label="\(label) \(id)">\(label)</button></form>
                """
            let pace: HTML = """
                <form class="pace" method="post" action="\(console.page("lanes", id, "pace"))">\
                \(ConsolePage.hidden("csrf", session.csrfToken))\
                <label for="pace-\(id)">Pushes a second of \(id); empty for no pace</label>\
                <input id="pace-\(id)" name="pushesPerSecond" value="\(lane["pushesPerSecond"].word)" size="6" \
                inputmode="numeric" maxlength="6" autocomplete="off"> \
                <button id="set-pace-\(id)" aria-label="Set the pace of \(id)">Set</button></form>
                """
            let change: HTML = isManager ? "\(button)\(pace)" : "\(lane["pushesPerSecond"])"
            let canary = lane["canary"]["sentence"].word.clipped(300)
            return """
                <tr><th scope="row">\(id)</th><td class="state \(lane["state"])">\(lane["state"])</td>\
                <td>\(change)</td>\
                <td class="text">\(lane["sentence"].word.clipped(300))\
                \(HTML.when(!canary.isEmpty, "<br>\(canary)"))</td>\
                <td>\(depth["agent"])</td><td>\(depth["badge"])</td><td>\(depth["proactive"])</td>\
                <td>\(lane["inFlight"])</td><td>\(lane["oldestWaitSeconds"])</td></tr>
                """
        }
        let columns = [
            "Lane", "State", isManager ? "Change; pushes a second" : "Pushes a second", "What happens",
            "Agents' messages", "Badges", "Proactive", "In flight", "Longest wait, s",
        ]
        let content: HTML = """
            \(ConsolePage.table("lane-list", "Lanes of the apps", columns, rows))
            \(ConsolePage.next(list) { console.page("lanes", query: [$0]) })
            """
        return console.response("Lanes", session, .lanes, content)
    }

    /// Pauses or resumes a lane, and shows all again.
    static func set(_ change: String, _ console: Console) async throws -> Response {
        let token = try await console.form().field("csrf")
        let lane = try console.call.segment("lane")
        try await console.send(.post, console.api("lanes", lane, change), csrfToken: token)
        return Console.redirection(to: console.page("lanes"))
    }

    /// Sets the pace of a lane, or removes it, and shows all again.
    @Sendable
    static func setPace(_ console: Console) async throws -> Response {
        let form = try await console.form()
        let (token, text) = (try form.field("csrf"), try form.field("pushesPerSecond"))
        let lane = try console.call.segment("lane")
        let pace: StrictJSON = text.isEmpty ? .null : Int64(text).map { .integer($0) } ?? .string(text)
        let body: StrictJSON.Members = ["pushesPerSecond": pace]
        try await console.send(.post, console.api("lanes", lane, "pace"), csrfToken: token, body: body)
        return Console.redirection(to: console.page("lanes"))
    }
}

/// The audit trail of a brand, for its administrators.
enum ConsoleAudit {
    @Sendable
    static func page(_ console: Console) async throws -> Response {
        let session = try await console.session()
        let cursor = try console.parameters(["cursor"], atMost: 2048)
        let list = try await console.get(console.api("audit", query: cursor))
        let rows = list["items"].items.map { entry -> HTML in
            let changes = entry["changes"].items.map(\.word).joined(separator: ", ").clipped(100)
            return """
                <tr><th scope="row">\(entry["at"])</th><td>\(entry["actor"]["id"])</td><td>\(entry["action"])</td>\
                <td class="words">\(entry["target"])</td><td class="text">\(entry["reason"].word.clipped(100))</td>\
                <td class="text">\(changes)</td></tr>
                """
        }
        let columns = ["At", "Who", "Action", "Of", "Reason", "Members"]
        let content: HTML = """
            \(ConsolePage.table("audit-list", "Changes, newest first", columns, rows))
            \(ConsolePage.next(list) { console.page("audit", query: [$0]) })
            """
        return console.response("Audit", session, .audit, content)
    }
}
