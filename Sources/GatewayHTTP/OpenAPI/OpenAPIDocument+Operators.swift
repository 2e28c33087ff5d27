// What became of messages (`http-api.md` section 9).
extension OpenAPIDocument {
    static let operators = """
          /v1/brands/{brand}/deliveries:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            get:
              operationId: listDeliveries
              tags: [operators]
              summary: Deliveries by filter, newest first.
              description: 'Scope: `deliveries:read`.'
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
                \(problems(401, 403, 404))
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
              required: [attemptLog]
              properties:
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
        """
}
