internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// The pages of other origins that may call a path (R192).
enum PageAccess: Sendable {
    /// None: operators and back-ends call it.
    case closed
    /// Pages of the origins that the brand in the path allows.
    case brand
    /// Pages of the origins that a brand with the CCAI adaptor allows: the path names no brand.
    case ccai
}

/// A request of a page, by the CORS protocol (https://fetch.spec.whatwg.org/#http-cors-protocol).
///
/// Tokens are sent in a header that a page sets itself, so credentials of the browser are never allowed.
struct CrossOrigin {
    /// The origin of the page, if it is allowed.
    private let origin: String?
    /// The methods of the path.
    private let methods: [String]
    /// Whether the browser asks before it sends the page's request; the path has no such method.
    let isPreflight: Bool

    /// The time for which a browser stores the response to a preflight, in seconds.
    private static let maxAgeSeconds = 600
    /// The header fields that a page may set.
    private static let requestHeaders =
        "Authorization, Content-Type, Idempotency-Key, X-Request-Id, X-SDK-Key-Name, traceparent"
    /// The header fields that a page may read, besides those that it always may.
    private static let responseHeaders =
        "X-Request-Id, Idempotency-Replayed, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate"

    /// Creates the request of a page; nil for a request that no page sends, or whose path no page may call.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - paths: All paths.
    ///   - directory: The directory with the brands.
    init?(_ request: Request, _ paths: KnownPaths, _ directory: Directory) {
        guard let origin = request.headers.value(.origin),
            let path = paths.pages(of: request.uri.path)
        else { return nil }
        let isAllowed =
            switch path.access {
            case .closed: false
            case .brand:
                Self.brand(of: request.uri.path, directory)?.settings.allowedOrigins
                    .contains { $0.hasSameBytes(as: origin) } ?? false
            case .ccai: directory.allowsCCAI(origin: origin)
            }
        self.origin = isAllowed ? origin : nil
        methods = path.methods
        isPreflight = request.method == .options && request.headers.contains(.accessControlRequestMethod)
    }

    /// Returns the brand of a path that begins with `/v1/brands/:brand`.
    private static func brand(of path: String, _ directory: Directory) -> Brand? {
        let segments = path.byteSplit("/", omittingEmptySubsequences: false)
        guard segments.count > 3, let text = PercentEncoding.decode(segments[3]), let id = BrandID(text) else {
            return nil
        }
        return directory.brand(id)
    }

    /// Adds the fields of a response; a page of another origin gets none that allow anything.
    ///
    /// - Parameter headers: The response's fields.
    func write(to headers: inout HTTPFields) {
        headers[.vary] = "Origin"
        guard let origin else { return }
        headers[.accessControlAllowOrigin] = origin
        guard isPreflight else {
            headers[.accessControlExposeHeaders] = Self.responseHeaders
            return
        }
        headers[.accessControlAllowMethods] = methods.joined(separator: ", ")
        headers[.accessControlAllowHeaders] = Self.requestHeaders
        headers[.accessControlMaxAge] = String(Self.maxAgeSeconds)
    }
}
