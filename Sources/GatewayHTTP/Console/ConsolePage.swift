internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import NIOCore
internal import TextFormats

/// A page of the console: its frame, with what all pages have in common.
struct ConsolePage {
    /// A page of a brand, in the order of the navigation.
    enum View: String, CaseIterable {
        case deliveries, failures, tail, lanes, objectives, unreachable, calendar, audit

        fileprivate var title: String {
            switch self {
            case .deliveries: "Deliveries"
            case .failures: "Failures"
            case .tail: "Live"
            case .lanes: "Lanes"
            case .objectives: "Objectives"
            case .unreachable: "Unreachable"
            case .calendar: "Calendar"
            case .audit: "Audit"
            }
        }

        fileprivate var scope: Scope {
            switch self {
            case .calendar, .audit: .brandAdmin
            case .unreachable: .consumersRead
            default: .deliveriesRead
            }
        }
    }

    var title: String
    /// The session of the operator; nil for a page without navigation.
    var session: Console.Session?
    /// The brand of the page.
    var brand: String?
    /// The current entry of the navigation.
    var view: View?
    /// The part below the heading.
    var content: HTML
    /// The value of the response's `Referrer-Policy`; browsers send forms of a page with `no-referrer` without an origin.
    var referrer = "same-origin"
    /// The page of this host that is opened at once.
    var refresh: String?

    /// Only what this host serves, no inline script or style, and no frame (Content Security Policy Level 3).
    private static let policy =
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'none'"

