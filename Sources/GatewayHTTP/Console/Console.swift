internal import Delivery
internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Identity
internal import NIOCore
internal import TextFormats

/// A request of the console (Console page).
///
/// It calls the routes of the API with the operator's cookie, and renders their responses. So permissions, redaction, limits
/// and the audit trail are those of the API.
struct Console: Sendable {
    /// A parameter of a query; one without a value is left out.
    typealias Parameter = (name: String, value: String)

    /// The operator who is signed in.
    struct Session: Sendable {
        let name: String
        let grants: [OperatorGrant]
        /// The token that the forms send back.
        let csrfToken: String

        /// Returns whether a role in a brand allows something; which controls are shown depends on it, nothing else.
        func allows(_ scope: Scope, in brand: String) -> Bool {
            BrandID(brand).flatMap { grants.role(in: $0) }?.scopes.allows(scope) ?? false
        }
    }

    /// The maximum length of a form, in bytes.
    private static let maxFormBytes = 16_384
    /// The maximum length of a filter, in bytes: links repeat it.
    private static let maxFilterBytes = 256

    let call: Call
    /// The routes of the API.
    let routes: RouterResponder<GatewayContext>
    /// The name of the path's brand, which may be any text; "" for a page of no brand.
    let brand: String

    // MARK: Calls of the API

    /// Calls a route that only reads.
    func get(_ path: String) async throws -> StrictJSON { try await send(.get, path).json }

    /// Calls a route.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path with its query, encoded.
    ///   - csrfToken: The token of the form; nil for a route that only reads.
    ///   - body: The members of the body.
    /// - Returns: The response, its body parsed.
    /// - Throws: The `Problem` that the route responds with.
    @discardableResult
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        csrfToken: String? = nil,
        body: StrictJSON.Members? = nil
    ) async throws -> (json: StrictJSON, headers: HTTPFields) {
        let outer = call.request
        var head = HTTPRequest(method: method, scheme: outer.head.scheme, authority: outer.head.authority, path: path)
        // No other credential, and no condition.
        for name: HTTPField.Name in [.cookie, .forwarded, .xForwardedFor, .xForwardedProto] {
            for value in outer.headers[values: name] { head.headerFields.append(HTTPField(name: name, value: value)) }
        }
        head.headerFields[.xRequestID] = call.requestID
        head.headerFields[.xCSRFToken] = csrfToken
        let bytes = body.map { StrictJSON.object($0).sortedText } ?? []
        if body != nil {
            head.headerFields[.contentType] = "application/json"
            head.headerFields[.contentLength] = String(bytes.count)
        }
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: bytes)))
        let response = try await routes.respond(to: request, context: call.context.ofInnerCall)
        let text = try await response.collected()
        let json: StrictJSON
        do { json = try text.isEmpty ? .null : StrictJSON.parse(text, maxDepth: EventParser.maxDepth + 8) } catch {
            throw Problem(.internal, "The response cannot be shown.")
        }
        guard response.status.kind == .successful else { throw Problem(json, response) }
        return (json, response.headers)
    }

    /// Returns who is signed in; throws `Problem` 401.
    func session() async throws -> Session {
        let json = try await get("/v1/operators/session")
        let grants = json["roles"].items.compactMap { grant in
            OperatorRole(word: grant["role"].word).map { OperatorGrant($0, in: BrandID(grant["brand"].word)) }
        }
        return Session(name: json["name"].word, grants: grants, csrfToken: json["csrfToken"].word)
    }

    // MARK: The request

    /// Returns the path of a route of the API in the path's brand, with a query.
    func api(_ segments: String..., query: [Parameter] = []) -> String {
        Self.path("/v1/brands", [brand] + segments, query: query)
    }

    /// Returns the path of a page in the path's brand, with a query.
    func page(_ segments: String..., query: [Parameter] = []) -> String {
        Self.path("/console/brands", [brand] + segments, query: query)
    }

    /// Returns a path: texts are encoded, and parameters without a value are left out.
    static func path(_ base: String, _ segments: [String] = [], query: [Parameter] = []) -> String {
        let path = ([base] + segments.map(encoded)).joined(separator: "/")
        let pairs = query.filter { !$0.value.isEmpty }.map { "\($0.name)=\(encoded($0.value))" }
        return pairs.isEmpty ? path : path + "?" + pairs.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String { PercentEncoding.encode(text.utf8, .component) }

    /// Returns the parameters of the query that a form sends, in the order of the names; "" for those that are absent.
    func parameters(_ names: [BoundedName], atMost limit: Int = maxFilterBytes) throws(Problem) -> [Parameter] {
        let query = try QueryParameters(call.request.uri.query, .form)
        var parameters: [Parameter] = []
        for name in names {
            let value = try query.text(name) ?? ""
            guard value.utf8.count <= limit else {
                throw Problem(invalid: "/" + name.text, "has more than \(limit) bytes")
            }
            parameters.append((name.text, value))
        }
        return parameters
    }

    /// Reads a form that a page of the console sends; throws `Problem` 400, 403, 413 and 415.
    func form() async throws -> QueryParameters {
        let headers = call.request.headers
        // Fetch Metadata Request Headers section 2.4; older browsers send the origin only.
        if let site = headers.value(.secFetchSite) {
            guard site.isWord("same-origin") else { throw Self.otherSite }
        } else if let origin = headers.value(.origin) {
            guard origin.hasByteSuffix("://" + (call.request.head.authority ?? "")) else { throw Self.otherSite }
        }
        guard case "application/x-www-form-urlencoded" = MediaTypeName(headers.value(.contentType) ?? "") else {
            throw Problem(.unsupportedMediaType, "The body must be a form.")
        }
        let body = try await call.body { _ in Self.maxFormBytes }
        guard let text = String(validating: body.readableBytesView, as: UTF8.self) else {
            throw Problem.unreadable("The form is not UTF-8.")
        }
        return try QueryParameters(text, .form)
    }

    private static let otherSite = Problem(.forbidden, "The form was sent by a page of another site.")

    /// Returns a page of the brand.
    func response(
        _ title: String,
        _ session: Session,
        _ view: ConsolePage.View? = nil,
        _ content: HTML
    ) -> Response {
        let content: HTML = "\(ownFaults)\(content)"
        return ConsolePage(title: title, session: session, brand: brand, view: view, content: content).response()
    }

    /// The faults of the gateway itself, as `/readyz` names them; nothing when it has none.
    private var ownFaults: HTML {
        let health = call.services.delivery.health
        var faults = health.isAccepting ? [] : ["It accepts no events. " + Problem(notReady: health).detail]
        if call.services.keeper.isGuarded { faults.append("Its clock may be wrong, so that nothing expires.") }
        guard !faults.isEmpty else { return "" }
        return #"<p role="alert" id="own-faults">The gateway is not well. \#(faults.joined(separator: " "))</p>"#
    }

    /// Returns a redirection after a form, or to the page that is meant.
    static func redirection(to path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path])
    }
}

extension QueryParameters {
    /// Returns a field of a form; "" when it is absent.
    func field(_ name: BoundedName) throws(Problem) -> String { try text(name) ?? "" }
}

extension Problem {
    /// Reads the problem of a response of the API.
    fileprivate init(_ json: StrictJSON, _ response: Response) {
        self.init(
            ProblemCode(word: json["code"].word) ?? .internal,
            status: response.status.code,
            json["detail"].word,
            errors: json["errors"].items.map { FieldProblem(pointer: $0["pointer"].word, detail: $0["detail"].word) },
            retryAfterSeconds: response.headers[.retryAfter].flatMap { Int($0) }
        )
    }
}
