// The outbound feed and the webhook (OutboundEvents page).
extension OpenAPIDocument {
    static let outbound = """
          /v1/brands/{brand}/outbound:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            get:
              operationId: listSubscriptions
              tags: [outbound]
              summary: 'The subscriptions of the outbound feed, with their lag.'
              description: 'Scope: `events:read`.'
              parameters:
                - { $ref: '#/components/parameters/limit' }
                - { $ref: '#/components/parameters/cursor' }
              responses:
                \(page(of: "Subscription"))
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/outbound/{subscription}:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/subscription' }
            get:
              operationId: readOutbound
              tags: [outbound]
              summary: Reads the feed; a subscription is created at its first use.
              description: |
                Reading does not move the mark; `ack` does. Without `after` the response begins at the mark. `gap` means
                that items after `after` have expired unread. `consumer.typing` is returned only when `types` names it,
                and only while the request waits: it is not stored and has no `position`. A subscription belongs to the
                service account that first reads it, until that account is deleted; others need `events:manage`. Scope:
                `events:read`.
              parameters:
                - name: after
                  in: query
                  schema: { type: integer, minimum: 0, maximum: 9223372036854775807 }
                - { $ref: '#/components/parameters/limit' }
                - name: waitSeconds
                  in: query
                  description: The longest time to wait when there are no items.
                  schema: { type: integer, minimum: 0, maximum: 60, default: 0 }
                - name: types
                  in: query
                  description: 'Types, separated by commas.'
                  schema: { type: string, pattern: '^(\(readTypes))(,(\(readTypes)))*$' }
                - name: from
                  in: query
                  description: The start of a new subscription.
                  schema: { enum: [start, end], default: end }
              responses:
                '200':
                  description: 'Items, in order.'
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [items, nextAfter, end]
                        properties:
                          items: { type: array, items: { $ref: '#/components/schemas/OutboundItem' } }
                          nextAfter: { type: integer, minimum: 0, description: 'The `after` of the next request.' }
                          end: { type: integer, minimum: 0, description: The newest position. }
                          gap: { type: boolean }
                \(problems(400, 401, 403, 404, 409, 422))
            delete:
              operationId: deleteSubscription
              tags: [outbound]
              summary: Deletes a subscription; items are no longer kept for it.
              description: 'Scope: `events:read`, and `events:manage` for another account''s.'
              responses:
                '204': { description: Subscription deleted. }
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/outbound/{subscription}/ack:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/subscription' }
            post:
              operationId: acknowledgeOutbound
              tags: [outbound]
              summary: Moves the subscription's mark forward; items up to it may be deleted.
              description: 'Scope: `events:read`, and `events:manage` for another account''s.'
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [upTo]
                      properties: { upTo: { type: integer, minimum: 0, maximum: 9223372036854775807 } }
                    example: { upTo: 0 }
              responses:
                '200':
                  description: The changed subscription.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Subscription' } } }
                \(problems(400, 401, 403, 404, 413, 415, 422))
          /v1/brands/{brand}/webhook:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            get:
              operationId: getWebhook
              tags: [outbound]
              summary: The state of the brand's webhook.
              description: 'The webhook is configured in the brand''s settings. Scope: `brand:admin`.'
              responses:
                '200':
                  description: The webhook.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Webhook' } } }
                \(problems(401, 403, 404))
          /v1/brands/{brand}/webhook/replay:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            post:
              operationId: replayWebhook
              tags: [outbound]
              summary: Sets the webhook's mark, so that stored items after it are sent again.
              description: 'Scope: `brand:admin`.'
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [after]
                      properties: { after: { type: integer, minimum: 0, maximum: 9223372036854775807 } }
                    example: { after: 0 }
              responses:
                '200':
                  description: The changed webhook.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Webhook' } } }
                \(problems(400, 401, 403, 404, 413, 415, 422))
        """

    private static let outboundTypes =
        "consumer.message|conversation.opened|conversation.resolved|message.tapped|device.unregistered|delivery.failed"

    private static let readTypes = outboundTypes + "|consumer.typing"

    static let outboundSchemas = """
            OutboundItem:
              type: object
              required: [type, time, data]
              properties:
                position: { type: integer, minimum: 1 }
                type: { type: string, examples: [message.tapped] }
                time: { $ref: '#/components/schemas/Time' }
                data: { type: object }
            Subscription:
              type: object
              required: [id, position, lag, createdAt, acknowledgedAt, owner]
              properties:
                id: { $ref: '#/components/schemas/BrandId' }
                position: { type: integer, minimum: 0, description: The subscription's mark. }
                lag: { type: integer, minimum: 0, description: The number of positions that it is behind. }
                createdAt: { $ref: '#/components/schemas/Time' }
                acknowledgedAt: { $ref: '#/components/schemas/NullableTime' }
                owner: { type: [string, 'null'], description: 'The service account that owns it, if one has read it.' }
            Webhook:
              type: object
              required: [url, state, position, lag, attempts]
              properties:
                url: { type: string }
                state: { enum: [working, failing, 'off'] }
                position: { type: integer, minimum: 0 }
                lag: { type: integer, minimum: 0 }
                keptAfter: { type: integer, minimum: 0, description: Items up to this position are no longer stored. }
                attempts: { type: integer, minimum: 0 }
                lastTriedAt: { $ref: '#/components/schemas/NullableTime' }
                lastStatus: { type: [integer, 'null'] }
                lastError:
                  type: [string, 'null']
                  description: >-
                    `refused`, `gone` or `unreachable`. The instance's administrator gets the exact reason for a missing
                    response: `timeout`, `unresolved`, `forbidden_address`, `tls`.
                nextTryAt: { $ref: '#/components/schemas/NullableTime' }
            WebhookSettings:
              type: object
              additionalProperties: false
              description: '`url` is required when there was no webhook before.'
              properties:
                url: { type: string, format: uri, description: 'https; plain http only to a loopback address, when `outgoing.allowLoopback` is on.' }
                secret:
                  type: [string, 'null']
                  description: '`whsec_` and 24 to 64 bytes as base64; returned only in the response that sets it.'
                types: { type: [array, 'null'], minItems: 1, maxItems: 100, items: { enum: [\(outboundTypes.replacing("|", with: ", "))] } }
                secretFingerprint: { type: string, readOnly: true }
                previousSecretUntil: { type: [string, 'null'], readOnly: true }
        """
}
