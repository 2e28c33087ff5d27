/// An error as the caller gets it: `application/problem+json` (RFC 9457) with a stable code.
///
/// It contains nothing secret: it is sent unchanged.
package struct Problem: Error, Sendable, Equatable {
    /// The stable code.
    package var code: ProblemCode
    /// The HTTP status.
    package var status: Int
    /// One readable sentence.
    package var detail: String
    /// Refines `token_invalid`; for a denied access token the reason of the denial.
    package var reason: String?
    /// The claim that is missing, for the reason `missing_claim` (R53).
    package var claim: String?
    /// The invalid members.
    package var errors: [FieldProblem]
    /// The seconds for `Retry-After`, which statuses 429 and 503 always have; nil sends none.
    package var retryAfterSeconds: Int?
    /// The methods for `Allow`; empty sends none.
    package var allow: [String] = []
    /// Whether the request may have succeeded nevertheless: the store did not report the result.
    var isOutcomeUnknown = false
    /// Whether a claim is invalid, of an authentic token or of a token to be signed (R31).
    var isAboutClaim = false
    /// The state of the rate limit that the caller exceeded.
    var rate: RateLimitState?

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - code: The stable code.
    ///   - status: The HTTP status; nil takes the code's own.
    ///   - detail: One readable sentence.
    ///   - reason: Refines `token_invalid`.
    ///   - errors: The invalid members.
    ///   - retryAfterSeconds: The seconds for `Retry-After`; 5 by default for a status that must have it.
    package init(
        _ code: ProblemCode,
        status: Int? = nil,
        _ detail: String,
        reason: String? = nil,
        errors: [FieldProblem] = [],
        retryAfterSeconds: Int? = nil
    ) {
        self.code = code
        self.status = status ?? code.status
        self.detail = detail
        self.reason = reason
        self.errors = errors
        let mustNameTime = self.status == 429 || self.status == 503
        self.retryAfterSeconds = retryAfterSeconds ?? (mustNameTime ? 5 : nil)
    }

    /// The maximum number of ``errors``: a caller fixes that many at a time, and a body may have a hundred thousand.
    package static let maxErrors = 50

    /// Creates a problem for invalid members (422); of more than ``maxErrors`` the first are included, and `detail`
    /// states it.
    package init(invalid errors: [FieldProblem]) {
        let isCut = errors.count > Self.maxErrors
        self.init(
            .invalidRequest,
            isCut
                ? "More than \(Self.maxErrors) members are not valid; the first \(Self.maxErrors) are named."
                : "One or more members are not valid.",
            errors: isCut ? Array(errors.prefix(Self.maxErrors)) : errors
        )
    }

    /// Creates a problem for one invalid member (422).
    package init(invalid pointer: String, _ detail: String) {
        self.init(invalid: [FieldProblem(pointer: pointer, detail: detail)])
    }

    /// Creates a problem for a request that cannot be parsed (400).
    package static func unreadable(_ detail: String) -> Problem {
        Problem(.invalidRequest, status: 400, detail)
    }

    /// Creates a problem for a resource that does not exist (404), of a kind such as `device`.
    package static func notFound(_ what: String) -> Problem {
        Problem(.notFound, "There is no such \(what).")
    }

    /// The caller is authenticated but not authorized (403).
    package static let forbidden = Problem(.forbidden, "The credential does not allow this.")

    /// The reason phrase of the status (RFC 9110 section 15), which RFC 9457 requires with `about:blank`.
    package var title: String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        default: status < 500 ? "Bad Request" : "Internal Server Error"
        }
    }
}
