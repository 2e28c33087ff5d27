/// The stable codes of errors (APIConventions page); the raw value is the word on the wire.
package enum ProblemCode: String, Sendable, CaseIterable {
    /// Not parseable (400), or a member is wrong (422).
    case invalidRequest = "invalid_request"
    /// No credential, or one that is not ours.
    case unauthorized
    /// The credential was ours and is over.
    case tokenExpired = "token_expired"
    /// The credential will never be accepted.
    case tokenInvalid = "token_invalid"
    /// The right identity without the scope.
    case forbidden
    /// There is no such thing, or it is another's.
    case notFound = "not_found"
    /// There was such a thing, and its time is over.
    case gone
    /// The path takes other methods.
    case methodNotAllowed = "method_not_allowed"
    /// The body is of a type that the route does not read.
    case unsupportedMediaType = "unsupported_media_type"
    /// The name is taken, or the state does not allow it.
    case conflict
    /// The body is longer than the route takes.
    case payloadTooLarge = "payload_too_large"
    /// This caller asks too often.
    case rateLimited = "rate_limited"
    /// The gateway cannot take it now.
    case overloaded
    /// A system that the gateway asked did not answer well.
    case upstreamUnavailable = "upstream_unavailable"
    /// A fault of the gateway.
    case `internal`

    /// The status that goes with the code; `invalid_request` has two, and this is the one for a wrong member.
    package var status: Int {
        switch self {
        case .invalidRequest: 422
        case .unauthorized, .tokenExpired, .tokenInvalid: 401
        case .forbidden: 403
        case .notFound: 404
        case .gone: 410
        case .methodNotAllowed: 405
        case .unsupportedMediaType: 415
        case .conflict: 409
        case .payloadTooLarge: 413
        case .rateLimited: 429
        case .overloaded: 503
        case .upstreamUnavailable: 502
        case .internal: 500
        }
    }

    /// Whether the same request may succeed later.
    package var isRetryable: Bool {
        switch self {
        case .rateLimited, .overloaded, .upstreamUnavailable, .internal: true
        case .invalidRequest, .unauthorized, .tokenExpired, .tokenInvalid, .forbidden, .notFound, .gone,
            .methodNotAllowed, .unsupportedMediaType, .conflict, .payloadTooLarge:
            false
        }
    }
}
