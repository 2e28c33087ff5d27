import Foundation

/// The response of the gateway, read by the rules of its contract.
extension HTTPResponse {
    /// The most bytes of a response body that the library reads.
    static let maxBodyBytes = 16 << 20
    /// The most bytes of each text of a response that an error copies: apps log errors.
    private static let maxErrorTextBytes = 1 << 10

    /// The body of a successful response; the error that the gateway reports otherwise.
    ///
    /// - Returns: The JSON value; `null` for a response without a body.
    /// - Throws: ``SwitchboardError``.
    func value() throws(SwitchboardError) -> JSONValue {
        guard (200...299).contains(status) else { throw failure }
        guard !body.isEmpty else { return .null }
        guard body.count <= Self.maxBodyBytes else { throw Self.tooLarge }
        guard let value = JSONValue(parsing: body, maxBytes: Self.maxBodyBytes) else {
            throw SwitchboardError(.malformedResponse, "the body of a response \(status) is not JSON")
        }
        return value
    }

    /// The error of a response whose body is longer than ``maxBodyBytes``.
    static let tooLarge = SwitchboardError(.responseTooLarge, "the body of a response is longer than 16 MiB")

    /// The error of a response that is not successful.
    ///
    /// Our own API has problems (RFC 9457), the adaptors an envelope `error`, and Bloomreach's a sentence in `error`. A
    /// body that is none of these is from a proxy in between: then the status alone counts.
    var failure: SwitchboardError {
        let json = JSONValue(parsing: body) ?? .null
        let problem = json["error"].flatMap { $0.members == nil ? nil : $0 } ?? json
        let named = problem["code"]?.text
        let code = named.flatMap { Self.codes[$0] } ?? Self.code(of: status)
        let text = (problem["detail"] ?? problem["message"] ?? json["error"])?.text
        var message = text ?? "the gateway responded \(status)"
        // The first member that is wrong; a developer needs no more.
        if let first = problem["errors"]?.elements?.first, let pointer = first["pointer"]?.text {
            message += " \(pointer) \(first["detail"]?.text ?? "")"
        }
        return SwitchboardError(
            code,
            Self.bounded(message),
            reason: (problem["reason"]?.text).map(Self.bounded),
            requestID: (problem["requestId"]?.text ?? header("X-Request-Id")).map(Self.bounded),
            retryAfter: retryAfter
        )
    }

    private static func bounded(_ text: String) -> String {
        String(decoding: text.utf8.prefix(maxErrorTextBytes), as: UTF8.self)
    }

    /// The wait that the gateway asks for; a date form is not one that it sends.
    private var retryAfter: Duration? {
        header("Retry-After").flatMap { Int64($0) }.flatMap { $0 >= 0 ? .seconds(min($0, 86_400)) : nil }
    }

    /// The codes of the gateway's errors, as the library names them.
    static let codes: [String: SwitchboardError.Code] = [
        "invalid_request": .invalidRequest, "invalid_claim": .invalidRequest, "payload_too_large": .invalidRequest,
        "unsupported_media_type": .invalidRequest, "method_not_allowed": .invalidRequest,
        "unauthorized": .authenticationFailed, "token_invalid": .authenticationFailed, "token_expired": .tokenExpired,
        "forbidden": .forbidden, "not_found": .notFound, "gone": .gone, "conflict": .conflict,
        "rate_limited": .rateLimited, "overloaded": .overloaded, "upstream_unavailable": .server, "internal": .server,
    ]

    private static func code(of status: Int) -> SwitchboardError.Code {
        switch status {
        case 401: .authenticationFailed
        case 403: .forbidden
        case 404: .notFound
        case 409: .conflict
        case 410: .gone
        case 408, 425: .connectivity
        case 429: .rateLimited
        case 503: .overloaded
        case 400...499: .invalidRequest
        case 500...599: .server
        default: .malformedResponse
        }
    }
}

extension JSONValue {
    /// Returns a required member; the error of a response without it.
    func required<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws(SwitchboardError) -> Value {
        guard let value = self[name].flatMap(read) else {
            throw SwitchboardError(.malformedResponse, "the response has no usable member \(name)")
        }
        return value
    }
}
