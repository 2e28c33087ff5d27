// Consumer data for back-ends (LoggingConsumersIn page).
extension OpenAPIDocument {
    static let consumers = """
          /v1/brands/{brand}/consumers/{consumer}:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/consumer' }
            get:
              operationId: getConsumer
              tags: [consumers]
              summary: 'Returns a consumer: profile, unread messages, conversations and devices.'
              description: 'Contains the newest 500 conversations that have messages. Scope: `consumers:write`.'
              responses:
                '200':
                  description: The consumer.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Consumer' } } }
                \(problems(400, 401, 403, 404, 422))
            patch:
              operationId: updateConsumer
              tags: [consumers]
              summary: Changes a consumer's profile, or merges another consumer into it.
              description: >-
                A merge patch (RFC 7396): an absent member stays unchanged, null clears it. The assertion of a later
                login replaces it. `mergeFrom` must be the only member and names another consumer of the brand, for
                example the anonymous one that this consumer was before. Its conversations, unread messages, devices and
                taps move to this one, its sessions end and its windows close, its profile is deleted, and its id
                becomes an alias of this one. A repetition has the same response; the audit trail records the merge once
                (`consumer.merged`). 409 when it was merged into a third one, or when it has an identifier and this one
                is anonymous. A merge cannot be undone. Scope: `consumers:write`.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      properties:
                        name: { $ref: '#/components/schemas/NullableLine' }
                        email: { $ref: '#/components/schemas/NullableLine' }
                        phone: { $ref: '#/components/schemas/NullableLine' }
                        quietHours: { oneOf: [{ $ref: '#/components/schemas/QuietHours' }, { type: 'null' }] }
                        mergeFrom: { oneOf: [{ $ref: '#/components/schemas/Id' }, { type: 'null' }] }
                    example: { name: Ada Lovelace, phone: null }
              responses:
                '200':
                  description: The changed consumer.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Consumer' } } }
                \(problems(400, 401, 403, 404, 409, 413, 415, 422))
            delete:
              operationId: eraseConsumer
              tags: [consumers]
              summary: Erases a consumer.
              description: >-
                Before the response is sent, its sessions have ended, its devices and their pending deliveries are
                deleted, and no request finds it any more; its id, and the ids that were merged into it, are free.
                Conversations, messages, taps, deliveries and its items of the outbound feed are removed afterwards, in
                small batches that continue after a restart. Items of the feed keep their position and hold
                `{"erased":true}`. The audit trail names the caller. Erasing an id that was merged into another consumer
                erases that consumer as a whole. Scope: `consumers:write`.
              responses:
                '204': { description: 'Consumer erased, or there was none.' }
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/consumers/{consumer}/export:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/consumer' }
            get:
              operationId: exportConsumer
              tags: [consumers]
              summary: Exports all stored data of a consumer.
              description: >-
                One JSON document, written in parts. A document that is not complete was cut off, because an error
                occurred or the consumer was erased meanwhile. It contains no tokens. Scope: `consumers:write`.
              responses:
                '200':
                  description: The document.
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [exportedAt, consumer, devices, sessions, conversations, deliveries]
                        properties:
                          exportedAt: { $ref: '#/components/schemas/Time' }
                          consumer: { type: object }
                          devices: { type: array, items: { $ref: '#/components/schemas/Registration' } }
                          sessions: { type: array, items: { type: object } }
                          conversations: { type: array, items: { type: object } }
                          deliveries: { type: array, items: { type: object } }
                \(problems(400, 401, 403, 404, 422))
        """

    static let consumerSchemas = """
            QuietHours:
              type: object
              description: >-
                A consumer's own quiet hours, replaced as a whole. `mode` off must be the only member and means no quiet
                hours even though the brand has some. Without a time zone here, of the device and of the brand, they are
                in UTC.
              additionalProperties: false
              properties:
                from: { $ref: '#/components/schemas/TimeOfDay' }
                to: { $ref: '#/components/schemas/TimeOfDay' }
                timeZone: { type: [string, 'null'], minLength: 1, maxLength: 64 }
                mode: { enum: ['held', 'silent', 'off', null], default: held }
            Consumer:
              type: object
              required: [id, anonymous, name, email, phone, quietHours, createdAt, unread, conversations, devices]
              properties:
                id: { $ref: '#/components/schemas/Id' }
                anonymous: { type: boolean }
                name: { type: [string, 'null'] }
                email: { type: [string, 'null'] }
                phone: { type: [string, 'null'] }
                quietHours: { oneOf: [{ $ref: '#/components/schemas/QuietHours' }, { type: 'null' }] }
                createdAt: { $ref: '#/components/schemas/Time' }
                unread: { type: integer, minimum: 0 }
                conversations: { type: array, items: { $ref: '#/components/schemas/Conversation' } }
                devices: { type: array, items: { $ref: '#/components/schemas/Registration' } }
        """
}