    /// Returns the response with the page.
    func response(_ status: HTTPResponse.Status = .ok) -> Response {
        let body = ByteBuffer(bytes: html.bytes)
        return Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentLength: String(body.readableBytes),
                .contentSecurityPolicy: Self.policy, .referrerPolicy: referrer, .robotsTag: "noindex",
            ],
            body: ResponseBody(byteBuffer: body)
        )
    }

    /// Returns the page of an error.
    static func response(to problem: Problem) -> Response {
        let errors = problem.errors.map { "<li><code>\($0.pointer)</code> \($0.detail)</li>" as HTML }
        let content: HTML = """
            <p role="alert" id="problem">\(problem.detail)</p>
            \(HTML.when(!errors.isEmpty, "<ul>\(errors)</ul>"))
            <p><a id="home" href="/console">Back to the console</a></p>
            """
        return ConsolePage(title: problem.title, content: content, referrer: "no-referrer")
            .response(HTTPResponse.Status(code: problem.status, reasonPhrase: problem.title))
    }

    private var html: HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        \(refresh.map { #"<meta http-equiv="refresh" content="0; url=\#($0)">"# as HTML } ?? "")
        <title>\(title) – \(brand.map { $0 + " – " } ?? "")Switchboard</title>
        <link rel="icon" href="\(ConsoleAsset.path("icon.svg"))">
        <link rel="stylesheet" href="\(ConsoleAsset.path("console.css"))">
        \(HTML.when(brand != nil, #"<script type="module" src="\#(ConsoleAsset.path("console.js"))"></script>"#))
        </head>
        <body>
        <a class="skip" href="#main">Skip to the content</a>
        \(session.map(header) ?? "<header><p>Switchboard</p></header>")
        <main id="main" tabindex="-1">
        <h1>\(title)</h1>
        \(content)
        </main>
        </body>
        </html>

        """
    }

    private func header(_ session: Console.Session) -> HTML {
        let places = brand.map { navigation($0, session) } ?? ""
        return """
            <header>
            <p><a id="brands" href="/console">Brands</a>\(brand.map { " › " + $0 } ?? "")</p>
            \(places)
            <form method="post" action="/console/sign-out">\(Self.hidden("csrf", session.csrfToken))
            <span>\(session.name)</span> <button id="sign-out">Sign out</button></form>
            </header>
            """
    }

    private func navigation(_ brand: String, _ session: Console.Session) -> HTML {
        let entries = View.allCases.filter { session.allows($0.scope, in: brand) }.map { entry -> HTML in
            let path = Console.path("/console/brands", [brand, entry.rawValue])
            let current: HTML = entry == view ? #" aria-current="page""# : ""
            return #"<li><a id="nav-\#(entry.rawValue)" href="\#(path)"\#(current)>\#(entry.title)</a></li>"#
        }
        return """
            <nav aria-label="\(brand)"><ul>\(entries)</ul></nav>
            <form role="search" action="\(Console.path("/console/brands", [brand, "search"]))">
            <label for="search">Find</label>
            <input id="search" name="q" type="search" required maxlength="4096" autocomplete="off" spellcheck="false">
            <button id="find">Find</button></form>
            """
    }

    // MARK: Pieces

    /// Returns a field that is not shown.
    static func hidden(_ name: String, _ value: String) -> HTML {
        #"<input type="hidden" name="\#(name)" value="\#(value)">"#
    }

    /// Returns a field for a line with its label.
    static func field(_ name: String, _ label: String, _ value: String = "", isRequired: Bool = false) -> HTML {
        let required: HTML = isRequired ? " required" : ""
        return """
            <p><label for="\(name)">\(label)</label> <input id="\(name)" name="\(name)" value="\(value)" maxlength="256" \
            autocomplete="off" spellcheck="false"\(required)></p>
            """
    }

    /// Returns a choice of words with its label, and an empty first one.
    static func choice(_ name: String, _ label: String, _ words: [String], _ value: String) -> HTML {
        let options = words.map { word -> HTML in
            let selected: HTML = word.hasSameBytes(as: value) ? " selected" : ""
            return "<option\(selected)>\(word)</option>"
        }
        return """
            <p><label for="\(name)">\(label)</label> <select id="\(name)" name="\(name)"><option value="">any</option>\
            \(options)</select></p>
            """
    }

    /// Returns a table in a region that can be scrolled by keyboard; a sentence when it has no rows.
    static func table(_ id: String, _ caption: String, _ columns: [String], _ rows: some Collection<HTML>) -> HTML {
        let head = columns.map { #"<th scope="col">\#($0)</th>"# as HTML }
        guard !rows.isEmpty else { return #"<p id="\#(id)">\#(caption): none.</p>"# }
        return """
            <div class="scroll" role="region" aria-label="\(caption)" tabindex="0">
            <table id="\(id)"><caption>\(caption)</caption><thead><tr>\(head)</tr></thead>
            <tbody>\(Array(rows))</tbody></table></div>
            """
    }

    /// Returns a list of names with values.
    static func list(_ id: String, _ pairs: [(name: String, value: HTML)]) -> HTML {
        let entries = pairs.map { "<dt>\($0.name)</dt><dd>\($0.value)</dd>" as HTML }
        return #"<dl id="\#(id)">\#(entries)</dl>"#
    }

    /// Returns the link to the next page of a list, with the same filters.
    static func next(_ list: StrictJSON, _ path: (Console.Parameter) -> String) -> HTML {
        guard let cursor = list["nextCursor"].text else { return "" }
        return #"<p><a id="next" rel="next" href="\#(path(("cursor", cursor)))">Next page</a></p>"#
    }

    /// Returns a link to a list as a file, for administrators: the API exports to no other role.
    static func export(_ session: Console.Session, _ console: Console, _ path: String) -> HTML {
        guard session.allows(.brandAdmin, in: console.brand) else { return "" }
        return #"<p><a id="export" href="\#(path)" download>Export as CSV</a></p>"#
    }

    /// Returns a time span in milliseconds as text.
    static func span(_ milliseconds: Int64) -> String {
        switch milliseconds {
        case ..<1000: "\(milliseconds) ms"
        case ..<120_000: "\(milliseconds / 1000).\(milliseconds / 100 % 10) s"
        case ..<7_200_000: "\(milliseconds / 60_000) min"
        default: "\(milliseconds / 3_600_000) h"
        }
    }
}
