// Events (SendingMessages page).
extension OpenAPIDocument {
    static let events = """
          /v1/brands/{brand}/events:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            post:
              operationId: postEvents
              tags: [events]
              summary: Posts events; the response is sent when they are on disk.
              description: |
                One event, or a batch of up to 10,000 in 16 MiB. An event is identified by brand, `source` and `id`:
                posting it again has no effect and returns the first one's ids. The response to a batch is always 202
                and has a result for each event, in the order of the request; the response to a single invalid event is
                its problem.

                In CloudEvents `id`, `type`, `source` and `time` are the attributes and all other members are in `data`.
                Binary mode is `application/json` with the attributes as `ce-` headers and the members as body.

                Scope: `events:write`.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      oneOf:
                        - { $ref: '#/components/schemas/Event' }
                        - { type: array, maxItems: 10000, items: {}, description: An item that is not an event is rejected individually. }
                    examples:
                      one: { value: { id: evt-1, type: agent.message, consumer: u-1, conversation: c-9, text: It is shipped. } }
                      batch: { value: [{ id: evt-2, type: messages.read, consumer: u-1, conversation: c-9, upToSequence: 1 }] }
                  application/x-ndjson:
                    schema: { description: 'An event a line; what is none is rejected for itself.' }
                    example: |
                      {"id":"evt-1","type":"agent.message","consumer":"u-1","text":"It is shipped."}
                  application/cloudevents+json:
                    schema: { $ref: '#/components/schemas/CloudEvent' }
                    example:
                      specversion: '1.0'
                      id: evt-1
                      source: /crm
                      type: agent.message
                      data: { consumer: u-1, text: It is shipped. }
                  application/cloudevents-batch+json:
                    schema: { type: array, maxItems: 10000, items: {}, description: An item that is not an event is rejected individually. }
              responses:
                '202':
                  description: 'The results; for a batch also when all events are rejected.'
                  headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
                  content: { application/json: { schema: { $ref: '#/components/schemas/EventResults' } } }
                \(problems(400, 401, 403, 404, 413, 415, 422))
        """

