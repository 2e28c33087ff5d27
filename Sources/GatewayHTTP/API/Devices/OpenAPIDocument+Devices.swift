// Registrations (DevicesBadgesTaps page).
extension OpenAPIDocument {
    static let devices = """
          /v1/brands/{brand}/apps/{app}/devices/{deviceId}:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/app' }
              - { $ref: '#/components/parameters/deviceId' }
              - { $ref: '#/components/parameters/actingFor' }
            put:
              operationId: registerDevice
              tags: [devices]
              summary: Registers a device for pushes, or renews its registration.
              description: |
                A token that was last seen for another consumer or device of the brand moves to this one. A session that
                is bound to a device acts only for that device; a session that is not bound is bound by its first
                registration. Another consumer's registration of the device is replaced only with proof of its current
                push token, as `token` or `currentToken`: otherwise 409, and nothing changes. A consumer renews its own
                registration without proof. A consumer has at most 100 registrations: a new one replaces the oldest.
                Back-ends (scope `consumers:write`) need no proof; a registration that they take from another consumer
                is audited as `device.reassigned`.
              security: [{ session: [] }, { backend: [] }, { admin: [] }]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: '#/components/schemas/DeviceToRegister' }
                    example: { token: 00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0, pushType: apns }
              responses:
                '200':
                  description: Registration renewed.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Registration' } } }
                '201':
                  description: Device registered.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Registration' } } }
                \(problems(400, 401, 403, 404, 409, 413, 415, 422))
            get:
              operationId: getDevice
              tags: [devices]
              summary: 'Returns the registration; after 404 the device should register again.'
              description: >-
                `lastSeenAt` is the time of the device's last sign of life, to the hour: it registered, sent a request
                with a session that is bound to it, opened a window, or reported a tap or a receipt. After the brand's
                `staleDeviceDays` the registration ends.
              security: [{ session: [] }, { backend: [] }, { admin: [] }]
              responses:
                '200':
                  description: The registration.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Registration' } } }
                \(problems(400, 401, 403, 404, 422))
            delete:
              operationId: unregisterDevice
              tags: [devices]
              summary: 'Ends or narrows the registration; succeeds also when there is none.'
              security: [{ session: [] }, { backend: [] }, { admin: [] }]
              parameters: [{ $ref: '#/components/parameters/unregister' }]
              responses:
                '204': { description: Registration ended or narrowed. }
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/consumers/{consumer}/devices:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/consumer' }
            get:
              operationId: listDevices
              tags: [devices]
              summary: A consumer's registrations.
              description: 'Scope: `consumers:write`.'
              parameters:
                - { $ref: '#/components/parameters/limit' }
                - { $ref: '#/components/parameters/cursor' }
              responses:
                \(page(of: "Registration"))
                \(problems(400, 401, 403, 404, 422))
        """

