internal import FoundationEssentials

/// The description of the HTTP API (OpenAPI 3.1), served at `/openapi.yaml`.
///
/// It is written by hand next to the routes, in one file for each group of them; tests call the server according to
/// it and compare it with all routes.
enum OpenAPIDocument {
    /// The whole document as YAML.
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

    /// The entity tag of this version of the document (RFC 9110 section 8.8.3).
    static let entityTag = EntityTag(of: Data(text.utf8))

    /// Returns the error responses, as lines of an operation's `responses`.
    static func problems(_ statuses: Int...) -> String {
        let lines = (statuses + [429, 500, 503]).map { "'\($0)': { $ref: '#/components/responses/Problem\($0)' }" }
        return lines.joined(separator: "\n        ")
    }

    /// Returns an adaptor's error responses, as lines of an operation's `responses`.
    static func adaptorErrors(_ statuses: Int...) -> String {
        let lines = (statuses + [429, 500, 503]).map {
            "'\($0)': { $ref: '#/components/responses/AdaptorError\($0)' }"
        }
        return lines.joined(separator: "\n        ")
    }

    /// Returns the response that is a page of a list of `schema`, as a line of an operation's `responses`.
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
            Back-ends post agent messages; Switchboard stores them, finds the consumer's devices, counts unread
            messages, sends pushes and reports the state of each delivery.

            Times are RFC 3339 in UTC with milliseconds, durations are whole seconds. An optional member that is null
            counts as absent. Ids are at most 256 bytes of UTF-8 (fewer characters where they are not ASCII), and are
            percent-encoded in paths.

            Error responses, except those of adaptors, are `application/problem+json` (RFC 9457) with a stable `code`.
            `retryable` states whether the same request may succeed later, `Retry-After` when. `errors` names each
            invalid member by JSON pointer; a parameter or a header is named by a slash and its name.

            `X-Request-Id` is taken from the request or created, returned and logged. A POST that creates something
            takes an `Idempotency-Key`, which is stored for 24 hours. Responses to callers with a rate limit carry
            `RateLimit-Policy` and `RateLimit`.
        servers: [{ url: / }]
        security: [{ backend: [] }, { admin: [] }]
        tags:
          - { name: administration, description: 'Brands, apps, credentials.' }
          - { name: events, description: Events that back-ends post. }
          - { name: sessions, description: Login and logout of consumers. }
          - { name: devices, description: Device registrations for pushes. }
          - { name: messages, description: 'Unread, messages, reads, taps.' }
          - { name: consumers, description: 'Consumer data: read, change, export, erase.' }
          - { name: operators, description: 'Deliveries, statistics and audit trail.' }
          - { name: outbound, description: 'Outbound events: feed and webhooks.' }
          - { name: adaptors, description: 'Routes in the format of other systems, for their back-ends and apps.' }
          - { name: machinery, description: 'Health, metrics, API description and files of link hosts.' }

        """

    private static let schemes = """
          securitySchemes:
            backend: { type: http, scheme: basic, description: 'A service account: its id and its secret.' }
            admin: { type: http, scheme: bearer, description: The instance's admin token. }
            session: { type: http, scheme: bearer, description: 'A consumer''s session token, issued for a grant.' }
        """
}
