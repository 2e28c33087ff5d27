internal import GatewayModel
internal import HTTPTypes
internal import Identity
internal import Messaging
internal import NIOHTTP1

/// What a request for a window asks for; read before anything is looked up.
struct WindowRequest: Sendable {
    /// The subprotocol of this contract.
    static let subprotocol = "switchboard.v1"
    /// What a browser, which can send no `Authorization`, puts before its token.
    private static let tokenPrefix = "bearer."

    /// The brand of the path; nil for what cannot be a brand's id.
    let brand: BrandID?
    /// The device of the query.
    let device: DeviceID?
    /// The token: secret.
    let token: String?
    /// Whether the client speaks our subprotocol and must be told that we do.
    let offersSubprotocol: Bool
    /// What is wrong with the query.
    let fault: WindowClose?

    /// Reads a request; nil when it is for something else.
    ///
    /// - Parameter head: Its head.
    init?(_ head: HTTPRequestHead) {
        guard head.method == .GET, let brand = Self.brand(of: head.uri) else { return nil }
        self.brand = PercentDecoding.decode(brand).flatMap { BrandID($0) }
        var device: DeviceID?
        var fault: WindowClose?
        do {
            let query = head.uri.firstIndex(of: "?").map { String(head.uri[head.uri.index(after: $0)...]) }
            device = try QueryParameters(query).identifier("deviceId", as: DeviceID.self)
        } catch { fault = .unreadable("deviceId") }
        self.device = device
        self.fault = fault
        let offers = head.headers["sec-websocket-protocol"].flatMap { $0.split(separator: ",") }.map { offer in
            String(offer.drop { $0 == " " }.prefix { $0 != " " })
        }
        offersSubprotocol = offers.contains(Self.subprotocol)
        if let header = head.headers.first(name: "authorization") {
            // Another scheme is a credential that never opens a window.
            if case .bearer(let token)? = AuthorizationHeader(header) { self.token = token } else { token = "" }
        } else {
            token = offers.first { $0.hasPrefix(Self.tokenPrefix) }.map { String($0.dropFirst(Self.tokenPrefix.count)) }
        }
    }

    /// Whether a head asks for the WebSocket protocol and has no body (RFC 6455 section 4.1).
    static func asksForUpgrade(_ head: HTTPRequestHead) -> Bool {
        let headers = head.headers
        guard headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased() == "websocket" }),
            headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" }),
            !headers.contains(name: "transfer-encoding")
        else { return false }
        return (headers.first(name: "content-length") ?? "0") == "0"
    }

    /// The brand's segment of a window's path.
    private static func brand(of uri: String) -> Substring? {
        let path = uri.prefix { $0 != "?" }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count == 5, segments[0].isEmpty, segments[1] == "v1", segments[2] == "brands",
            segments[4] == "window"
        else { return nil }
        return segments[3]
    }
}