    static let deviceSchemas = """
            DeviceToRegister:
              type: object
              required: [token, pushType]
              properties:
                token:
                  type: string
                  description: >-
                    The provider's token; for APNs an even number of at most 400 hexadecimal digits, for others at most
                    4096 visible ASCII characters.
                  minLength: 2
                  maxLength: 4096
                currentToken:
                  type: [string, 'null']
                  description: >-
                    The current push token of the device's registration, when another consumer has it.
                  minLength: 1
                  maxLength: 4096
                  pattern: '^[!-~]+$'
                pushType: { enum: [apns, fcm, huawei, webpush], description: A transport for which the app has a credential. }
                environment: { enum: [production, sandbox, null], default: production }
                platform: { enum: [ios, android, harmony, web, null] }
                locale: { type: [string, 'null'], minLength: 1, maxLength: 64, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' }
                timeZone: { type: [string, 'null'], minLength: 1, maxLength: 64, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' }
                osVersion: { type: [string, 'null'], minLength: 1, maxLength: 64, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' }
                appVersion: { type: [string, 'null'], minLength: 1, maxLength: 64, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' }
                receives: { type: [array, 'null'], maxItems: 16, items: { enum: [agent, proactive] } }
                extraTokens:
                  type: [array, 'null']
                  maxItems: 16
                  description: >-
                    Apple's tokens for other kinds of pushes, for devices with the platform ios. They replace those of
                    the existing registration, and are stored, moved and deleted with it. This version stores them and
                    sends nothing to them.
                  items:
                    type: object
                    required: [kind, token]
                    additionalProperties: false
                    properties:
                      kind:
                        enum: [voip, liveactivity, pushtotalk, complication, fileprovider, location, controls, widgets]
                      token: { type: string, minLength: 2, maxLength: 400, description: 'An even number of hexadecimal digits.' }
            Registration:
              type: object
              required: [deviceId, app, consumer, tokenFingerprint, pushType, environment, platform, receives, state]
              properties:
                deviceId: { $ref: '#/components/schemas/Id' }
                app: { $ref: '#/components/schemas/BrandId' }
                consumer: { $ref: '#/components/schemas/Id' }
                tokenFingerprint: { type: string, pattern: '^[0-9a-f]{16}$', description: 'Identifies the token; the token itself is never returned.' }
                pushType: { enum: [apns, fcm, huawei, webpush] }
                environment: { enum: [production, sandbox] }
                platform: { enum: [ios, android, harmony, web] }
                locale: { type: [string, 'null'] }
                timeZone: { type: [string, 'null'] }
                osVersion: { type: [string, 'null'] }
                appVersion: { type: [string, 'null'] }
                receives: { type: array, items: { enum: [agent, proactive] } }
                state: { enum: [active, quarantined], description: '`quarantined`: the provider reported the token as invalid.' }
                registeredAt: { $ref: '#/components/schemas/Time' }
                createdAt: { $ref: '#/components/schemas/Time' }
                lastSeenAt: { $ref: '#/components/schemas/Time' }
                extraTokens:
                  type: array
                  items:
                    type: object
                    required: [kind, tokenFingerprint]
                    properties:
                      kind: { type: string }
                      tokenFingerprint: { type: string, pattern: '^[0-9a-f]{16}$' }
            Conversation:
              type: object
              required: [id, unread, lastSequence, readSequence]
              properties:
                id: { $ref: '#/components/schemas/Id' }
                unread: { type: integer, minimum: 0 }
                lastSequence: { type: integer, minimum: 0 }
                readSequence: { type: integer, minimum: 0 }
            Message:
              type: object
              required: [messageId, conversation, sequence, from, kind, text, silent, sentAt]
              properties:
                messageId: { $ref: '#/components/schemas/MessageId' }
                conversation: { $ref: '#/components/schemas/Id' }
                dialog: { type: [string, 'null'] }
                sequence: { type: integer, minimum: 1 }
                sourceSequence: { type: [integer, 'null'] }
                from: { enum: [agent, consumer] }
                kind: { enum: [agent, proactive, c2m, consumer] }
                agent:
                  type: object
                  properties: { id: { type: [string, 'null'] }, nickname: { type: [string, 'null'] } }
                text: { type: string }
                title: { type: string }
                data: { type: object }
                link:
                  type: object
                  properties:
                    ios: { type: [string, 'null'] }
                    android: { type: [string, 'null'] }
                    web: { type: [string, 'null'] }
                category: { type: string }
                campaign: { type: string }
                lookBackUntil:
                  { type: string, format: date-time, description: 'After this time a proactive message is no longer pending.' }
                silent: { type: boolean }
                sentAt: { $ref: '#/components/schemas/Time' }
            EngagementOffer:
              type: object
              required: [pageId, sessionId, visitorId]
              properties:
                pageId: { type: string }
                sessionId: { type: string }
                visitorId: { type: string }
                engagementDetails:
                  type: object
                  description: Absent when there is no offer.
                  required: [campaignId, engagementId, contextId, skill, status]
                  properties:
                    campaignId: { type: string }
                    engagementId: { type: string }
                    contextId: { type: string }
                    skill: { type: string }
                    language: { type: string }
                    surveyId: { type: string }
                    conversationId: { $ref: '#/components/schemas/Id' }
                    status: { enum: [expose, conversation] }
            Health:
              type: object
              required: [status]
              properties:
                status: { enum: [ok, ready] }
                clock: { enum: [guarded], description: 'Only while expiry is suspended because the clock may be wrong (`/v1/clock`).' }
        """
}
