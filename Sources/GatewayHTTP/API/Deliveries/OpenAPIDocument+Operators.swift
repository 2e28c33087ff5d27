internal import GatewayStorage

// Deliveries, statistics and self-checks (SendingMessages page).
extension OpenAPIDocument {
    private static let deliveryFilters = [
        "{ name: consumer, in: query, schema: { $ref: '#/components/schemas/Id' } }",
        "{ name: device, in: query, schema: { $ref: '#/components/schemas/Id' } }",
        "{ name: message, in: query, schema: { $ref: '#/components/schemas/MessageId' } }",
        "{ name: state, in: query, schema: { $ref: '#/components/schemas/DeliveryState' } }",
        "{ name: provider, in: query, schema: { enum: [apns, fcm, huawei, webpush] } }",
        "{ name: reason, in: query, description: The provider's reason., schema: { type: string, minLength: 1 } }",
        "{ name: since, in: query, description: Queued at this time or later., schema: { $ref: '#/components/schemas/Time' } }",
        "{ name: until, in: query, description: Queued before this time., schema: { $ref: '#/components/schemas/Time' } }",
    ].map { "- " + $0 }.joined(separator: "\n        ")

    static let operators = """
          /v1/brands/{brand}/deliveries:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            get:
              operationId: listDeliveries
              tags: [operators]
              summary: 'Deliveries by filter, newest first.'
              description: 'Scope: `deliveries:read`.'
              parameters:
                \(deliveryFilters)
                - { $ref: '#/components/parameters/limit' }
                - { $ref: '#/components/parameters/cursor' }
              responses:
                \(page(of: "Delivery"))
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/deliveries/{delivery}:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { name: delivery, in: path, required: true, schema: { $ref: '#/components/schemas/DeliveryId' } }
            get:
              operationId: getDelivery
              tags: [operators]
              summary: Returns a delivery with every attempt.
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
              summary: Requeues a delivery that failed or expired.
              description: 'Scope: `brand:admin`.'
              responses:
                '202':
                  description: The requeued delivery.
                  content: { application/json: { schema: { $ref: '#/components/schemas/DeliveryDetail' } } }
                \(problems(400, 401, 403, 404, 409))
          /v1/brands/{brand}/deliveries/tail:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            get:
              operationId: tailDeliveries
              tags: [operators]
              summary: 'Streams changes of deliveries as server-sent events.'
              description: |
                Each event is `event: delivery` with a delivery as `data`; its `id`, sent as `Last-Event-ID`, continues
                the stream after it. The stream samples: intermediate states of a delivery may be skipped. Without
                `Last-Event-ID` it begins now. Scope: `deliveries:read`.
              parameters:
                - name: Last-Event-ID
                  in: header
                  schema: { type: string, pattern: '^[0-9]{1,18}$' }
                \(deliveryFilters)
              responses:
                '200': { description: The stream; it does not end by itself., content: { text/event-stream: {} } }
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/stats:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            get:
              operationId: getStats
              tags: [operators]
              summary: 'Statistics of deliveries: counts by state, provider and reason, latency and taps.'
              description: 'Scope: `deliveries:read`.'
              parameters:
                - name: window
                  in: query
                  description: 1m to 30d.
                  schema:
                    type: string
                    pattern: >-
                      ^(([1-9][0-9]{0,3}|[1-3][0-9]{4}|4[0-2][0-9]{3}|43[01][0-9]{2}|43200)m|([1-9][0-9]?|[1-6][0-9]{2}|7[01][0-9]|720)h|([1-9]|[12][0-9]|30)d)$
                    default: 1h
                    examples: [1h]
              responses:
                '200':
                  description: The counts.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Stats' } } }
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/campaigns:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            get:
              operationId: listCampaigns
              tags: [operators]
              summary: 'Campaign statistics, newest first.'
              description: 'Scope: `deliveries:read`.'
              parameters:
                - { $ref: '#/components/parameters/limit' }
                - { $ref: '#/components/parameters/cursor' }
              responses:
                \(page(of: "CampaignStats"))
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/campaigns/{campaign}:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { name: campaign, in: path, required: true, schema: { $ref: '#/components/schemas/Id' } }
            get:
              operationId: getCampaign
              tags: [operators]
              summary: Statistics of a campaign of proactive messages.
              description: >-
                Scope: `deliveries:read`. Counts the campaign from its first message on, with current states. Messages
                that `retentionDays` deletes stay counted; the campaign is deleted when its newest message is older than
                that.
              responses:
                '200':
                  description: The counts.
                  content: { application/json: { schema: { $ref: '#/components/schemas/CampaignStats' } } }
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/apps/{app}/preview:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/app' }
            post:
              operationId: previewPush
              tags: [operators]
              summary: 'Previews the request to the provider for an event; sends nothing and stores nothing.'
              description: 'Scope: `deliveries:read`.'
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [event, pushType]
                      properties:
                        event: { $ref: '#/components/schemas/Event' }
                        pushType: { enum: [apns, fcm, huawei, webpush] }
                        locale: { type: [string, 'null'], minLength: 1, maxLength: 64 }
                    example:
                      event: { id: evt-1, type: agent.message, consumer: u-1, conversation: c-9, text: It is shipped. }
                      pushType: apns
              responses:
                '200':
                  description: 'The request, with masked secrets.'
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [method, url, path, headers, body, bodyBytes, limitBytes, truncated]
                        properties:
                          method: { const: POST }
                          url: { type: string }
                          path: { type: string }
                          headers: { type: object, additionalProperties: { type: string } }
                          body: { type: object }
                          bodyBytes: { type: integer, minimum: 0 }
                          limitBytes: { type: integer, minimum: 0 }
                          truncated: { type: array, items: { type: string } }
                \(problems(400, 401, 403, 404, 409, 413, 415, 422))
          /v1/brands/{brand}/apps/{app}/self-check:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/app' }
            post:
              operationId: selfCheck
              tags: [operators]
              summary: Sends a silent push to one token and returns the provider's verdict.
              description: 'It is not counted in any statistics. Scope: `brand:admin`.'
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [token, pushType]
                      properties:
                        token: { type: string, minLength: 2, maxLength: 4096 }
                        pushType: { enum: [apns, fcm, huawei, webpush] }
                        environment: { enum: [production, sandbox, null], default: production }
                    example: { token: 00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0, pushType: apns }
              responses:
                '200':
                  description: The verdict.
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [verdict, outcome, status, reason, providerId, latencyMs]
                        properties:
                          verdict:
                            type: string
                            description: 'A readable sentence. Only the instance''s administrator gets the error of the transport.'
                          outcome: { type: string }
                          status: { type: [integer, 'null'] }
                          reason: { type: [string, 'null'] }
                          providerId: { type: [string, 'null'] }
                          latencyMs: { type: [integer, 'null'] }
                \(problems(400, 401, 403, 404, 409, 413, 415, 422))
          /v1/brands/{brand}/audit:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            get:
              operationId: listBrandAudit
              tags: [operators]
              summary: Administrative changes of a brand, newest first.
              description: 'Scope: `brand:admin`.'
              parameters:
                \(auditFilters)
              responses:
                '200':
                  description: A page.
                  content: { application/json: { schema: { $ref: '#/components/schemas/AuditPage' } } }
                \(problems(400, 401, 403, 404, 422))
          /v1/audit:
            get:
              operationId: listAudit
              tags: [operators]
              summary: 'Administrative changes of all brands, including deleted ones, newest first.'
              security: [{ admin: [] }]
              parameters:
                \(auditFilters)
              responses:
                '200':
                  description: A page.
                  content: { application/json: { schema: { $ref: '#/components/schemas/AuditPage' } } }
                \(problems(400, 401, 403, 422))
          /v1/clock:
            get:
              operationId: getClock
              tags: [operators]
              summary: The gateway's time and the system clock.
              security: [{ admin: [] }]
              responses:
                '200': { description: The times., content: { application/json: { schema: { $ref: '#/components/schemas/Clock' } } } }
                \(problems(401, 403))
          /v1/clock/accept:
            post:
              operationId: acceptClock
              tags: [operators]
              summary: 'Confirms that the system clock is right: expiry is resumed.'
              description: >-
                When the clock at the start is more than 3 days ahead of the newest time in the data, expiry and
                deletion are suspended for 6 hours of running. This operation ends that at once; otherwise it does
                nothing. 409 `conflict` when the clock was set back meanwhile: then it was wrong, and only a restart
                corrects the gateway's time.
              security: [{ admin: [] }]
              responses:
                '200': { description: The times., content: { application/json: { schema: { $ref: '#/components/schemas/Clock' } } } }
                \(problems(401, 403, 409))
        """