    static let eventSchemas = """
            EventBase:
              type: object
              required: [id, type, consumer]
              properties:
                id: { $ref: '#/components/schemas/Id' }
                source: { type: [string, 'null'], maxLength: 512, description: The back-end's name for the event's origin. }
                consumer: { $ref: '#/components/schemas/Id' }
                conversation:
                  description: 'When absent, the consumer''s active one, or a new one.'
                  oneOf: [{ $ref: '#/components/schemas/Id' }, { type: 'null' }]
                dialog: { oneOf: [{ $ref: '#/components/schemas/Id' }, { type: 'null' }] }
                sourceSequence: { type: [integer, 'null'], minimum: 0, maximum: 9223372036854775807 }
                agent:
                  type: [object, 'null']
                  properties:
                    id: { type: [string, 'null'], minLength: 1, maxLength: 256 }
                    nickname: { type: [string, 'null'], minLength: 1, maxLength: 1024, pattern: '^[^\\u0000]*$' }
                text: { type: [string, 'null'], maxLength: 16384, pattern: '^[^\\u0000]*$' }
                title: { type: [string, 'null'], maxLength: 1024, pattern: '^[^\\u0000]*$' }
                data: { type: [object, 'null'], description: At most 32 KiB; passed to the device as sent. }
                link:
                  type: [object, 'null']
                  properties:
                    ios: { $ref: '#/components/schemas/Link' }
                    android: { $ref: '#/components/schemas/Link' }
                    web: { $ref: '#/components/schemas/Link' }
                priority: { enum: [high, normal, null], default: high }
                ttlSeconds: { type: [integer, 'null'], minimum: 0, maximum: 2419200 }
                collapseKey: { type: [string, 'null'], minLength: 1, maxLength: 64 }
                category: { type: [string, 'null'], minLength: 1, maxLength: 64 }
                sound: { type: [string, 'null'], minLength: 1, maxLength: 64 }
                silent: { type: [boolean, 'null'], description: Does not count as unread and is pushed without a sound. }
                time: { type: [string, 'null'], format: date-time, description: 'A time more than 7 days ago, or more than 5 minutes ahead, is moved to that limit.' }
            Link: { type: [string, 'null'], maxLength: 2048, description: 'https, or an app''s own scheme.' }
            Event:
              description: 'An event; `type` names its kind.'
              discriminator: { propertyName: type }
              oneOf:
                - title: An agent's message
                  allOf: [{ $ref: '#/components/schemas/EventBase' }]
                  required: [text]
                  properties: { type: { const: agent.message }, text: { type: string, minLength: 1 } }
                - title: A proactive message
                  allOf: [{ $ref: '#/components/schemas/EventBase' }]
                  required: [text, kind]
                  properties:
                    type: { const: proactive.message }
                    text: { type: string, minLength: 1 }
                    kind: { enum: [proactive, c2m] }
                    lookBackSeconds: { type: [integer, 'null'], minimum: 0, maximum: 31536000 }
                    campaign: { oneOf: [{ $ref: '#/components/schemas/Id' }, { type: 'null' }] }
                - title: A conversation is resolved
                  allOf: [{ $ref: '#/components/schemas/EventBase' }]
                  required: [conversation]
                  properties: { type: { const: conversation.resolved }, conversation: { $ref: '#/components/schemas/Id' } }
                - title: The consumer read elsewhere
                  description: 'Has exactly one of `upToSequence`, `upToSourceSequence` and `upToMessageId`.'
                  allOf: [{ $ref: '#/components/schemas/EventBase' }]
                  required: [conversation]
                  properties:
                    type: { const: messages.read }
                    conversation: { $ref: '#/components/schemas/Id' }
                    upToSequence: { type: [integer, 'null'], minimum: 0, maximum: 9223372036854775807 }
                    upToSourceSequence: { type: [integer, 'null'], minimum: 0, maximum: 9223372036854775807 }
                    upToMessageId: { type: [string, 'null'], format: uuid }
                  oneOf:
                    - { required: [upToSequence], properties: { upToSequence: { type: integer } } }
                    - { required: [upToSourceSequence], properties: { upToSourceSequence: { type: integer } } }
                    - { required: [upToMessageId], properties: { upToMessageId: { type: string } } }
                - title: The agent types
                  allOf: [{ $ref: '#/components/schemas/EventBase' }]
                  required: [conversation]
                  properties: { type: { const: agent.typing }, conversation: { $ref: '#/components/schemas/Id' } }
            CloudEvent:
              description: A CloudEvent 1.0 whose data is an event without `id`, `type`, `source` and `time`.
              type: object
              required: [specversion, id, source, type, data]
              properties:
                specversion: { const: '1.0' }
                id: { $ref: '#/components/schemas/Id' }
                source: { type: string, minLength: 1, maxLength: 512 }
                type: { enum: [agent.message, proactive.message, conversation.resolved, messages.read, agent.typing] }
                time: { $ref: '#/components/schemas/NullableTime' }
                datacontenttype: { type: [string, 'null'] }
                data: { type: object }
            EventResults:
              type: object
              required: [accepted, duplicates, rejected, results]
              properties:
                accepted: { type: integer, minimum: 0 }
                duplicates: { type: integer, minimum: 0 }
                rejected: { type: integer, minimum: 0 }
                results:
                  type: array
                  items:
                    type: object
                    required: [id, status, messageId, conversation, sequence, unread, deliveries]
                    properties:
                      id: { type: [string, 'null'] }
                      status: { enum: [accepted, duplicate, rejected] }
                      messageId: { type: [string, 'null'], format: uuid }
                      conversation: { type: [string, 'null'] }
                      sequence: { type: [integer, 'null'], description: 'Without gaps within the conversation, from 1.' }
                      unread: { type: [integer, 'null'] }
                      deliveries: { type: [integer, 'null'], description: The number of devices. }
                      warnings: { type: array, items: { enum: [clamped_time, body_differs] } }
                      problem: { $ref: '#/components/schemas/Problem' }
              examples:
                - accepted: 1
                  duplicates: 0
                  rejected: 0
                  results:
                    - id: evt-1
                      status: accepted
                      messageId: 019a5b2e-8f3c-7d21-9c4e-5a6b7c8d9e0f
                      conversation: c-9
                      sequence: 7
                      unread: 3
                      deliveries: 2
        """
}
