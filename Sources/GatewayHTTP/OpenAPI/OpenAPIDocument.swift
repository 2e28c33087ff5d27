internal import FoundationEssentials

/// The description of the HTTP API (OpenAPI 3.1), as it is served at `/openapi.yaml`.
///
/// It is written by hand beside the routes, in one file for each group of them; tests drive the server from it and hold
/// every route that there is against it.
enum OpenAPIDocument {
    /// The whole document, YAML.
    static let text =
        head + "paths:\n"
        + [
            administration, events, sessions, devices, messages, conversations, consumers, operators, outbound,
            adaptors, windows, machinery,
        ].joined(
            separator: "\n"
        )
        + "\ncomponents:\n" + [schemes, parameters, responses].joined(separator: "\n") + "\n  schemas:\n"
        + [
            commonSchemas, administrationSchemas, eventSchemas, deviceSchemas, operatorSchemas, outboundSchemas,
            adaptorSchemas, consumerSchemas,
        ].joined(separator: "\n")
        + "\n"

    /// What names this version of it (RFC 9110 section 8.8.3).
    static let entityTag = EntityTag(of: Data(text.utf8))

    /// The answers of refusals, as lines of an operation's `responses`.
    static func problems(_ statuses: Int...) -> String {
        let lines = (statuses + [429, 500, 503]).map { "'\($0)': { $ref: '#/components/responses/Problem\($0)' }" }
        return lines.joined(separator: "\n        ")
    }

    /// The answers of an adaptor's refusals, as lines of an operation's `responses`.
    static func adaptorErrors(_ statuses: Int...) -> String {
        let lines = (statuses + [429, 500, 503]).map {
            "'\($0)': { $ref: '#/components/responses/AdaptorError\($0)' }"
        }
        return lines.joined(separator: "\n        ")
    }

    /// The answer that is a page of a list of `schema`, as a line of an operation's `responses`.
    static func page(of schema: String) -> String {
        let items = "{ type: array, items: { $ref: '#/components/schemas/\(schema)' } }"
        let properties = "{ items: \(items), nextCursor: { $ref: '#/components/schemas/NextCursor' } }"
        let page = "{ type: object, required: [items, nextCursor], properties: \(properties) }"
        return "'200': { description: A page., content: { application/json: { schema: \(page) } } }"
    }

    private static let head = """
        openapi: 3.1.0
        info:
          title: Switchboard
          version: '1'
          summary: A push notification and messaging gateway for contact centres.
          description: |
            Back-ends post agent messages; Switchboard stores them, finds the consumer's devices, counts what is unread,
            sends pushes and tells what became of each.

            Times are RFC 3339 in UTC with milliseconds, durations whole seconds. An optional member that is null counts as
            absent. Ids are at most 256 bytes of UTF-8 (so fewer characters where they are not ASCII), and are
            percent-encoded in paths.

            Every refusal but those of adaptors is `application/problem+json` (RFC 9457) with a stable `code`; `retryable` says whether the same
            request may succeed later, `Retry-After` when. `errors` names every member that is wrong by JSON pointer;
            parameters and headers are named by their name behind a slash.

            `X-Request-Id` is taken or made, answered and logged. A POST that creates takes an `Idempotency-Key`, which is
            remembered for 24 hours. Answers to callers with a rate limit carry `RateLimit-Policy` and `RateLimit`.
        servers: [{ url: / }]
        security: [{ backend: [] }, { admin: [] }]
        tags:
          - { name: administration, description: 'Brands, apps, credentials.' }
          - { name: events, description: What back-ends post. }
          - { name: sessions, description: How consumers log in and out. }
          - { name: devices, description: Registrations for pushes. }
          - { name: messages, description: 'Unread, messages, reads, taps.' }
          - { name: consumers, description: 'What is kept about consumers: shown, changed, erased.' }
          - { name: operators, description: What became of messages. }
          - { name: outbound, description: What back-ends are told. }
          - { name: adaptors, description: 'What back-ends and apps of other systems call, in the shapes of those.' }
          - { name: machinery, description: What the machinery around the gateway asks. }

        """

    private static let schemes = """
          securitySchemes:
            backend: { type: http, scheme: basic, description: 'A service account: its id and its secret.' }
            admin: { type: http, scheme: bearer, description: The instance's admin token. }
            session: { type: http, scheme: bearer, description: 'A consumer''s session token, made by a grant.' }
        """
}
