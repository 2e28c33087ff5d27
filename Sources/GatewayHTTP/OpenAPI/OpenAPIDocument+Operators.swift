// What became of messages (`http-api.md` section 9).
extension OpenAPIDocument {
    static let operators = """
          /v1/brands/{brand}/deliveries:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            get:
              operationId: listDeliveries
              tags: [operators]
              summary: Deliveries by filter, newest first.
              description: |
                The work for a page has a bound: with several filters a page may be shorter than asked, even empty, while
                `nextCursor` goes on. Scope: `deliveries:read`.
              parameters:
                - { name: consumer, in: query, schema: { $ref: '#/components/schemas/Id' } }
                - { name: device, in: query, schema: { $ref: '#/components/schemas/Id' } }
                - { name: message, in: query, schema: { $ref: '#/components/schemas/MessageId' } }
                - { name: state, in: query, schema: { $ref: '#/components/schemas/DeliveryState' } }
                - { name: provider, in: query, schema: { enum: [apns, fcm, huawei, webpush] } }
                - { name: reason, in: query, description: The provider's reason., schema: { type: string, minLength: 1 } }
                - { name: since, in: query, description: Queued then or later., schema: { $ref: '#/components/schemas/Time' } }
                - { name: until, in: query, description: Queued before., schema: { $ref: '#/components/schemas/Time' } }
                - { $ref: '#/components/parameters/limit' }
                - { $ref: '#/components/parameters/cursor' }
              responses:
                '200':
                  description: A page.
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [items, nextCursor]
                        properties:
                          items: { type: array, items: { $ref: '#/components/schemas/Delivery' } }
                          nextCursor: { $ref: '#/components/schemas/NextCursor' }
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/deliveries/{delivery}:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { name: delivery, in: path, required: true, schema: { $ref: '#/components/schemas/DeliveryId' } }
            get:
              operationId: getDelivery
              tags: [operators]
              summary: A delivery with every attempt.
              description: 'Scope: `deliveries:read`.'
              responses:
                '200':
                  description: The delivery.
                  content: { application/json: { schema: { $ref: '#/components/schemas/DeliveryDetail' } } }
                \(problems(400, 401, 403, 404))
          /v1/brands/{brand}/deliveries/{delivery}/retry:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { name: delivery, in: path, required: true, schema: { $ref: '#/components/schemas/DeliveryId' } }
            post:
              operationId: retryDelivery
              tags: [operators]
              summary: Tries a delivery again that failed or expired.
              description: |
                Under its id, for the brand's `messageTtlSeconds` from now on. 409 says why it cannot be: its state, its
                message or its device is gone, it was read, or a newer one waits in its place. Scope: `brand:admin`.
              responses:
                '202':
                  description: It waits to be sent.
                  content: { application/json: { schema: { $ref: '#/components/schemas/DeliveryDetail' } } }
                \(problems(400, 401, 403, 404, 409))
          /v1/brands/{brand}/deliveries/tail:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            get:
              operationId: tailDeliveries
              tags: [operators]
              summary: Follows what becomes of deliveries as server-sent events.
              description: |
                Each event is `delivery`, its data a delivery that has finished or has changed since, at its newest change.
                `id` goes back as `Last-Event-ID`: nothing is missed or told twice. Without it the stream begins now.
                Scope: `deliveries:read`.
              parameters:
                - { name: consumer, in: query, schema: { $ref: '#/components/schemas/Id' } }
                - { name: device, in: query, schema: { $ref: '#/components/schemas/Id' } }
                - { name: message, in: query, schema: { $ref: '#/components/schemas/MessageId' } }
                - { name: state, in: query, schema: { $ref: '#/components/schemas/DeliveryState' } }
                - { name: provider, in: query, schema: { enum: [apns, fcm, huawei, webpush] } }
                - { name: reason, in: query, description: The provider's reason., schema: { type: string, minLength: 1 } }
                - { name: since, in: query, description: Queued then or later., schema: { $ref: '#/components/schemas/Time' } }
                - { name: until, in: query, description: Queued before., schema: { $ref: '#/components/schemas/Time' } }
                - { name: Last-Event-ID, in: header, schema: { type: string, pattern: '^[0-9]{1,19}$' } }
              responses:
                '200':
                  description: The stream; it ends when the gateway stops.
                  content: { text/event-stream: { schema: { type: string } } }
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/stats:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            get:
              operationId: getStats
              tags: [operators]
              summary: Counts, latencies and tap rate of the deliveries that were queued in a window.
              description: |
                The window begins at a whole minute (up to two hours), hour (up to a week) or day of UTC. Percentiles are at
                most 1/128 too high. Scope: `deliveries:read`.
              parameters:
                - name: window
                  in: query
                  description: 1m to 30d; a number and m, h or d.
                  schema: { type: string, pattern: '^[1-9][0-9]{0,4}[mhd]$', default: 1h }
              responses:
                '200':
                  description: The statistics.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Stats' } } }
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/apps/{app}/preview:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/app' }
            post:
              operationId: previewPush
              tags: [operators]
              summary: The request that an event would be sent as, without its secrets; sends and stores nothing.
              description: 'Scope: `deliveries:read`.'
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [event, pushType]
                      properties:
                        event: { type: object, description: An agent.message or proactive.message as it is posted. }
                        pushType: { enum: [apns, fcm, huawei, webpush] }
                        locale: { type: [string, 'null'], minLength: 1, maxLength: 64 }
                    example:
                      pushType: apns
                      event: { id: e-1, type: agent.message, consumer: u-1, conversation: c-1, text: Hello }
              responses:
                '200':
                  description: The request.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Preview' } } }
                \(problems(400, 401, 403, 404, 409, 413, 415, 422))
          /v1/brands/{brand}/apps/{app}/self-check:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/app' }
            post:
              operationId: selfCheck
              tags: [operators]
              summary: Sends a silent push to one token and says what the provider says of it; never counted.
              description: 'Answers within about ten seconds. Scope: `deliveries:read`.'
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [token, pushType]
                      properties:
                        token: { type: string, minLength: 1 }
                        pushType: { enum: [apns, fcm, huawei, webpush] }
                        environment: { enum: [production, sandbox, null] }
                    example: { token: 00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0, pushType: apns }
              responses:
                '200':
                  description: The verdict.
                  content: { application/json: { schema: { $ref: '#/components/schemas/SelfCheck' } } }
                \(problems(400, 401, 403, 404, 409, 413, 415, 422))
        """

