// What back-ends are told (`http-api.md` section 9, "Outbound feed").
extension OpenAPIDocument {
    static let outbound = """
          /v1/brands/{brand}/outbound:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            get:
              operationId: listSubscriptions
              tags: [outbound]
              summary: The feed's subscriptions, and how far they are behind.
              description: 'Scope: `events:read`.'
              parameters:
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
                          items: { type: array, items: { $ref: '#/components/schemas/Subscription' } }
                          nextCursor: { $ref: '#/components/schemas/NextCursor' }
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/outbound/{subscription}:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { name: subscription, in: path, required: true, schema: { $ref: '#/components/schemas/BrandId' } }
            get:
              operationId: readOutbound
              tags: [outbound]
              summary: Reads the feed; the first read makes the subscription.
              description: |
                Reading moves nothing: the next read goes on at `after` = `nextAfter`. Positions are dense within the brand.
                A brand has at most 32 subscriptions (409). Scope: `events:read`.
              parameters:
                - name: after
                  in: query
                  description: Only behind this position; absent begins at the subscription's mark. Not beyond the end.
                  schema: { $ref: '#/components/schemas/Position' }
                - { $ref: '#/components/parameters/limit' }
                - name: waitSeconds
                  in: query
                  description: How long to wait for an item when there is none.
                  schema: { type: integer, minimum: 0, maximum: 60, default: 0 }
                - { name: types, in: query, description: Types with commas between., schema: { type: string, minLength: 1 } }
                - name: from
                  in: query
                  description: Where a new subscription begins.
                  schema: { enum: [start, end], default: end }
              responses:
                '200':
                  description: Items in order.
                  content: { application/json: { schema: { $ref: '#/components/schemas/OutboundPage' } } }
                \(problems(400, 401, 403, 404, 409, 422))
            delete:
              operationId: deleteSubscription
              tags: [outbound]
              summary: Ends a subscription.
              description: 'Scope: `events:read`.'
              responses:
                '204': { description: It is gone. }
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/outbound/{subscription}/ack:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { name: subscription, in: path, required: true, schema: { $ref: '#/components/schemas/BrandId' } }
            post:
              operationId: acknowledgeOutbound
              tags: [outbound]
              summary: Moves a subscription's mark forward; never back, and not beyond the end (422).
              description: 'Scope: `events:read`.'
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [upTo]
                      properties: { upTo: { $ref: '#/components/schemas/Position' } }
                    example: { upTo: 0 }
              responses:
                '200':
                  description: Where the mark is.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Subscription' } } }
                \(problems(400, 401, 403, 404, 413, 415, 422))
          /v1/brands/{brand}/webhook:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            get:
              operationId: getWebhook
              tags: [outbound]
              summary: How the brand's webhook stands; it is set with the brand's settings.
              description: 'Scope: `brand:admin`.'
              responses:
                '200':
                  description: How it stands.
                  content: { application/json: { schema: { $ref: '#/components/schemas/WebhookState' } } }
                \(problems(401, 403, 404))
          /v1/brands/{brand}/webhook/replay:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            post:
              operationId: replayWebhook
              tags: [outbound]
              summary: Posts again what lies behind a position.
              description: 'Scope: `brand:admin`.'
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [after]
                      properties: { after: { $ref: '#/components/schemas/Position' } }
                    example: { after: 0 }
              responses:
                '200':
                  description: How it stands.
                  content: { application/json: { schema: { $ref: '#/components/schemas/WebhookState' } } }
                \(problems(400, 401, 403, 404, 413, 415, 422))
        """

    static let outboundSchemas = """
            Position: { type: integer, format: int64, minimum: 0 }
            OutboundType:
              enum:
                - consumer.message
                - conversation.opened
                - conversation.resolved
                - message.tapped
                - device.unregistered
                - delivery.failed
            OutboundItem:
              type: object
              required: [position, type, time, data]
              properties:
                position: { $ref: '#/components/schemas/Position' }
                type: { $ref: '#/components/schemas/OutboundType' }
                time: { $ref: '#/components/schemas/Time' }
                data: { type: object }
            OutboundPage:
              type: object
              required: [items, nextAfter, end]
              properties:
                items: { type: array, items: { $ref: '#/components/schemas/OutboundItem' } }
                nextAfter: { $ref: '#/components/schemas/Position' }
                end: { $ref: '#/components/schemas/Position' }
                gap: { type: boolean, description: Items behind `after` were removed before this read. }
            Subscription:
              type: object
              required: [id, position, lag, createdAt, acknowledgedAt]
              properties:
                id: { $ref: '#/components/schemas/BrandId' }
                position: { $ref: '#/components/schemas/Position' }
                lag: { $ref: '#/components/schemas/Position' }
                createdAt: { $ref: '#/components/schemas/Time' }
                acknowledgedAt: { $ref: '#/components/schemas/NullableTime' }
            WebhookState:
              type: object
              required: [url, state, position, lag, keptAfter, attempts, lastTriedAt, lastStatus, lastError, nextTryAt]
              properties:
                url: { type: string }
                state: { enum: [working, failing, 'off'] }
                position: { $ref: '#/components/schemas/Position' }
                lag: { $ref: '#/components/schemas/Position' }
                keptAfter: { $ref: '#/components/schemas/Position' }
                attempts: { type: integer, minimum: 0 }
                lastTriedAt: { $ref: '#/components/schemas/NullableTime' }
                lastStatus: { type: [integer, 'null'] }
                lastError: { type: [string, 'null'] }
                nextTryAt: { $ref: '#/components/schemas/NullableTime' }
        """
}
