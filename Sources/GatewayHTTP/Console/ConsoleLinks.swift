internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// Links that show one delivery to people without an account, and the page that they open.
enum ConsoleLinks {
    /// Shows the delivery of a link: what the delivery's page shows, without controls and without links to others.
    @Sendable
    static func page(_ console: Console) async throws -> Response {
        let token = try console.call.segment("linkToken")
        let link = try await console.get(Console.path("/v1/delivery-links", [token]))
        let (delivery, explained) = (link["delivery"], link["explanation"])
        let content: HTML = """
            <p id="until">Somebody who may see deliveries of \(link["brand"].word) shows you this one, without its text. \
            The link ends at \(link["expiresAt"]).</p>
            \(ConsoleDelivery.verdict(delivery, explained))
            \(ConsoleDelivery.facts(delivery, consumer: "\(delivery["consumer"].word)"))
            \(ConsoleDelivery.timeline(delivery, explained))
            \(ConsoleDelivery.attempts(delivery))
            """
        let title = "Delivery " + delivery["id"].word
        return ConsolePage(title: title, content: content, referrer: "no-referrer").response()
    }

    /// Returns the part of a delivery's page with its links.
    static func section(_ links: StrictJSON, _ id: String, _ token: HTML, _ console: Console) -> HTML {
        let rows = links["items"].items.map { link -> HTML in
            let (name, creator) = (link["id"].word, link["createdBy"])
            return """
                <tr><th scope="row">\(name)</th><td>\(creator["id"].word.clipped(40))</td><td>\(link["createdAt"])</td>\
                <td>\(link["expiresAt"])</td><td>\
                <form method="post" action="\(console.page("deliveries", id, "links", name, "revoke"))">\(token)\
                <button id="revoke-\(name)" aria-label="Revoke the link \(name)">Revoke</button></form></td></tr>
                """
        }
        return """
            <h2>Show it to somebody without an account</h2>
            <form method="post" action="\(console.page("deliveries", id, "links"))">\(token)
            <p>A link shows this delivery without its text to everybody who has it, for a day at most.</p>
            <p><button id="make-link">Make a link</button></p></form>
            \(ConsolePage.table("links", "Links", ["Link", "By", "Made", "Ends", "Control"], rows))
            """
    }

    @Sendable
    static func create(_ console: Console) async throws -> Response {
        let token = try await console.form().field("csrf")
        let id = try console.call.segment("delivery")
        let path = console.api("deliveries", id, "links")
        let link = try await console.send(.post, path, csrfToken: token, body: [:]).json
        let content: HTML = """
            <p>Copy the address of this link now; it is not shown again. It ends at \(link["expiresAt"]).</p>
            <p><a id="link" href="\(link["url"].word)">Delivery \(id)</a></p>
            <p><a id="back" href="\(console.page("deliveries", id))">Back to the delivery</a></p>
            """
        return console.response("A link to the delivery", try await console.session(), .deliveries, content)
    }

    @Sendable
    static func revoke(_ console: Console) async throws -> Response {
        let token = try await console.form().field("csrf")
        let (id, link) = (try console.call.segment("delivery"), try console.call.segment("link"))
        try await console.send(.delete, console.api("deliveries", id, "links", link), csrfToken: token)
        return Console.redirection(to: console.page("deliveries", id))
    }
}