    static let operatorSchemas = """
            DeliveryId: { type: string, pattern: '^[1-9][0-9]{0,18}$', examples: ['4711'] }
            DeliveryState:
              enum: [pending, held, sending, retrying, accepted, delivered, tapped, failed, expired, suppressed, cancelled]
            Delivery:
              type: object
              required: [id, messageId, consumer, deviceId, app, provider, state, attempts, queuedAt]
              properties:
                id: { $ref: '#/components/schemas/DeliveryId' }
                messageId: { type: [string, 'null'], format: uuid, description: Null for a badge alone. }
                consumer: { $ref: '#/components/schemas/Id' }
                deviceId: { $ref: '#/components/schemas/Id' }
                app: { $ref: '#/components/schemas/BrandId' }
                provider: { enum: [apns, fcm, huawei, webpush] }
                state: { $ref: '#/components/schemas/DeliveryState' }
                attempts: { type: integer, minimum: 0 }
                providerId: { type: [string, 'null'] }
                status: { type: [integer, 'null'], description: The HTTP status of the last answer. }
                reason: { type: [string, 'null'], description: The provider's reason in it. }
                queuedAt: { $ref: '#/components/schemas/Time' }
                sentAt: { $ref: '#/components/schemas/NullableTime' }
                latencyMs: { type: [integer, 'null'] }
                tappedAt: { $ref: '#/components/schemas/NullableTime' }
                badge: { type: [integer, 'null'] }
                suppressedBy: { type: [string, 'null'] }
            DeliveryDetail:
              allOf: [{ $ref: '#/components/schemas/Delivery' }]
              required: [attemptLog, timeline]
              properties:
                timeline:
                  type: array
                  items:
                    type: object
                    required: [state, at, attempt, reason]
                    properties:
                      state: { enum: [queued, sent, retrying, accepted, failed, expired, suppressed, cancelled, delivered, tapped] }
                      at: { $ref: '#/components/schemas/Time' }
                      attempt: { type: [integer, 'null'] }
                      reason: { type: [string, 'null'] }
                attemptLog:
                  type: array
                  items:
                    type: object
                    required: [number, sentAt, status, reason, latencyMs]
                    properties:
                      number: { type: integer, minimum: 1 }
                      sentAt: { $ref: '#/components/schemas/Time' }
                      status: { type: integer }
                      reason: { type: [string, 'null'] }
                      latencyMs: { type: integer }
            Latency:
              type: object
              description: In milliseconds; null when nothing was answered.
              required: [count, p50, p90, p99, p999, max]
              properties:
                count: { type: integer, minimum: 0 }
                p50: { type: [integer, 'null'] }
                p90: { type: [integer, 'null'] }
                p99: { type: [integer, 'null'] }
                p999: { type: [integer, 'null'] }
                max: { type: [integer, 'null'] }
            Counts: { type: object, additionalProperties: { type: integer, minimum: 0 } }
            Stats:
              type: object
              required: [since, until, resolutionSeconds, total, byState, byProvider, byReason, unfinishedComplete, latencyMs,
                latencyMsByProvider, taps]
              properties:
                since: { $ref: '#/components/schemas/Time' }
                until: { $ref: '#/components/schemas/Time' }
                resolutionSeconds: { enum: [60, 3600, 86400] }
                total: { type: integer, minimum: 0 }
                byState: { $ref: '#/components/schemas/Counts' }
                byProvider: { $ref: '#/components/schemas/Counts' }
                byReason: { $ref: '#/components/schemas/Counts' }
                unfinishedComplete: { type: boolean, description: False when only the youngest unfinished ones are counted. }
                latencyMs: { $ref: '#/components/schemas/Latency' }
                latencyMsByProvider: { type: object, additionalProperties: { $ref: '#/components/schemas/Latency' } }
                taps:
                  type: object
                  required: [accepted, tapped, rate]
                  properties:
                    accepted: { type: integer, minimum: 0 }
                    tapped: { type: integer, minimum: 0 }
                    rate: { type: [number, 'null'], minimum: 0, maximum: 1 }
            Preview:
              type: object
              required: [method, url, path, headers, body, bodyBytes, limitBytes, truncated]
              properties:
                method: { const: POST }
                url: { type: string }
                path: { type: string, description: device-token stands in for the token. }
                headers: { type: object, additionalProperties: { type: string } }
                body: { type: object }
                bodyBytes: { type: integer, description: As the provider counts them. }
                limitBytes: { type: integer }
                truncated: { type: array, items: { enum: [text, data, other] } }
            SelfCheck:
              type: object
              required: [verdict, outcome, status, reason, providerId, latencyMs]
              properties:
                verdict: { type: string, description: In plain words. }
                outcome: { enum: [accepted, unregistered, retry, rejected, misconfigured, unknown, unreachable, timeout] }
                status: { type: [integer, 'null'] }
                reason: { type: [string, 'null'] }
                providerId: { type: [string, 'null'] }
                latencyMs: { type: [integer, 'null'] }
        """
}
