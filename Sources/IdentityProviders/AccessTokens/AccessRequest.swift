package import GatewayModel
internal import GuardedHTTP
internal import Identity
internal import TextFormats

/// An app's request for an access token.
package struct AccessRequest: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The consumer for whom the app acts; nil when the app acts for itself.
    package var consumer: ConsumerID?
    /// The id of the request, as in the log.
    package var requestID: String

    /// Creates a request.
    package init(brand: BrandID, consumer: ConsumerID?, requestID: String) {
        self.brand = brand
        self.consumer = consumer
        self.requestID = requestID
    }

    /// The timeout for the decider and for the token service, each, in seconds: an app waits for both, 30 seconds at
    /// most.
    static let timeoutSeconds: Int64 = 10
    /// The maximum size of a response; a token has a few KB.
    static let maxResponseBytes = 64 << 10

    /// Returns the question to the brand's decider, signed as webhooks are (R203).
    func question(to url: GuardedURL, about app: AppID, at now: Timestamp, _ secret: WebhookSecret) -> GuardedRequest {
        var writer = JSONWriter(capacity: 256)
        writer.literal(#"{"type":"access.requested""#)
        writer.member("time", now.rfc3339)
        writer.literal(#","data":{"#)
        writer.member("app", app.rawValue)
        writer.member("consumer", consumer?.rawValue)
        writer.member("requestId", requestID)
        writer.literal("}}")
        let id = WebhookSecret.newMessageID()
        return message(
            to: url,
            body: writer.bytes,
            headers: [
                ("content-type", "application/json"), ("webhook-id", id), ("webhook-timestamp", String(now.seconds)),
                ("webhook-signature", secret.signature(of: writer.bytes, id: id, at: now)),
            ]
        )
    }

    /// Returns the request to the token service (RFC 6749 section 4.4, RFC 7523 section 2.2).
    func tokenRequest(to url: GuardedURL, of account: TokenBrokerDetails, assertion: String) -> GuardedRequest {
        let form = FormEncoding.body([
            ("grant_type", "client_credentials"), ("scope", account.scope), ("client_id", account.clientId),
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", assertion),
        ])
        return message(to: url, body: form, headers: [("content-type", "application/x-www-form-urlencoded")])
    }

    private func message(
        to url: GuardedURL,
        body: [UInt8],
        headers: [(name: String, value: String)]
    ) -> GuardedRequest {
        GuardedRequest(
            url: url,
            method: .post(body),
            headers: [(name: "accept", value: "application/json"), (name: "user-agent", value: "switchboard")]
                + headers,
            responseBody: .read(maxBytes: Self.maxResponseBytes),
            timeout: .seconds(Self.timeoutSeconds),
            owner: brand.rawValue
        )
    }
}
