// What consumers do in their conversations (MessagingWindow page).
extension OpenAPIDocument {
    static let conversations = """
          /v1/brands/{brand}/engagements:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            post:
              operationId: getEngagement
              tags: [messages]
              summary: What the brand offers at a place of an app.
              description: >-
                Takes the first of the brand's `engagements` that names this app or none, and whose entry points are all named.
                Nothing is stored. The three ids are those given, or new ones. A consumer is known by an `identity` only; its
                active conversation is named then, and the offer holds for it alone.
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
                          description: 'An assertion as in a login, always as a compact JWE.'
                        visitorId: { $ref: '#/components/schemas/NullableLine' }
                        sessionId: { $ref: '#/components/schemas/NullableLine' }
                    example: { app: ios, entryPoints: ['sec://sales', 'lang://en'] }
              responses:
                '200':
                  description: The offer, if there is one, in the session that was named.
                  content: { application/json: { schema: { $ref: '#/components/schemas/EngagementOffer' } } }
                '201':
                  description: The offer, if there is one, in a new session.
                  content: { application/json: { schema: { $ref: '#/components/schemas/EngagementOffer' } } }
                \(problems(400, 401, 404, 413, 415, 422))
          /v1/brands/{brand}/conversations:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/actingFor' }
            post:
              operationId: openConversation
              tags: [messages]
              summary: Opens a conversation, or answers with the active one.
              description: >-
                A repetition, whatever its `clientId`, answers with the conversation that the first one opened as long as that
                is active; once it is resolved, another is opened. 409 for a consumer with 1,000 conversations that were
                opened so: a resolved one is forgotten when its last message, or without one its opening, is older than
                `retentionDays` and no message of it is left. With the `engagement` that was offered, a new conversation is
                told to the back-end with its skill, language and survey (`conversation.opened`). An offer that is older than a
                day, or that the brand has changed or taken away since, is 410; one that was never made, or not to this
                consumer, is 422.
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
                  description: The conversation that was there.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Conversation' } } }
                '201':
                  description: The new one.
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
              summary: Writes to the agent.
              description: >-
                Answers once the message is stored; it goes to the outbound feed and the webhook as `consumer.message`. It is
                never unread and never pushed. A repetition by `clientId`, within the brand's `dedupeHours`, answers the
                same and stores nothing; with another conversation, text or data it is 409, and 410 when the message was
                removed since. A conversation that was resolved is active again.
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
                        data: { type: [object, 'null'], description: At most 32 KiB as it came. }
                    example: { clientId: m-1, text: 'Where is my order?', data: { orderId: A17 } }
              responses:
                '201':
                  description: Where it is.
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
              summary: Resolves a conversation from the consumer's side.
              description: One that is not active is 409.
              security: [{ session: [] }, { backend: [] }, { admin: [] }]
              responses:
                '204': { description: It is resolved. }
                \(problems(400, 401, 403, 404, 409, 422))
        """
}
