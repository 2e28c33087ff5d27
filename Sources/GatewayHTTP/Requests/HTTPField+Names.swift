internal import HTTPTypes

extension HTTPField.Name {
    /// The caller's name for a request, echoed.
    static let xRequestID = known("X-Request-Id")
    /// Where a stream of server-sent events goes on (WHATWG HTML section 9.2.4).
    static let lastEventID = known("Last-Event-ID")
    /// The caller's trace (W3C Trace Context).
    static let traceParent = known("traceparent")
    /// What makes the repetition of a request do nothing (draft-ietf-httpapi-idempotency-key-header).
    static let idempotencyKey = known("Idempotency-Key")
    /// Says that an answer is that of an earlier request with the same key.
    static let idempotencyReplayed = known("Idempotency-Replayed")
    /// What the caller's rate limit is (draft-ietf-httpapi-ratelimit-headers section 2.1).
    static let rateLimitPolicy = known("RateLimit-Policy")
    /// How the caller stands with it (draft-ietf-httpapi-ratelimit-headers section 2.2).
    static let rateLimit = known("RateLimit")
    /// Forbids browsers to take an answer for another type than it says (WHATWG Fetch section 3.6).
    static let contentTypeOptions = known("X-Content-Type-Options")
    /// The host of a request; the first one is its authority, so that only another one is among the fields.
    static let host = known("Host")
    /// For whom a proxy speaks.
    static let xForwardedFor = known("X-Forwarded-For")
    /// The name of the SDK key that signed the token of a CCAI app.
    static let xSDKKeyName = known("X-SDK-Key-Name")

    /// CloudEvents' attributes in binary mode (its HTTP binding, section 3.1.3.1).
    static let ceSpecVersion = known("ce-specversion")
    static let ceID = known("ce-id")
    static let ceType = known("ce-type")
    static let ceSource = known("ce-source")
    static let ceTime = known("ce-time")
    static let ceDataContentType = known("ce-datacontenttype")

    /// A name that is known to be one.
    private static func known(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no header name") }
        return name
    }
}

extension HTTPFields {
    /// A field's value; several of the same name are joined as RFC 9110 section 5.3 joins them.
    ///
    /// The subscript's answer, without its price for the usual case of one value: that copies the field and its text.
    func value(_ name: HTTPField.Name) -> String? {
        guard let first = firstIndex(where: { $0.name == name }) else { return nil }
        return self[(first + 1)...].contains { $0.name == name } ? self[name] : self[first].value
    }
}
