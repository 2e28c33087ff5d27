// What back-ends know, change and forget of consumers (LoggingConsumersIn page).
extension OpenAPIDocument {
    static let consumers = """
          /v1/brands/{brand}/consumers/{consumer}:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/consumer' }
            get:
              operationId: getConsumer
              tags: [consumers]
              summary: 'A consumer: profile, unread, conversations and devices.'
              description: 'The newest 500 conversations that have messages. Scope: `consumers:write`.'
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
                A merge patch (RFC 7396): what is absent stays, null clears. What a later login's assertion says replaces it.
                `mergeFrom` stands alone and names another consumer of the brand, for example the anonymous one that this one
                was before: its conversations, unread, devices and taps are this one's then, its sessions end and its windows
                close, its profile is forgotten, and its id leads here. A repetition answers the same; the audit trail says it
                once (`consumer.merged`). 409 when it was merged into a third one, or when it has an identifier and this one
                is anonymous. There is no way back. Scope: `consumers:write`.
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
                  description: The consumer as it is now.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Consumer' } } }
                \(problems(400, 401, 403, 404, 409, 413, 415, 422))
            delete:
              operationId: eraseConsumer
              tags: [consumers]
              summary: Erases a consumer.
              description: >-
                Before the answer its sessions have ended, its devices are gone with what waits for them, and nothing of it is
                found any more; its id, and the ids that were merged into it, are free. Conversations, messages, taps,
                deliveries and what the outbound feed says of it are removed afterwards, in small pieces, also over a
                restart: items of the feed keep their position and hold `{"erased":true}`. The audit trail says who asked.
                What is known under an id that was merged into another is erased with all of that one. Scope:
                `consumers:write`.
              responses:
                '204': { description: 'Nobody knows it any more, or did before.' }
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/consumers/{consumer}/export:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/consumer' }
            get:
              operationId: exportConsumer
              tags: [consumers]
              summary: Everything that is kept about a consumer.
              description: >-
                One JSON document, written in pieces: a document that is not whole was cut off, because something failed or
                the consumer was erased meanwhile. Tokens are not in it. Scope: `consumers:write`.
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
                A consumer's own, given as a whole; `mode` off stands alone and means none though the brand has some. Without a
                time zone here, on the device and with the brand, they are in UTC.
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
