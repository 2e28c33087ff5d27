internal import HTTPTypes
internal import TextFormats

extension HTTPField.Name {
    /// The caller's id of a request, returned in the response.
    static let xRequestID = known("X-Request-Id")
    /// The event after which a stream of server-sent events continues (WHATWG HTML section 9.2.4).
    static let lastEventID = known("Last-Event-ID")
    /// The caller's trace (W3C Trace Context).
    static let traceParent = known("traceparent")
    /// The key that makes a repetition of a request safe (draft-ietf-httpapi-idempotency-key-header).
    static let idempotencyKey = known("Idempotency-Key")
    /// Marks a response as that of an earlier request with the same key.
    static let idempotencyReplayed = known("Idempotency-Replayed")
    /// The caller's rate limit (draft-ietf-httpapi-ratelimit-headers section 2.1).
    static let rateLimitPolicy = known("RateLimit-Policy")
    /// The state of the caller's rate limit (draft-ietf-httpapi-ratelimit-headers section 2.2).
    static let rateLimit = known("RateLimit")
    /// Forbids browsers to treat a response as another type than its `Content-Type` (WHATWG Fetch section 3.6).
    static let contentTypeOptions = known("X-Content-Type-Options")
    /// The host of a request; the first one is its authority, so that only a second one is among the fields.
    static let host = known("Host")
    /// The switch of nginx for the buffering of a response.
    static let xAccelBuffering = known("X-Accel-Buffering")
    /// The clients of a proxy.
    static let xForwardedFor = known("X-Forwarded-For")
    /// The schemes by which clients reach proxies.
    static let xForwardedProto = known("X-Forwarded-Proto")
    /// The token of an operator's session against forged requests.
    static let xCSRFToken = known("X-CSRF-Token")
    /// The relation of a page that sends a request to this host (Fetch Metadata Request Headers section 2.4).
    static let secFetchSite = known("Sec-Fetch-Site")
    /// The part of a page's address that its requests state (Referrer Policy section 4.1).
    static let referrerPolicy = known("Referrer-Policy")
    /// Asks search engines not to list a page (Google's robots meta tag specification).
    static let robotsTag = known("X-Robots-Tag")
    /// The nodes of a proxy's chain (RFC 7239).
    static let forwarded = known("Forwarded")
    /// The sender that asks whether it may deliver CloudEvents, and the consent (HTTP 1.1 Web Hooks for Event Delivery
    /// section 4).
    static let webHookRequestOrigin = known("WebHook-Request-Origin")
    static let webHookAllowedOrigin = known("WebHook-Allowed-Origin")
    static let webHookAllowedRate = known("WebHook-Allowed-Rate")
    /// The name of the SDK key that signed the token of a CCAI app.
    static let xSDKKeyName = known("X-SDK-Key-Name")
    /// The id of the service account of a push proxy's caller that cannot send `Authorization`.
    static let switchboardAccount = known("SwitchboardAccount")
    /// The secret of that account.
    static let switchboardSecret = known("SwitchboardSecret")

    /// CloudEvents' attributes in binary mode (its HTTP binding, section 3.1.3.1).
    static let ceSpecVersion = known("ce-specversion")
    static let ceID = known("ce-id")
    static let ceType = known("ce-type")
    static let ceSource = known("ce-source")
    static let ceTime = known("ce-time")
    static let ceDataContentType = known("ce-datacontenttype")

    /// Creates a name from a valid text.
    private static func known(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no header name") }
        return name
    }
}

extension HTTPFields {
    /// Returns a field's value; several of the same name are joined according to RFC 9110 section 5.3.
    ///
    /// The same as the subscript, but cheaper for the usual case of one value: the subscript copies the field and its
    /// text.
    func value(_ name: HTTPField.Name) -> String? {
        guard let first = firstIndex(where: { $0.name == name }) else { return nil }
        return self[(first + 1)...].contains { $0.name == name } ? self[name] : self[first].value
    }

    /// Returns a field's value by its name in lower case, without making a name of it.
    func value(lowercase name: String) -> String? {
        first { $0.name.canonicalName.hasSameBytes(as: name) }.flatMap { value($0.name) }
    }
}
