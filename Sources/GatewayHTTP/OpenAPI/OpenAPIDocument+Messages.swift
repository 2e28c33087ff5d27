// Unread, messages, reads, taps and receipts (DevicesBadgesTaps page).
extension OpenAPIDocument {
    static let messages = """
          /v1/brands/{brand}/unread:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/actingFor' }
            get:
              operationId: getUnread
              tags: [messages]
              summary: How many messages the consumer has not read.
              security: [{ session: [] }, { backend: [] }, { admin: [] }]
              responses:
                '200':
                  description: The counts, of 500 conversations one by one, those with unread messages and the newest first.
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [unread, conversations, asOf]
                        properties:
                          unread: { type: integer, minimum: 0 }
                          conversations:
                            type: array
                            items: { $ref: '#/components/schemas/Conversation' }
                          asOf: { $ref: '#/components/schemas/Time' }
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/messages:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/actingFor' }
            get:
              operationId: listMessages
              tags: [messages]
              summary: Messages in order; reading them here marks nothing as read.
              security: [{ session: [] }, { backend: [] }, { admin: [] }]
              parameters:
                - { name: conversation, in: query, schema: { $ref: '#/components/schemas/Id' } }
                - name: afterSequence
                  in: query
                  description: Only messages above it, within one conversation.
                  schema: { type: integer, minimum: 0, maximum: 9223372036854775807 }
                - { $ref: '#/components/parameters/limit' }
                - { $ref: '#/components/parameters/cursor' }
              responses:
                \(page(of: "Message"))
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/proactive:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/actingFor' }
            get:
              operationId: listProactive
              tags: [messages]
              summary: Proactive messages that are pending, newest first.
              description: >-
                Pending is what was neither tapped nor cleared by the tap of another (`clearOthers`) and is not past its
                look-back; that its push expired, or that it was read in a window, changes nothing. Listing marks nothing.
              security: [{ session: [] }, { backend: [] }, { admin: [] }]
              parameters:
                - { $ref: '#/components/parameters/limit' }
                - { $ref: '#/components/parameters/cursor' }
              responses:
                \(page(of: "Message"))
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/conversations/{conversation}/read:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/conversation' }
              - { $ref: '#/components/parameters/actingFor' }
            post:
              operationId: markRead
              tags: [messages]
              summary: Says that the app showed these messages.
              description: >-
                The mark never moves back; beyond the last message it is moved there. The consumer's other devices get a
                push with the new badge that says, as `read`, which conversations were read how far, so that the app
                removes their notifications: an array of `conversation`, `upToSequence` and `messageIds`.
              security: [{ session: [] }, { backend: [] }, { admin: [] }]
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [upToSequence]
                      properties: { upToSequence: { type: integer, minimum: 0, maximum: 9223372036854775807 } }
                    example: { upToSequence: 7 }
              responses:
                '200':
                  description: What is unread now.
                  content:
                    application/json:
                      schema: { type: object, required: [unread], properties: { unread: { type: integer, minimum: 0 } } }
                \(problems(400, 401, 403, 404, 413, 415, 422))
          /v1/brands/{brand}/messages/{messageId}/tap:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { name: messageId, in: path, required: true, schema: { $ref: '#/components/schemas/MessageId' } }
              - { $ref: '#/components/parameters/actingFor' }
            post:
              operationId: tap
              tags: [messages]
              summary: Says that the push of a message was tapped; repetitions answer the same.
              description: >-
                The first report counts. One that comes after the look-back of a proactive message, by the gateway's clock, is
                410; repetitions of one that came in time are answered. `tappedAt` is the device's; one in the future becomes
                now, one from before the message the time when it came. A tap never changes what is unread.
              security: [{ session: [] }, { backend: [] }, { admin: [] }]
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [deviceId]
                      properties:
                        deviceId: { $ref: '#/components/schemas/Id' }
                        tappedAt: { $ref: '#/components/schemas/NullableTime' }
                        action: { $ref: '#/components/schemas/NullableLine' }
                        clearOthers:
                          type: [boolean, 'null']
                          default: false
                          description: >-
                            Whether the consumer's other pending proactive messages are pending no longer; what still waits to
                            be pushed of them is not pushed. Counts only in the first report of a tap.
                    example: { deviceId: d-1 }
              responses:
                '200':
                  description: Where the tap leads; with the message itself for proactive ones.
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [kind, conversation, sequence, tappedAt]
                        properties:
                          kind: { enum: [agent, proactive, c2m] }
                          conversation: { $ref: '#/components/schemas/Id' }
                          sequence: { type: integer, minimum: 1 }
                          message: { $ref: '#/components/schemas/Message' }
                          tappedAt: { $ref: '#/components/schemas/Time' }
                \(problems(400, 401, 403, 404, 410, 413, 415, 422))
          /v1/brands/{brand}/receipts:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/actingFor' }
            post:
              operationId: postReceipts
              tags: [messages]
              summary: Says what became of pushes on the device.
              description: >-
                Each receipt is taken by itself. Repetitions, and receipts out of order, change nothing that was said before,
                and a tap stays a tap; `displayed` and `dismissed` say that the push had arrived. An `at` in the future becomes
                now, one from before the push the time when it was made. When not one is right the call is 422, or 403 when all
                are of other devices than the session's.
              security: [{ session: [] }, { backend: [] }, { admin: [] }]
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [receipts]
                      properties:
                        receipts:
                          type: array
                          maxItems: 500
                          items:
                            type: object
                            required: [messageId, deviceId, state, at]
                            properties:
                              messageId: { $ref: '#/components/schemas/MessageId' }
                              deviceId: { $ref: '#/components/schemas/Id' }
                              state: { enum: [delivered, displayed, dismissed] }
                              at: { $ref: '#/components/schemas/Time' }
              responses:
                '202':
                  description: How many of them met a delivery, and what became of each, in their order.
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [recorded, results]
                        properties:
                          recorded: { type: integer, minimum: 0 }
                          results:
                            type: array
                            items:
                              type: object
                              required: [status]
                              properties:
                                status:
                                  enum: [recorded, unknown, rejected]
                                  description: '`unknown` is a message that was not delivered to the device.'
                                errors:
                                  type: array
                                  items:
                                    type: object
                                    required: [pointer, detail]
                                    properties: { pointer: { type: string }, detail: { type: string } }
                \(problems(400, 401, 403, 404, 413, 415, 422))
        """
}
