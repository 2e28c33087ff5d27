// Conversations for consumers (MessagingWindow page).
extension OpenAPIDocument {
    static let conversations = """
          /v1/brands/{brand}/engagements:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            post:
              operationId: getEngagement
              tags: [messages]
              summary: The engagement that the brand offers at entry points of an app.
              description: >-
                Returns the first of the brand's `engagements` that names this app or none, and whose entry points are
                all named. Nothing is stored. The three ids are those of the request, or new ones. A consumer is
                identified only by an `identity`; the response then names its active conversation, and the offer is
                valid for this consumer only.
              security: []
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [app, entryPoints]
                      properties:
                        app: { $ref: '#/components/schemas/BrandId' }
                        entryPoints: { $ref: '#/components/schemas/EntryPoints' }
                        identity:
                          type: [string, 'null']
                          pattern: '^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]*){4}$'
                          description: 'An assertion as for a login, always a compact JWE.'
                        visitorId: { $ref: '#/components/schemas/NullableLine' }
                        sessionId: { $ref: '#/components/schemas/NullableLine' }
                    example: { app: ios, entryPoints: ['sec://sales', 'lang://en'] }
              responses:
                '200':
                  description: 'The offer, if there is one, in the given session.'
                  content: { application/json: { schema: { $ref: '#/components/schemas/EngagementOffer' } } }
                '201':
                  description: 'The offer, if there is one, in a new session.'
                  content: { application/json: { schema: { $ref: '#/components/schemas/EngagementOffer' } } }
                \(problems(400, 401, 404, 413, 415, 422))
          /v1/brands/{brand}/conversations:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/actingFor' }
            post:
              operationId: openConversation
              tags: [messages]
              summary: 'Opens a conversation, or returns the active one.'
              description: >-
                A repetition, with any `clientId`, returns the conversation that the first request opened as long as it
                is active; once it is resolved, a new one is opened. 409 for a consumer with 1,000 conversations that
                were opened this way: a resolved one is deleted when its last message, or without one its opening, is
                older than `retentionDays` and no message of it is left. With the `engagement` that was offered, a new
                conversation is reported to the back-end with its skill, language and survey (`conversation.opened`). An
                offer that is older than a day, or that the brand has changed or removed since, is 410; an offer that
                was never made, or not to this consumer, is 422.
              security: [{ session: [] }, { backend: [] }, { admin: [] }]
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [clientId]
                      properties:
                        clientId: { $ref: '#/components/schemas/Id' }
                        engagement:
                          type: [object, 'null']
                          description: From `engagementDetails`; all three belong together.
                          additionalProperties: false
                          required: [campaignId, engagementId, contextId]
                          properties:
                            campaignId: { $ref: '#/components/schemas/Line' }
                            engagementId: { $ref: '#/components/schemas/Line' }
                            contextId: { $ref: '#/components/schemas/Line' }
                    example: { clientId: o-1 }
              responses:
                '200':
                  description: The existing conversation.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Conversation' } } }
                '201':
                  description: Conversation opened.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Conversation' } } }
                \(problems(400, 401, 403, 404, 409, 410, 413, 415, 422))
          /v1/brands/{brand}/conversations/{conversation}/messages:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/conversation' }
              - { $ref: '#/components/parameters/actingFor' }
            post:
              operationId: writeMessage
              tags: [messages]
              summary: Sends a message to the agent.
              description: >-
                The response is sent once the message is stored; the outbound feed and the webhook report it as
                `consumer.message`. It is never unread and never pushed. A repetition of the `clientId`, within the
                brand's `dedupeHours`, has the same response and stores nothing; with another conversation, text or data
                it is 409, and 410 when the message has been removed. A conversation that was resolved becomes active
                again.
              security: [{ session: [] }, { backend: [] }, { admin: [] }]
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [clientId, text]
                      properties:
                        clientId: { $ref: '#/components/schemas/Id' }
                        text: { type: string, minLength: 1, maxLength: 16384, pattern: '^[^\\u0000]*$' }
                        data: { type: [object, 'null'], description: At most 32 KiB as sent. }
                    example: { clientId: m-1, text: 'Where is my order?', data: { orderId: A17 } }
              responses:
                '201':
                  description: Message stored.
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [messageId, sequence]
                        properties:
                          messageId: { $ref: '#/components/schemas/MessageId' }
                          sequence: { type: integer, minimum: 1 }
                \(problems(400, 401, 403, 404, 409, 410, 413, 415, 422))
          /v1/brands/{brand}/conversations/{conversation}/resolve:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/conversation' }
              - { $ref: '#/components/parameters/actingFor' }
            post:
              operationId: resolveConversation
              tags: [messages]
              summary: Resolves a conversation on behalf of the consumer.
              description: A conversation that is not active is 409.
              security: [{ session: [] }, { backend: [] }, { admin: [] }]
              responses:
                '204': { description: Conversation resolved. }
                \(problems(400, 401, 403, 404, 409, 422))
        """
}
