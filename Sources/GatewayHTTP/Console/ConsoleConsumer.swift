internal import GatewayModel
internal import Hummingbird
internal import TextFormats

/// A consumer, and why a message reached no device.
enum ConsoleConsumer {
    /// The maximum number of rows of a table.
    private static let maxRows = 50
    /// The maximum number of sessions that are shown.
    private static let maxSessions = 20
    /// The number of the newest deliveries among which the last push of each device is found.
    private static let lastPushes = "100"

    @Sendable
    static func page(_ console: Console) async throws -> Response {
        let session = try await console.session()
        let id = try console.call.segment("consumer")
        let consumer = try await console.get(console.api("consumers", id))
        let devices = consumer["devices"].items
        let conversations = consumer["conversations"].items
        let name = consumer["id"].word
        let newest = console.api("deliveries", query: [("consumer", name), ("limit", lastPushes)])
        let pushes = try await console.get(newest)["items"].items
        let quiet = consumer["quietHours"]
        let hours = [quiet["mode"], quiet["from"], quiet["to"], quiet["timeZone"]].map(\.word).filter { !$0.isEmpty }
        let deviceRows = devices.prefix(maxRows).map { device -> HTML in
            """
            <tr><th scope="row">\(device["deviceId"])</th><td>\(device["app"])</td><td>\(device["pushType"])</td>\
            <td>\(device["environment"])</td><td>\(device["state"])</td><td>\(last(of: device, pushes, console))</td>\
            <td class="words">\(device["receives"].items.map(\.word).joined(separator: ", "))</td>\
            <td>\(device["appVersion"])</td><td>\(device["registeredAt"])</td><td>\(device["lastSeenAt"])</td></tr>
            """
        }
        let sessionRows = consumer["sessions"].items.reversed().prefix(maxSessions).map { session -> HTML in
            """
            <tr><th scope="row">\(session["createdAt"])</th><td>\(session["deviceId"])</td>\
            <td>\(session["expiresAt"])</td></tr>
            """
        }
        let conversationRows = conversations.prefix(maxRows).map { conversation -> HTML in
            """
            <tr><th scope="row">\(conversation["id"])</th><td>\(conversation["unread"])</td>\
            <td>\(conversation["lastSequence"])</td><td>\(conversation["readSequence"])</td></tr>
            """
        }
        let facts: [(name: String, value: HTML)] = [
            ("Id", "\(name)"), ("Name", "\(consumer["name"])"), ("Email", "\(consumer["email"])"),
            ("Phone", "\(consumer["phone"])"),
            ("Quiet hours", hours.isEmpty ? "–" : "\(hours.joined(separator: " "))"),
            ("Since", "\(consumer["createdAt"])"), ("Unread messages", "\(consumer["unread"])"),
        ]
        let columns = [
            "Device", "App", "Transport", "Environment", "State", "Last push", "Receives", "Version", "Registered",
            "Last seen",
        ]
        let content: HTML = """
            \(ConsolePage.list("profile", facts))
            <p><a id="deliveries" href="\(console.page("deliveries", query: [("consumer", name)]))">Deliveries</a></p>
            <h2>Why nothing?</h2>
            \(question(console.page("consumers", name, "explain"), "", ""))
            \(ConsolePage.table("devices", "Devices", columns, deviceRows))
            \(rest(devices.count))
            \(ConsolePage.table(
                "conversations", "Conversations", ["Conversation", "Unread", "Last", "Read up to"], conversationRows
            ))
            \(rest(conversations.count))
            \(ConsolePage.table("sessions", "Newest sessions", ["Since", "Device", "Ends"], sessionRows))
            """
        return console.response("Consumer", session, nil, content)
    }

    /// Returns the state of the last push to a device.
    private static func last(of device: StrictJSON, _ pushes: [StrictJSON], _ console: Console) -> HTML {
        let push = pushes.first { push in
            push["deviceId"].word.hasSameBytes(as: device["deviceId"].word)
                && push["app"].word.hasSameBytes(as: device["app"].word)
        }
        guard let push else { return "–" }
        return """
            <a href="\(console.page("deliveries", push["id"].word))">\(push["state"])</a> \
            \(ConsoleDeliveries.response(push))
            """
    }

    /// Returns how many rows are not shown.
    private static func rest(_ count: Int) -> HTML {
        HTML.when(count > maxRows, "<p>These are \(maxRows) of \(count).</p>")
    }

    private static func question(_ path: String, _ message: String, _ at: String) -> HTML {
        """
        <form id="why" class="filter" action="\(path)">\(ConsolePage.field("message", "Message", message))\
        \(ConsolePage.field("at", "or the last one before (2026-01-02T03:04:05Z)", at))\
        <p><button id="explain">Explain</button></p></form>
        """
    }

    /// Explains a message, or the last one.
    @Sendable
    static func explanation(_ console: Console) async throws -> Response {
        let session = try await console.session()
        let id = try console.call.segment("consumer")
        let query = try console.parameters(["message", "at"])
        let found = try await console.get(console.api("consumers", id, "explain", query: query))
        let devices = found["devices"].items
        let rows = devices.prefix(maxRows).map { device -> HTML in
            let delivery = device["delivery"].text
            let link: HTML = delivery.map { #"<a href="\#(console.page("deliveries", $0))">\#($0)</a>"# } ?? "–"
            let verdict = DeviceExplanation.Code(word: device["code"].word)?.verdict(nil)
            return """
                <tr><th scope="row">\(device["deviceId"])</th>\
                <td class="text">\(device["sentence"].word.clipped(300)) \(verdict?.advice ?? "")</td>\
                <td>\(device["app"])</td><td>\(device["outcome"])</td><td>\(link)</td></tr>
                """
        }
        let message = found["message"]
        let content: HTML = """
            <p id="verdict" class="verdict">\(found["sentence"].word)</p>
            \(ConsolePage.list(
                "facts",
                [
                    ("Consumer", "\(found["consumer"].word)"), ("Message", "\(message["id"])"),
                    ("Kind", "\(message["kind"])"), ("Accepted", "\(message["acceptedAt"])"),
                ]
            ))
            \(ConsolePage.table("devices", "Devices", ["Device", "Why", "App", "Outcome", "Delivery"], rows))
            \(rest(devices.count))
            \(question(console.page("consumers", id, "explain"), query[0].value, query[1].value))
            """
        return console.response("Why nothing?", session, nil, content)
    }
}
