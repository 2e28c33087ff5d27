/// The stable codes of errors (APIConventions page); the raw value is the code on the wire.
package enum ProblemCode: String, Sendable, CaseIterable {
    /// The request cannot be parsed (400), or a member is invalid (422).
    case invalidRequest = "invalid_request"
    /// There is no credential, or an unknown one.
    case unauthorized
    /// The credential has expired.
    case tokenExpired = "token_expired"
    /// The credential will never be accepted.
    case tokenInvalid = "token_invalid"
    /// The caller is authenticated but lacks the scope.
    case forbidden
    /// The resource does not exist, or belongs to another caller.
    case notFound = "not_found"
    /// The resource existed, but has expired.
    case gone
    /// The path supports other methods.
    case methodNotAllowed = "method_not_allowed"
    /// The route does not support the media type of the body.
    case unsupportedMediaType = "unsupported_media_type"
    /// The name is already used, or the state does not allow the operation.
    case conflict
    /// The body is longer than the route accepts.
    case payloadTooLarge = "payload_too_large"
    /// The caller exceeds its rate limit.
    case rateLimited = "rate_limited"
    /// The gateway cannot handle the request now.
    case overloaded
    /// A system that the gateway called did not respond correctly.
    case upstreamUnavailable = "upstream_unavailable"
    /// An internal error of the gateway.
    case `internal`

    /// The status of the code; `invalid_request` has two, and this is the one for an invalid member.
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
