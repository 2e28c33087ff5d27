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
              summary: The number of messages that the consumer has not read.
              security: [{ session: [] }, { backend: [] }, { admin: [] }]
              responses:
                '200':
                  description: 'The counts; single counts for 500 conversations, those with unread messages and the newest first.'
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
              summary: 'Messages, in order; listing them does not mark them as read.'
              security: [{ session: [] }, { backend: [] }, { admin: [] }]
              parameters:
                - { name: conversation, in: query, schema: { $ref: '#/components/schemas/Id' } }
                - name: afterSequence
                  in: query
                  description: 'Only messages with a higher sequence, within one conversation.'
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
              summary: 'Pending proactive messages, newest first.'
              description: >-
                A message is pending when it was neither tapped nor cleared by the tap of another (`clearOthers`) and is
                not past its look-back. An expired push, or a read in a window, does not change this. Listing changes
                nothing.
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
              summary: Reports that the app showed these messages.
              description: >-
                The mark never moves back; a mark beyond the last message is moved to it. The consumer's other devices
                get a push with the new badge. Its member `read` states up to which message each conversation was read,
                so that the app removes those notifications: an array of `conversation`, `upToSequence` and
                `messageIds`.
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
                  description: The unread counts after the change.
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
              summary: Reports a tap on the push of a message; repetitions have the same response.
              description: >-
                The first report counts. A report after the look-back of a proactive message, by the gateway's clock, is
                410; repetitions of a report that came in time succeed. `tappedAt` is the device's time; a time in the
                future becomes the current time, a time before the message becomes the message's time. A tap never
                changes what is unread.
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
                            Whether the consumer's other proactive messages stop being pending; those that still wait to
                            be pushed are not pushed. Counts only in the first report of a tap.
                    example: { deviceId: d-1 }
              responses:
                '200':
                  description: The target of the tap; for proactive messages with the message itself.
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
              summary: Reports receipts of pushes on the device.
              description: >-
                Each receipt is handled on its own. Repetitions, and receipts out of order, do not change earlier
                reports, and a tap stays a tap; `displayed` and `dismissed` imply that the push had arrived. An `at` in
                the future becomes the current time, one from before the push becomes the push's time. When no receipt
                is valid the response is 422, or 403 when all are of other devices than the session's.
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
                  description: 'The number of receipts with a delivery, and the result of each, in the order of the request.'
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
                                  description: '`unknown`: the message was not delivered to the device.'
                                errors:
                                  type: array
                                  items:
                                    type: object
                                    required: [pointer, detail]
                                    properties: { pointer: { type: string }, detail: { type: string } }
                \(problems(400, 401, 403, 404, 413, 415, 422))
        """
}