    private static let auditFilters = [
        "{ name: since, in: query, schema: { $ref: '#/components/schemas/Time' } }",
        "{ name: until, in: query, schema: { $ref: '#/components/schemas/Time' } }",
        "{ $ref: '#/components/parameters/limit' }",
        "{ $ref: '#/components/parameters/cursor' }",
    ].map { "- " + $0 }.joined(separator: "\n        ")

    static let operatorSchemas = """
            DeliveryId: { type: string, pattern: '^[1-9][0-9]{0,18}$', examples: ['4711'] }
            DeliveryState:
              enum: [pending, held, sending, retrying, accepted, delivered, tapped, failed, expired, suppressed, cancelled]
            Delivery:
              type: object
              required: [id, messageId, consumer, deviceId, app, provider, state, attempts, queuedAt]
              properties:
                id: { $ref: '#/components/schemas/DeliveryId' }
                messageId: { type: [string, 'null'], format: uuid, description: Null for a push with only a badge. }
                consumer: { $ref: '#/components/schemas/Id' }
                deviceId: { $ref: '#/components/schemas/Id' }
                app: { $ref: '#/components/schemas/BrandId' }
                provider: { enum: [apns, fcm, huawei, webpush] }
                state: { $ref: '#/components/schemas/DeliveryState' }
                attempts: { type: integer, minimum: 0 }
                providerId: { type: [string, 'null'] }
                status: { type: [integer, 'null'], description: The HTTP status of the last response. }
                reason: { type: [string, 'null'], description: The provider's reason in that response. }
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
                  description: 'The steps of the delivery, in order.'
                  items:
                    type: object
                    required: [state, at]
                    properties:
                      state: { type: string }
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
            Counts: { type: object, additionalProperties: { type: integer, minimum: 0 } }
            ReasonCounts:
              type: object
              additionalProperties: { type: integer, minimum: 0 }
              description: >-
                By the provider's reason in the last response; a reason that is not documented counts as `other`.
            Latencies:
              type: object
              required: [count, p50, p90, p99, p999, max]
              properties:
                count: { type: integer, minimum: 0 }
                p50: { type: [number, 'null'] }
                p90: { type: [number, 'null'] }
                p99: { type: [number, 'null'] }
                p999: { type: [number, 'null'] }
                max: { type: [number, 'null'] }
            Stats:
              type: object
              required:
                [since, until, resolutionSeconds, total, byState, byProvider, byReason, latencyMs, receipts, taps, tapRate]
              properties:
                since: { $ref: '#/components/schemas/Time' }
                until: { $ref: '#/components/schemas/Time' }
                resolutionSeconds: { type: integer, minimum: 1 }
                total: { type: integer, minimum: 0 }
                byState: { $ref: '#/components/schemas/Counts' }
                byProvider: { $ref: '#/components/schemas/Counts' }
                byReason: { $ref: '#/components/schemas/ReasonCounts' }
                unfinishedComplete: { type: boolean, description: False when not all waiting deliveries were counted. }
                latencyMs: { $ref: '#/components/schemas/Latencies' }
                latencyMsByProvider:
                  type: object
                  additionalProperties: { $ref: '#/components/schemas/Latencies' }
                receipts: { $ref: '#/components/schemas/Receipts' }
                taps: { $ref: '#/components/schemas/Taps' }
                tapRate: { type: [number, 'null'], description: The same as the `rate` of `taps`. }
            CampaignStats:
              type: object
              required:
                [campaign, messages, tappedMessages, deliveries, unfinished, byState, byProvider, byReason, receipts, taps, tapRate,
                firstAt, lastAt]
              properties:
                campaign: { $ref: '#/components/schemas/Id' }
                messages: { type: integer, minimum: 0, description: Accepted messages. }
                tappedMessages: { type: integer, minimum: 0, description: 'Messages that were tapped, on any device.' }
                deliveries: { type: integer, minimum: 0, description: 'Deliveries, one for each device.' }
                unfinished: { type: integer, minimum: 0, description: Deliveries that wait or are being sent. }
                byState: { $ref: '#/components/schemas/Counts' }
                byProvider: { $ref: '#/components/schemas/Counts' }
                byReason: { $ref: '#/components/schemas/ReasonCounts' }
                receipts: { $ref: '#/components/schemas/Receipts' }
                taps: { $ref: '#/components/schemas/Taps' }
                tapRate: { type: [number, 'null'], description: The same as the `rate` of `taps`. }
                firstAt: { $ref: '#/components/schemas/Time' }
                lastAt: { $ref: '#/components/schemas/Time' }
            Receipts:
              type: object
              description: >-
                The number of deliveries of messages for which the device reported this. A delivery counts once under
                each, regardless of later reports; a message that was displayed or dismissed was delivered.
              required: [delivered, displayed, dismissed]
              properties:
                delivered: { type: integer, minimum: 0 }
                displayed: { type: integer, minimum: 0 }
                dismissed: { type: integer, minimum: 0 }
            Taps:
              type: object
              description: >-
                Deliveries of messages that were tapped, and their share of those that providers accepted (now
                `accepted`, `delivered` or `tapped`; without badges and silent pushes). The base is not those reported
                as delivered: many devices report only taps.
              required: [accepted, tapped, rate]
              properties:
                accepted: { type: integer, minimum: 0 }
                tapped: { type: integer, minimum: 0 }
                rate: { type: [number, 'null'], description: 'From 0 to 1, with four digits; null without deliveries.' }
            Clock:
              type: object
              required: [systemTime, gatewayTime, newestStoredTime, guardedUntil, needsRestart]
              properties:
                systemTime: { $ref: '#/components/schemas/Time' }
                gatewayTime:
                  allOf: [{ $ref: '#/components/schemas/Time' }]
                  description: The time that the gateway uses. It never goes back; it approaches the system clock by a tenth of the elapsed time.
                newestStoredTime:
                  allOf: [{ $ref: '#/components/schemas/NullableTime' }]
                  description: The newest time in the data at the start; null when there was no data.
                guardedUntil:
                  allOf: [{ $ref: '#/components/schemas/NullableTime' }]
                  description: The end of the suspension of expiry and deletion; null when they are not suspended.
                needsRestart:
                  type: boolean
                  description: >-
                    Whether the system clock was set back since a start with a doubtful clock. The gateway's time never
                    goes back: expiry stays suspended until a restart.
            AuditPage:
              type: object
              required: [items, nextCursor]
              properties:
                items:
                  type: array
                  items:
                    type: object
                    required: [id, at, brand, actor, action, target, changes, requestId]
                    properties:
                      id: { type: string }
                      at: { $ref: '#/components/schemas/Time' }
                      brand:
                        oneOf: [{ $ref: '#/components/schemas/BrandId' }, { type: 'null' }]
                        description: Null for a change of the whole instance.
                      actor:
                        type: object
                        required: [kind, id]
                        properties: { kind: { enum: [admin, serviceAccount, gateway] }, id: { type: string } }
                      action: { enum: [\(AuditAction.allCases.map(\.rawValue).joined(separator: ", "))] }
                      target: { type: string }
                      changes: { type: array, items: { type: string }, description: 'Names of members, never their values.' }
                      requestId: { type: [string, 'null'] }
                      count: { type: integer, minimum: 1, description: 'The number of changes within the hour after `at`; absent for one.' }
                nextCursor: { $ref: '#/components/schemas/NextCursor' }
        """
}
