// What consumers do in their conversations (`http-api.md` section 6).
extension OpenAPIDocument {
    static let conversations = """
          /v1/brands/{brand}/conversations:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/actingFor' }
            post:
              operationId: openConversation
              tags: [messages]
              summary: Opens a conversation, or answers with the active one.
              description: >-
                A repetition by `clientId` answers with the conversation that the first one opened, within the brand's
                `dedupeHours`.
              security: [{ session: [] }, { backend: [] }, { admin: [] }]
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [clientId]
                      properties: { clientId: { $ref: '#/components/schemas/Id' } }
                    example: { clientId: o-1 }
              responses:
                '200':
                  description: The conversation that was there.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Conversation' } } }
                '201':
                  description: The new one.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Conversation' } } }
                \(problems(400, 401, 403, 404, 413, 415, 422))
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
                        text: { type: string, minLength: 1, maxLength: 16384 }
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
