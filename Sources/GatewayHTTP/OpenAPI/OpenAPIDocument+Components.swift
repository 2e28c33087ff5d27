// Parameters, headers and answers that operations share, and the schemas of common things.
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
              description: For whom a back-end acts; required for back-ends, for a session its own consumer or absent.
              schema: { $ref: '#/components/schemas/Id' }
            limit:
              name: limit
              in: query
              description: How many items a page holds at most.
              schema: { type: integer, minimum: 1, maximum: 500, default: 50 }
            cursor:
              name: cursor
              in: query
              description: >-
                `nextCursor` of the page before; good for the same list with the same filters. It survives deletions.
              schema: { type: string, format: cursor, maxLength: 2048 }
            unregister:
              name: unregister
              in: query
              description: What becomes of the device's registration; `agent` keeps proactive pushes.
              schema: { type: string, enum: [all, agent, none], default: all }
            ifNoneMatch:
              name: If-None-Match
              in: header
              description: The `ETag` of what the caller has already.
              schema: { type: string }
            ifMatch:
              name: If-Match
              in: header
              description: >-
                The `ETag` of what the caller wants to change; when it is another by now, nothing is changed: 409 `conflict`.
              schema: { type: string }
            idempotencyKey:
              name: Idempotency-Key
              in: header
              description: >-
                Makes a repetition within 24 hours do nothing: the same key with another body is 422, while the first one
                runs 409. An answer that held a secret is not kept: its repetition is 409.
              schema: { type: string, pattern: '^[!-~]{1,255}$' }
        """

    static let responses = """
          responses:
        \(refusals("Problem", as: "application/problem+json"))
        \(refusals("AdaptorError", as: "application/json"))
            Session:
              description: The session; its token is shown once.
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
              description: The request's id, the caller's own if it sent a usable one.
              schema: { type: string }
            ETag:
              description: What tells this state from others.
              schema: { type: string }
            RetryAfter:
              description: Seconds until the request may be tried again.
              schema: { type: integer, minimum: 0 }
        """

    /// The refusals by status, in the shape of `schema`; their names are the schema's with the status behind.
    private static func refusals(_ schema: String, as type: String) -> String {
        let rows: [(status: Int, text: String)] = [
            (400, "The request cannot be read: no JSON, no UTF-8, wrong percent-encoding."),
            (401, "No credential, or one that is not accepted here."),
            (403, "The identity is right and lacks the scope."),
            (404, "There is no such thing, or it is another brand's."),
            (409, "The name is taken, or the state does not allow it."),
            (410, "Its time is over."),
            (413, "The body is too long."),
            (415, "The body is of a type that is not read here."),
            (422, "Members are wrong: errors names each of them."),
            (429, "The caller asks too often."),
            (500, "A fault of the gateway."),
            (426, "The protocol must be another one; `Upgrade` names it."),
            (502, "A system that the gateway asked did not answer well."),
            (503, "The gateway cannot take this now."),
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
                detail: { type: string, description: One sentence for people. }
                code: { type: string, enum: [\(ProblemCode.allCases.map(\.rawValue).joined(separator: ", "))] }
                reason: { type: string, description: Refines `token_invalid`. }
                retryable: { type: boolean }
                requestId: { type: string }
                errors:
                  type: array
                  maxItems: \(Problem.maxErrors)
                  description: The members that are wrong; `detail` says when there are more than these.
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
