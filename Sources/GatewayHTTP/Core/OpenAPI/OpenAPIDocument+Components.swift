// Parameters, headers and responses that operations share, and common schemas.
extension OpenAPIDocument {
    static let parameters = """
          parameters:
            brand: { name: brand, in: path, required: true, schema: { $ref: '#/components/schemas/BrandId' } }
            app: { name: app, in: path, required: true, schema: { $ref: '#/components/schemas/BrandId' } }
            consumer: { name: consumer, in: path, required: true, schema: { $ref: '#/components/schemas/Id' } }
            deviceId: { name: deviceId, in: path, required: true, schema: { $ref: '#/components/schemas/Id' } }
            subscription: { name: subscription, in: path, required: true, schema: { $ref: '#/components/schemas/BrandId' } }
            conversation: { name: conversation, in: path, required: true, schema: { $ref: '#/components/schemas/Id' } }
            actingFor:
              name: consumer
              in: query
              description: 'The consumer for whom a back-end acts; required for back-ends. For a session its own consumer, or absent.'
              schema: { $ref: '#/components/schemas/Id' }
            limit:
              name: limit
              in: query
              description: The maximum number of items of a page.
              schema: { type: integer, minimum: 1, maximum: 500, default: 50 }
            cursor:
              name: cursor
              in: query
              description: >-
                `nextCursor` of the previous page; valid for the same list with the same filters, also after deletions.
              schema: { type: string, format: cursor, maxLength: 2048 }
            unregister:
              name: unregister
              in: query
              description: The part of the device's registration that ends; `agent` keeps proactive pushes.
              schema: { type: string, enum: [all, agent, none], default: all }
            ifNoneMatch:
              name: If-None-Match
              in: header
              description: The `ETag` of the caller's copy.
              schema: { type: string }
            ifMatch:
              name: If-Match
              in: header
              description: >-
                The `ETag` of the state that the caller wants to change; when it has changed since, nothing is changed:
                409 `conflict`.
              schema: { type: string }
            idempotencyKey:
              name: Idempotency-Key
              in: header
              description: >-
                Makes a repetition within 24 hours safe: the same key with another body is 422, a repetition while the
                first request runs is 409. A response that contained a secret is not stored: its repetition is 409.
              schema: { type: string, pattern: '^[!-~]{1,255}$' }
        """

    static let responses = """
          responses:
        \(refusals("Problem", as: "application/problem+json"))
        \(refusals("AdaptorError", as: "application/json"))
            Session:
              description: The session; its token is returned once.
              headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
              content:
                application/json:
                  schema:
                    type: object
                    required: [sessionToken, expiresIn, consumer, merged]
                    properties:
                      sessionToken: { type: string }
                      expiresIn: { type: integer, minimum: 1, description: In seconds. }
                      consumer:
                        type: object
                        required: [id, anonymous]
                        properties: { id: { $ref: '#/components/schemas/Id' }, anonymous: { type: boolean } }
                      merged: { type: boolean, description: Whether an anonymous consumer was merged into this one. }
          headers:
            RequestId:
              description: 'The request''s id; the caller''s own if it sent a valid one.'
              schema: { type: string }
            ETag:
              description: The entity tag of this state.
              schema: { type: string }
            RetryAfter:
              description: Seconds until the request may be retried.
              schema: { type: integer, minimum: 0 }
        """

    /// Returns the error responses by status, in the format of `schema`; they are named by the schema and the status.
    private static func refusals(_ schema: String, as type: String) -> String {
        let rows: [(status: Int, text: String)] = [
            (400, "The request cannot be parsed: not JSON, not UTF-8, invalid percent-encoding."),
            (401, "No credential, or one that is not accepted."),
            (403, "The caller is authenticated but not authorized."),
            (404, "The resource does not exist, or belongs to another brand."),
            (409, "The name is already used, or the state does not allow the operation."),
            (410, "The resource has expired."),
            (413, "The request body is too long."),
            (415, "The media type of the request body is not supported."),
            (422, "Members are invalid: errors names each of them."),
            (429, "The caller has exceeded its rate limit."),
            (500, "An internal error of the gateway."),
            (426, "Another protocol is required; `Upgrade` names it."),
            (502, "A system that the gateway called did not respond correctly."),
            (503, "The gateway cannot handle the request now."),
        ]
        return rows.map { row in
            let retry = row.status == 429 || row.status == 503
            let headers =
                "X-Request-Id: { $ref: '#/components/headers/RequestId' }"
                + (retry ? ", Retry-After: { $ref: '#/components/headers/RetryAfter' }" : "")
            return """
                    \(schema)\(row.status):
                      description: "\(row.text)"
                      headers: { \(headers) }
                      content:
                        \(type): { schema: { $ref: '#/components/schemas/\(schema)' } }
                """
        }.joined(separator: "\n")
    }

    static let commonSchemas = """
            Id:
              type: string
              description: An id of a consumer, conversation, device or event; at most 256 bytes.
              minLength: 1
              maxLength: 256
              pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$'
              examples: [u-1]
            NullableLine:
              type: [string, 'null']
              description: A short text of one line.
              minLength: 1
              maxLength: 256
              pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$'
            Line:
              type: string
              description: A short text of one line.
              minLength: 1
              maxLength: 256
              pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$'
            BrandId:
              type: string
              pattern: '^[A-Za-z0-9._-]{1,64}$'
              examples: [acme]
            MessageId: { type: string, format: uuid, examples: [019a5b2e-8f3c-7d21-9c4e-5a6b7c8d9e0f] }
            Time: { type: string, format: date-time, examples: ['2026-01-02T03:04:05.678Z'] }
            NullableTime: { type: [string, 'null'], format: date-time }
            NextCursor:
              type: [string, 'null']
              description: The cursor of the next page; null on the last one.
            Problem:
              type: object
              required: [type, title, status, detail, code, retryable, requestId]
              properties:
                type: { type: string }
                title: { type: string }
                status: { type: integer, minimum: 400, maximum: 599 }
                detail: { type: string, description: One readable sentence. }
                code: { type: string, enum: [\(ProblemCode.allCases.map(\.rawValue).joined(separator: ", "))] }
                reason: { type: string, description: Refines `token_invalid`. }
                retryable: { type: boolean }
                requestId: { type: string }
                errors:
                  type: array
                  maxItems: \(Problem.maxErrors)
                  description: The invalid members; `detail` states when there are more than these.
                  items:
                    type: object
                    required: [pointer, detail]
                    properties:
                      pointer: { type: string, examples: [/data/text] }
                      detail: { type: string, examples: [is required] }
              examples:
                - type: about:blank
                  title: Unprocessable Content
                  status: 422
                  detail: One or more members are not valid.
                  code: invalid_request
                  retryable: false
                  requestId: 8c1f0a5b6d7e4f2a9b3c4d5e6f708192
                  errors: [{ pointer: /text, detail: is required }]
        """
}
