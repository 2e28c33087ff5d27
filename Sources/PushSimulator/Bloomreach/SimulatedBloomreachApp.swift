/// An app with Bloomreach's SDK: it sends the requests that exponea-ios-sdk 4.0.1 sends (`Models/Requests`,
/// `RequestFactory.swift`), for one customer at a time.
///
/// As the SDK does, it fetches the inbox once more from the start when its sync token is dead (410), and forgets the
/// token when the customer changes.
package struct SimulatedBloomreachApp: Sendable {
    /// A request to the project.
    package struct Request: Sendable {
        /// `GET` or `POST`.
        package var method: String
        /// The path with the query.
        package var path: String
        /// The value of `Authorization`.
        package var authorization: String
        /// The JSON text; empty with `GET`.
        package var body: [UInt8]
    }

    /// A response of the project.
    package struct Response: Sendable {
        /// The status.
        package var status: Int
        /// The body; null if it is no JSON.
        package var body: JSONValue

        /// Whether it is what the SDK takes for a success.
        package var isSuccess: Bool { status == 200 && body["success"] == .bool(true) }
    }

    /// Sends a request, and throws without a response.
    package typealias Send = @Sendable (Request) async throws -> (status: Int, body: [UInt8])

    /// The id of the installation, as long as nobody is identified.
    package private(set) var cookie: String
    /// The id of the identified customer; nil for nobody.
    package private(set) var registered: String?
    /// The sync token of the inbox; nil before the first fetch.
    package private(set) var syncToken: String?
    /// The customer token of the app's back-end, which the inbox requests have in place of the API key.
    package var customerToken: String?

    private let project: String
    private let key: String
    private let clock: @Sendable () -> SimulatorTime
    private let send: Send

    /// Creates an app of which nobody is identified.
    ///
    /// - Parameters:
    ///   - project: The project's token: here the brand.
    ///   - key: The API key.
    ///   - cookie: The id of the installation.
    ///   - clock: The wall clock.
    ///   - send: Sends one request.
    package init(
        project: String,
        key: String,
        cookie: String,
        clock: @escaping @Sendable () -> SimulatorTime = SimulatorTime.now,
        send: @escaping Send
    ) {
        self.project = project
        self.key = key
        self.cookie = cookie
        self.clock = clock
        self.send = send
    }

    // MARK: Tracking

    /// Identifies the customer, and sets properties of it.
    package mutating func identify(
        _ registered: String,
        _ properties: [(String, JSONValue)] = []
    ) async throws -> Response {
        (self.registered, syncToken, customerToken) = (registered, nil, nil)
        return try await track("/customers", [("properties", Self.object(properties))])
    }

    /// Makes the customer an anonymous one with another cookie.
    package mutating func anonymize(cookie: String) {
        (self.cookie, registered, syncToken, customerToken) = (cookie, nil, nil, nil)
    }

    /// Tracks an event.
    package func track(event type: String, _ properties: [(String, JSONValue)] = []) async throws -> Response {
        try await track("/customers/events", [("properties", Self.object(properties)), ("event_type", .string(type))])
    }

    /// Tracks the token of the device's pushes, which may have been granted (`notification_state`).
    package func track(token: String, platform: String, isGranted: Bool = true) async throws -> Response {
        try await track(
            event: "notification_state",
            [
                ("push_notification_token", .string(token)), ("platform", .string(platform)),
                ("valid", .bool(isGranted)), ("application_id", .string("default-application")),
                ("description", .string(isGranted ? "Permission granted" : "Permission denied")),
            ]
        )
    }

    /// Tracks a click on a link of a campaign.
    package func track(click url: String) async throws -> Response {
        try await track(
            "/campaigns/clicks",
            [("url", .string(url)), ("properties", Self.object([("platform", .string("ios"))]))]
        )
    }

    // MARK: Reading

    /// Fetches the project's consent categories.
    package func consentCategories() async throws -> Response {
        try await exchange("GET", "/data/v2/projects/\(project)/consent/categories", nil)
    }

    /// Fetches what is new in the inbox, once more from the start if the sync token is dead.
    package mutating func fetchInbox() async throws -> Response {
        let body = inbox([("application_id", .string("default-application"))])
        let response = try await exchange("POST", inboxPath("fetch"), body, customerToken)
        if response.status == 410, syncToken != nil {
            syncToken = nil
            return try await fetchInbox()
        }
        if response.isSuccess { syncToken = response.body["sync_token"]?.stringValue }
        return response
    }

    /// Marks items of the inbox as read.
    package func markAsRead(_ items: [String]) async throws -> Response {
        let body = inbox([("message_ids", .array(items.map { .string($0) }))])
        return try await exchange("POST", inboxPath("markasread"), body, customerToken)
    }

    /// Asks the project for a silent push to the device.
    package func selfCheck(token: String, platform: String) async throws -> Response {
        let body = Self.object([
            ("customer_ids", ids), ("platform", .string(platform)), ("push_notification_id", .string(token)),
        ])
        return try await exchange("POST", "/campaigns/send-self-check-notification?project_id=\(project)", body)
    }

    // MARK: Script

    /// Sends a request of each kind, as on a first visit with a campaign's link, and marks the whole inbox as read.
    ///
    /// - Parameters:
    ///   - customer: The customer who is identified.
    ///   - token: The token of the device's pushes.
    ///   - platform: `ios`, `android` or `huawei`.
    /// - Returns: The name and the status of each request, in order.
    /// - Throws: The error of a request without a response.
    package mutating func visit(
        as customer: String,
        token: String,
        platform: String
    ) async throws -> [(request: String, status: Int)] {
        var statuses: [(request: String, status: Int)] = []
        statuses.append(("events", try await track(event: "session_start").status))
        statuses.append(
            ("clicks", try await track(click: "https://shop.example.com/?utm_source=mail&xnpe_cmp=spring").status)
        )
        statuses.append(("customers", try await identify(customer, [("first_name", .string("Ann"))]).status))
        statuses.append(("notification_state", try await track(token: token, platform: platform).status))
        statuses.append(("categories", try await consentCategories().status))
        let inbox = try await fetchInbox()
        statuses.append(("fetch", inbox.status))
        let items = inbox.body["messages"]?.elements?.compactMap { $0["id"]?.stringValue } ?? []
        statuses.append(("markasread", try await markAsRead(items).status))
        statuses.append(("self-check", try await selfCheck(token: token, platform: platform).status))
        return statuses
    }

    // MARK: Requests

    private var ids: JSONValue {
        var ids = [("cookie", JSONValue.string(cookie))]
        if let registered { ids.append(("registered", .string(registered))) }
        return Self.object(ids)
    }

    private func track(_ path: String, _ members: [(String, JSONValue)]) async throws -> Response {
        let time = ("timestamp", JSONValue.number(Double(clock().milliseconds) / 1000))
        return try await exchange(
            "POST",
            "/track/v2/projects/\(project)" + path,
            Self.object([("customer_ids", ids)] + members + [time])
        )
    }

    private func inboxPath(_ name: String) -> String { "/webxp/projects/\(project)/appinbox/" + name }

    private func inbox(_ members: [(String, JSONValue)]) -> JSONValue {
        var all = [("customer_ids", ids)] + members
        if let syncToken { all.append(("sync_token", .string(syncToken))) }
        return Self.object(all)
    }

    private func exchange(
        _ method: String,
        _ path: String,
        _ body: JSONValue?,
        _ token: String? = nil
    ) async throws -> Response {
        let request = Request(
            method: method,
            path: path,
            authorization: token.map { "Bearer " + $0 } ?? "Token " + key,
            body: body.map { $0.text } ?? []
        )
        let (status, text) = try await send(request)
        return Response(status: status, body: (try? JSONValue(parsing: text)) ?? .null)
    }

    private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { JSONValue.JSONMember(name: $0.0, value: $0.1) })
    }
}
