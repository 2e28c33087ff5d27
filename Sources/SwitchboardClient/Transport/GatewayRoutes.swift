import Foundation

/// The requests of the gateway's device API, for one brand and app.
struct GatewayRoutes: Sendable {
    /// The address of the gateway, without a slash at its end.
    let server: URL
    let brandID: String
    let appID: String
    let timeout: Duration

    /// Creates the requests of an app.
    init(_ configuration: ClientConfiguration) {
        server = configuration.serverURL
        brandID = configuration.brandID
        appID = configuration.appID
        timeout = configuration.requestTimeout
    }

    /// Scopes of `unregister`.
    typealias Scope = UnregisterScope

    /// Creates a request without a credential.
    private func request(
        _ method: String,
        _ path: [String],
        query: [(String, String)] = [],
        body: [String: JSONValue?]? = nil
    ) -> HTTPRequest {
        var text = server.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        for segment in path { text += "/" + Self.encode(segment) }
        for (index, pair) in query.enumerated() {
            text += (index == 0 ? "?" : "&") + Self.encode(pair.0) + "=" + Self.encode(pair.1)
        }
        var headers = ["Accept": "application/json"]
        if body != nil { headers["Content-Type"] = "application/json" }
        return HTTPRequest(
            method: method,
            // Encoded text appended to a valid URL is one.
            url: URL(string: text) ?? server,
            headers: headers,
            body: body.map { JSONValue.object($0.compactMapValues { $0 }).data },
            timeout: timeout
        )
    }

    private func brand(_ path: String...) -> [String] { ["v1", "brands", brandID] + path }

    /// Percent-encodes everything but unreserved characters (RFC 3986 section 2.3).
    static func encode(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
    }

    // MARK: Sessions

    /// A login with an assertion.
    func openSession(assertion token: String, issuer: String?, _ device: LoginDevice) -> HTTPRequest {
        request(
            "POST",
            brand("sessions"),
            body: device.members(["grant": "assertion", "token": .string(token), "issuer": issuer.map { .string($0) }])
        )
    }

    /// A login with an authorization code.
    func openSession(
        code: AuthorizationCode,
        verifier: String?,
        issuer: String?,
        _ device: LoginDevice
    ) -> HTTPRequest {
        request(
            "POST",
            brand("sessions"),
            body: device.members([
                "grant": "code", "code": .string(code.code), "redirectUri": .string(code.redirectURI),
                "codeVerifier": verifier.map { .string($0) }, "issuer": issuer.map { .string($0) },
            ])
        )
    }

    /// A login without an identity.
    func openAnonymousSession(_ device: LoginDevice) -> HTTPRequest {
        request("POST", brand("sessions"), body: device.members(["grant": "anonymous"]))
    }

    /// The exchange of a signed payload (CCAI Platform).
    func exchange(_ token: String, sdkKeyName: String, _ device: LoginDevice) -> HTTPRequest {
        var exchange = request(
            "POST",
            ["v1", "ccaip", "auth", "token"],
            body: [
                "token": .string(token), "device_id": .string(device.deviceID),
                "anonymous_token": device.anonymousToken.map { .string($0) },
            ]
        )
        exchange.headers["X-SDK-Key-Name"] = sdkKeyName
        return exchange
    }

    /// The end of the session, and of the registration by scope.
    func endSession(_ scope: Scope) -> HTTPRequest {
        request("DELETE", brand("sessions", "current"), query: [("unregister", scope.rawValue)])
    }

    // MARK: Devices

    private func device(_ deviceID: String) -> [String] { brand("apps", appID, "devices", deviceID) }

    /// The registration of a device, or its renewal.
    func register(_ registration: PushRegistration, deviceID: String, environment: DeviceEnvironment) -> HTTPRequest {
        request("PUT", device(deviceID), body: registration.members(environment))
    }

    /// The present registration; 404 when there is none.
    func registration(deviceID: String) -> HTTPRequest { request("GET", device(deviceID)) }

    // MARK: Messages

    /// The unread counts.
    func unread() -> HTTPRequest { request("GET", brand("unread")) }

    /// Messages in order.
    func messages(conversation: String?, after sequence: Int?, limit: Int) -> HTTPRequest {
        var query = [("limit", String(limit))]
        if let conversation { query.append(("conversation", conversation)) }
        if let sequence { query.append(("afterSequence", String(sequence))) }
        return request("GET", brand("messages"), query: query)
    }

    /// The pending proactive messages.
    func proactive(limit: Int) -> HTTPRequest { request("GET", brand("proactive"), query: [("limit", String(limit))]) }

    /// The mark up to which the app showed messages.
    func markRead(conversation: String, upTo sequence: Int) -> HTTPRequest {
        request(
            "POST",
            brand("conversations", conversation, "read"),
            body: ["upToSequence": .integer(Int64(sequence))]
        )
    }

    /// A tap on a push.
    func tap(_ report: TapReport, deviceID: String) -> HTTPRequest {
        request(
            "POST",
            brand("messages", report.messageID, "tap"),
            body: [
                "deviceId": .string(deviceID), "tappedAt": .string(Timestamps.text(report.at)),
                "action": report.action.map { .string($0) }, "clearOthers": report.clearsOthers ? true : nil,
            ]
        )
    }

    /// The messaging window of a device; the transport makes it the upgrade to a WebSocket.
    func window(deviceID: String) -> HTTPRequest { request("GET", brand("window"), query: [("deviceId", deviceID)]) }

