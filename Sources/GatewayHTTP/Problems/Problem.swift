/// A refusal as the caller sees it: `application/problem+json` (RFC 9457) with a stable code.
///
/// Holds nothing secret: it is answered as it stands.
package struct Problem: Error, Sendable, Equatable {
    /// The stable code.
    package var code: ProblemCode
    /// The HTTP status.
    package var status: Int
    /// One sentence for people.
    package var detail: String
    /// Refines `token_invalid`.
    package var reason: String?
    /// The members that are wrong.
    package var errors: [FieldProblem]
    /// Seconds for `Retry-After`, which statuses 429 and 503 always have; nil sends none.
    package var retryAfterSeconds: Int?
    /// The methods for `Allow`; empty sends none.
    package var allow: [String]
    /// Whether what was asked for may have been done nevertheless: the store did not say.
    var isOutcomeUnknown = false
    /// Whether it is a claim of an authentic token, or of one to be signed, that is wrong (R31).
    var isAboutClaim = false
    /// How the caller stands with the rate limit that it met.
    var rate: RateStanding?

    /// Takes a refusal.
    ///
    /// - Parameters:
    ///   - code: The stable code.
    ///   - status: The HTTP status; nil takes the code's own.
    ///   - detail: One sentence for people.
    ///   - reason: Refines `token_invalid`.
    ///   - errors: The members that are wrong.
    ///   - retryAfterSeconds: Seconds for `Retry-After`; 5 when none are named for a status that must have it.
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
        self.allow = []
    }

    /// The most of ``errors``: a caller mends that many at a time, and a body may hold a hundred thousand.
    package static let maxErrors = 50

    /// Members are wrong (422).
    ///
    /// - Parameter errors: Which, and how; of more than ``maxErrors`` the first are named, and `detail` says so.
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

    /// One member is wrong (422).
    ///
    /// - Parameters:
    ///   - pointer: Which.
    ///   - detail: How.
    package init(invalid pointer: String, _ detail: String) {
        self.init(invalid: [FieldProblem(pointer: pointer, detail: detail)])
    }

    /// The request cannot be read (400).
    ///
    /// - Parameter detail: Why.
    /// - Returns: The refusal.
    package static func unreadable(_ detail: String) -> Problem {
        Problem(.invalidRequest, status: 400, detail)
    }

    /// There is no such thing (404).
    ///
    /// - Parameter what: What was looked for, for example `device`.
    /// - Returns: The refusal.
    package static func notFound(_ what: String) -> Problem {
        Problem(.notFound, "There is no such \(what).")
    }

    /// The right identity without the right (403).
    package static let forbidden = Problem(.forbidden, "The credential does not allow this.")

    /// The reason phrase of the status (RFC 9110 section 15), which RFC 9457 asks for beside `about:blank`.
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
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        default: status < 500 ? "Bad Request" : "Internal Server Error"
        }
    }
}
