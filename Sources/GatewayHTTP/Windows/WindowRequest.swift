internal import GatewayModel
internal import HTTPTypes
internal import Identity
internal import Messaging
internal import NIOHTTP1
internal import TextFormats

/// A request for a window; parsed before anything is looked up.
struct WindowRequest: Sendable {
    /// The subprotocol of the messaging window (MessagingWindow page).
    static let subprotocol = "switchboard.v1"
    /// The prefix of the token from a browser, which cannot send `Authorization`.
    private static let tokenPrefix = "bearer."

    /// Whether the path is LivePerson's.
    let isLivePerson: Bool
    /// The brand of the path; nil for an invalid brand id.
    let brand: BrandID?
    /// The device of the query, which must be that of the session; the window of an unbound session has no device.
    let device: DeviceID?
    /// The token: secret.
    let token: String?
    /// Whether the client offers the gateway's subprotocol, which the response must then select.
    let offersSubprotocol: Bool
    /// The error of the query.
    let fault: WindowClose?

    /// Parses a request; nil when it is not for a window.
    init?(_ head: HTTPRequestHead) {
        guard head.method == .GET, let place = Self.place(of: head.uri) else { return nil }
        brand = PercentEncoding.decode(place.brand).flatMap { BrandID($0) }
        isLivePerson = place.isLivePerson
        var device: DeviceID?
        var fault: WindowClose?
        do {
            let parts = head.uri.byteSplit("?", maxSplits: 1)
            device = try QueryParameters(parts.count > 1 ? String(parts[1]) : nil).identifier(
                "deviceId",
                as: DeviceID.self
            )
        } catch { fault = .unreadable("deviceId") }
        self.device = device
        self.fault = fault
        let offers = head.headers["sec-websocket-protocol"].flatMap { $0.byteSplit(",") }.map(\.trimmingBlanks)
        offersSubprotocol = offers.contains { $0.hasSameBytes(as: Self.subprotocol) }
        if var header = head.headers.first(name: "authorization") {
            // LivePerson's name of the scheme.
            if isLivePerson, header.hasWordPrefix("jwt ") {
                header = "Bearer" + String(decoding: header.utf8.dropFirst(3), as: UTF8.self)
            }
            // A credential with another scheme never opens a window.
            if case .bearer(let token)? = AuthorizationHeader(header) { self.token = token } else { token = "" }
        } else {
            token = offers.first { $0.hasBytePrefix(Self.tokenPrefix) }
                .map { String(decoding: $0.utf8.dropFirst(Self.tokenPrefix.utf8.count), as: UTF8.self) }
        }
    }

    /// Whether a head is valid.
    static func isReadable(_ head: HTTPRequestHead) -> Bool {
        RequestHeadRules.isReadable(
            target: head.uri,
            host: head.headers.first(name: "host"),
            fields: head.headers.lazy.compactMap { name, value in
                HTTPField.Name(name).map { (name: $0, value: value) }
            }
        )
    }

    /// Whether a head requests the WebSocket protocol and announces no body (RFC 6455 section 4.1).
    static func asksForUpgrade(_ head: HTTPRequestHead) -> Bool {
        let headers = head.headers
        guard names("upgrade", headers).contains("websocket"), names("connection", headers).contains("upgrade"),
            !headers.contains(name: "transfer-encoding")
        else { return false }
        return (headers.first(name: "content-length") ?? "0").hasSameBytes(as: "0")
    }

    /// Returns the names that a header lists, in lower case (RFC 9110 section 5.6.1).
    static func names(_ header: String, _ headers: HTTPHeaders) -> Set<BoundedName> {
        Set(headers[header].flatMap { $0.byteSplit(",") }.compactMap { BoundedName(lowercasing: $0.trimmingBlanks) })
    }

    /// Returns the brand's segment of a window's path, and whether the path is LivePerson's.
    private static func place(of uri: String) -> (brand: Substring, isLivePerson: Bool)? {
        let path = uri.byteSplit("?", maxSplits: 1, omittingEmptySubsequences: false)[0]
        let segments = path.byteSplit("/", maxSplits: 6, omittingEmptySubsequences: false)
        guard (5...6).contains(segments.count), segments[0].isEmpty else { return nil }
        let isLivePerson = segments.count == 6
        let names = isLivePerson ? ["ws_api", "account", "messaging", "consumer"] : ["v1", "brands", "window"]
        let others = segments[1...2] + segments[4...]
        guard zip(others, names).allSatisfy({ $0.hasSameBytes(as: $1) }) else { return nil }
        return (segments[3], isLivePerson)
    }
}