    /// A conversation to write in: the active one, or a new one, which an offer routes.
    func openConversation(clientID: String, engagement: Engagement.Details?) -> HTTPRequest {
        let claim = engagement.map { details in
            JSONValue.object([
                "campaignId": .string(details.campaignID), "engagementId": .string(details.engagementID),
                "contextId": .string(details.contextID),
            ])
        }
        return request(
            "POST",
            brand("conversations"),
            body: ["clientId": .string(clientID), "engagement": claim]
        )
    }

    /// The offer at places of the app.
    func engagement(
        entryPoints: [String],
        identity: String?,
        sessionID: String?,
        visitorID: String?
    ) -> HTTPRequest {
        request(
            "POST",
            brand("engagements"),
            body: [
                "app": .string(appID), "entryPoints": .array(entryPoints.map { .string($0) }),
                "identity": identity.map { .string($0) },
                "sessionId": sessionID.map { .string($0) }, "visitorId": visitorID.map { .string($0) },
            ]
        )
    }

    /// The end of a conversation by the consumer.
    func resolve(conversation: String) -> HTTPRequest {
        request("POST", brand("conversations", conversation, "resolve"))
    }

    // MARK: Bloomreach

    /// A change of a customer, an event or a click.
    func track(_ event: TrackedEvent) -> HTTPRequest {
        let path =
            switch event.kind {
            case .customer: ["customers"]
            case .event: ["customers", "events"]
            case .click: ["campaigns", "clicks"]
            }
        return request("POST", ["track", "v2", "projects", brandID] + path, body: event.members)
    }

    /// The categories of consents.
    func consentCategories() -> HTTPRequest {
        request("POST", ["data", "v2", "projects", brandID, "consent", "categories"], body: [:])
    }

    /// The items of the app inbox; with a sync token only what is new.
    func inbox(_ customerIDs: [String: String], syncToken: String?, applicationID: String) -> HTTPRequest {
        request(
            "POST",
            ["webxp", "projects", brandID, "appinbox", "fetch"],
            body: [
                "customer_ids": .texts(customerIDs), "sync_token": syncToken.map { .string($0) },
                "application_id": .string(applicationID),
            ]
        )
    }

    /// The read mark of an inbox item.
    func markRead(_ item: InboxItem) -> HTTPRequest {
        request(
            "POST",
            ["webxp", "projects", brandID, "appinbox", "markasread"],
            body: [
                "customer_ids": .texts(item.customerIDs), "message_ids": .array([.string(item.id)]),
                "sync_token": item.syncToken.map { .string($0) },
            ]
        )
    }

    /// A silent push to the device.
    func selfCheck(_ customerIDs: [String: String], _ token: PushToken) -> HTTPRequest {
        request(
            "POST",
            ["campaigns", "send-self-check-notification"],
            query: [("project_id", brandID)],
            body: [
                "customer_ids": .texts(customerIDs), "platform": .string(token.bloomreachPlatform),
                "push_notification_id": .string(token.token),
            ]
        )
    }

    /// Receipts of pushes; the gateway takes at most 500.
    func receipts(_ receipts: [PushReceipt], deviceID: String) -> HTTPRequest {
        let items = receipts.map { receipt in
            JSONValue.object([
                "messageId": .string(receipt.messageID), "deviceId": .string(deviceID),
                "state": .string(receipt.state.rawValue), "at": .string(Timestamps.text(receipt.at)),
            ])
        }
        return request("POST", brand("receipts"), body: ["receipts": .array(items)])
    }
}

/// The device's part of a login.
struct LoginDevice: Sendable {
    let deviceID: String
    /// The present push token, which proves that registrations of others with it may end.
    var currentToken: String?
    /// The token of the anonymous session that the consumer has used so far, which is merged.
    var anonymousToken: String?

    /// Adds the device's members to those of a grant.
    func members(_ grant: [String: JSONValue?]) -> [String: JSONValue?] {
        var members = grant
        members["deviceId"] = .string(deviceID)
        members["currentToken"] = currentToken.map { .string($0) }
        members["anonymousToken"] = anonymousToken.map { .string($0) }
        return members
    }
}

extension HTTPRequest {
    /// The request with a session token.
    func authorized(by token: String) -> HTTPRequest { authorized(with: BearerToken.header(token)) }

    /// The request with the value of the `Authorization` header.
    func authorized(with value: String) -> HTTPRequest {
        var request = self
        request.headers["Authorization"] = value
        return request
    }
}

/// The form of the `Authorization` header.
enum BearerToken {
    /// Returns the header's value; a token that already has the scheme gets it once.
    static func header(_ token: String) -> String {
        let scheme = "Bearer "
        let isPrefixed = token.utf8.count > scheme.utf8.count && token.prefix(scheme.count).lowercased() == "bearer "
        return scheme + (isPrefixed ? String(token.dropFirst(scheme.count)) : token)
    }
}

/// Times of the API: RFC 3339 in UTC with milliseconds.
enum Timestamps {
    /// Returns the text of a time, rounded to milliseconds: the format style truncates, and a `Date` is seldom exact.
    static func text(_ date: Date) -> String {
        let limit = 253_402_300_799_999.0
        let milliseconds = Int64(min(max((date.timeIntervalSince1970 * 1000).rounded(), 0), limit))
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let text = Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(Date.ISO8601FormatStyle())
        let digits = String(rest)
        return text.dropLast() + "." + String(repeating: "0", count: 3 - digits.utf8.count) + digits + "Z"
    }

    /// Returns the time of a text, with or without milliseconds; nil if it is not one.
    static func date(_ text: String) -> Date? {
        (try? Date(text, strategy: style)) ?? (try? Date(text, strategy: Date.ISO8601FormatStyle()))
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
