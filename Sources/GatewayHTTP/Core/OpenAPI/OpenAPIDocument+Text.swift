// Written by Deploy/openapi.sh from openapi.yaml: change that file, and run the script.
// swift-format-ignore-file

extension OpenAPIDocument {
    /// The whole document as YAML.
    static let text = ##"""
openapi: 3.1.0
info:
  title: Switchboard
  version: '1'
  summary: A push notification and messaging gateway for contact centres.
  description: |
    Back-ends post agent messages; Switchboard stores them, finds the consumer's devices, counts unread
    messages, sends pushes and reports the state of each delivery.

    Times are RFC 3339 in UTC with milliseconds, durations are whole seconds. An optional member that is null
    counts as absent. Ids are at most 256 bytes of UTF-8 (fewer characters where they are not ASCII), and are
    percent-encoded in paths.

    Error responses, except those of adaptors, are `application/problem+json` (RFC 9457) with a stable `code`.
    `retryable` states whether the same request may succeed later, `Retry-After` when. `errors` names each
    invalid member by JSON pointer; a parameter or a header is named by a slash and its name.

    `X-Request-Id` is taken from the request or created, returned and logged. A POST that creates something
    takes an `Idempotency-Key`, which is stored for 24 hours. Responses to callers with a rate limit carry
    `RateLimit-Policy` and `RateLimit`.

    Pages of the origins in a brand's `allowedOrigins` may call the operations for sessions of consumers and
    those of the CCAI adaptor, whose paths name no brand and take the origins of every brand that has it on.
    A preflight gets 204 without a credential.
servers: [{ url: / }]
security: [{ backend: [] }, { admin: [] }]
tags:
  - { name: administration, description: 'Brands, apps, credentials.' }
  - { name: events, description: Events that back-ends post. }
  - { name: sessions, description: Login and logout of consumers. }
  - { name: devices, description: Device registrations for pushes. }
  - { name: messages, description: 'Unread, messages, reads, taps.' }
  - { name: consumers, description: 'Consumer data: read, change, export, erase.' }
  - { name: operators, description: 'Deliveries, statistics and audit trail.' }
  - { name: outbound, description: 'Outbound events: feed and webhooks.' }
  - { name: adaptors, description: 'Routes in the format of other systems, for their back-ends and apps.' }
  - { name: machinery, description: 'Health, metrics, API description and files of link hosts.' }
paths:
  /v1/brands:
    post:
      operationId: createBrand
      tags: [administration]
      summary: Creates a brand.
      security: [{ admin: [] }]
      parameters: [{ $ref: '#/components/parameters/idempotencyKey' }]
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: '#/components/schemas/BrandToCreate' }
            example: { id: acme, name: Acme, settings: { retentionDays: 90 } }
      responses:
        '201':
          description: Brand created.
          headers: { Location: { schema: { type: string } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Brand' } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '409': { $ref: '#/components/responses/Problem409' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
    get:
      operationId: listBrands
      tags: [administration]
      summary: 'All brands, sorted by id.'
      security: [{ admin: [] }]
      parameters:
        - { $ref: '#/components/parameters/limit' }
        - { $ref: '#/components/parameters/cursor' }
      responses:
        '200': { description: A page., content: { application/json: { schema: { type: object, required: [items, nextCursor], properties: { items: { type: array, items: { $ref: '#/components/schemas/Brand' } }, nextCursor: { $ref: '#/components/schemas/NextCursor' } } } } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}:
    parameters: [{ $ref: '#/components/parameters/brand' }]
    get:
      operationId: getBrand
      tags: [administration]
      summary: Returns a brand.
      description: 'Scope: `brand:admin`.'
      parameters: [{ $ref: '#/components/parameters/ifNoneMatch' }]
      responses:
        '200':
          description: The brand.
          headers: { ETag: { $ref: '#/components/headers/ETag' } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Brand' } } }
        '304': { description: Not modified. }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
    patch:
      operationId: updateBrand
      tags: [administration]
      summary: Changes a brand by a merge patch (RFC 7396).
      description: 'An absent member stays unchanged; a setting that is null is reset to its default. Scope: `brand:admin`.'
      parameters: [{ $ref: '#/components/parameters/ifMatch' }]
      requestBody:
        content:
          application/json:
            schema: { $ref: '#/components/schemas/BrandPatch' }
            example: { name: Acme Support, settings: { presence: device, retentionDays: null } }
          application/merge-patch+json:
            schema: { $ref: '#/components/schemas/BrandPatch' }
            example: { settings: { quietHours: { from: '22:00', to: '07:00', timeZone: Europe/Berlin, mode: held } } }
      responses:
        '200':
          description: The changed brand.
          headers: { ETag: { $ref: '#/components/headers/ETag' } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Brand' } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '409': { $ref: '#/components/responses/Problem409' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
    delete:
      operationId: deleteBrand
      tags: [administration]
      summary: Deletes a brand with all of its data.
      security: [{ admin: [] }]
      responses:
        '204': { description: Brand deleted. }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/apps:
    parameters: [{ $ref: '#/components/parameters/brand' }]
    get:
      operationId: listApps
      tags: [administration]
      summary: 'A brand''s apps without their secrets, sorted by id.'
      description: 'Scope: `brand:admin`.'
      parameters:
        - { $ref: '#/components/parameters/limit' }
        - { $ref: '#/components/parameters/cursor' }
      responses:
        '200': { description: A page., content: { application/json: { schema: { type: object, required: [items, nextCursor], properties: { items: { type: array, items: { $ref: '#/components/schemas/App' } }, nextCursor: { $ref: '#/components/schemas/NextCursor' } } } } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/apps/{app}:
    parameters:
      - { $ref: '#/components/parameters/brand' }
      - { $ref: '#/components/parameters/app' }
    put:
      operationId: putApp
      tags: [administration]
      summary: Creates or replaces an app; its secrets are never returned.
      description: 'Scope: `brand:admin`.'
      parameters: [{ $ref: '#/components/parameters/ifMatch' }]
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: '#/components/schemas/AppToPut' }
            examples:
              ios:
                summary: An APNs key. The text of the key file goes into `privateKey`.
                value:
                  platform: ios
                  apns:
                    teamId: TEAM123456
                    keyId: KEY1234567
                    topic: com.example.app
                    privateKey: "-----BEGIN PRIVATE KEY-----\nMIGTAgEAMBMGByqGSM49AgEG...\n-----END PRIVATE KEY-----\n"
              android:
                summary: A service account of Firebase. The JSON file goes into `serviceAccount`.
                value:
                  platform: android
                  fcm:
                    serviceAccount:
                      type: service_account
                      project_id: example-app
                      client_email: sender@example-app.iam.gserviceaccount.com
                      private_key_id: 0123456789abcdef
                      private_key: "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B...\n-----END PRIVATE KEY-----\n"
                      token_uri: https://oauth2.googleapis.com/token
      responses:
        '200':
          description: App replaced.
          content: { application/json: { schema: { $ref: '#/components/schemas/App' } } }
        '201':
          description: App created.
          content: { application/json: { schema: { $ref: '#/components/schemas/App' } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '409': { $ref: '#/components/responses/Problem409' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
    get:
      operationId: getApp
      tags: [administration]
      summary: Returns an app without its secrets.
      description: 'Scope: `brand:admin`.'
      parameters: [{ $ref: '#/components/parameters/ifNoneMatch' }]
      responses:
        '200':
          description: The app.
          headers: { ETag: { $ref: '#/components/headers/ETag' } }
          content: { application/json: { schema: { $ref: '#/components/schemas/App' } } }
        '304': { description: Not modified. }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
    delete:
      operationId: deleteApp
      tags: [administration]
      summary: Deletes an app with its registrations; their pending deliveries are cancelled.
      description: 'Scope: `brand:admin`.'
      responses:
        '204': { description: App deleted. }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/credentials:
    parameters: [{ $ref: '#/components/parameters/brand' }]
    post:
      operationId: createCredential
      tags: [administration]
      summary: Creates a credential; its secret is returned once.
      description: 'Scope: `brand:admin`.'
      parameters: [{ $ref: '#/components/parameters/idempotencyKey' }]
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: '#/components/schemas/CredentialToCreate' }
            example: { kind: serviceAccount, name: crm, scopes: ['events:write'] }
      responses:
        '201':
          description: Credential created.
          content: { application/json: { schema: { $ref: '#/components/schemas/Credential' } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '409': { $ref: '#/components/responses/Problem409' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
    get:
      operationId: listCredentials
      tags: [administration]
      summary: 'A brand''s credentials without their secrets, sorted by id.'
      description: 'Scope: `brand:admin`.'
      parameters:
        - { name: kind, in: query, schema: { $ref: '#/components/schemas/CredentialKind' } }
        - { $ref: '#/components/parameters/ifNoneMatch' }
        - { $ref: '#/components/parameters/limit' }
        - { $ref: '#/components/parameters/cursor' }
      responses:
        '200':
          description: A page.
          headers: { ETag: { $ref: '#/components/headers/ETag' } }
          content:
            application/json:
              schema:
                type: object
                required: [items, nextCursor]
                properties:
                  items: { type: array, items: { $ref: '#/components/schemas/Credential' } }
                  nextCursor: { $ref: '#/components/schemas/NextCursor' }
        '304': { description: Not modified. }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/credentials/{credential}:
    parameters:
      - { $ref: '#/components/parameters/brand' }
      - { name: credential, in: path, required: true, schema: { $ref: '#/components/schemas/Id' } }
    get:
      operationId: getCredential
      tags: [administration]
      summary: Returns a credential without its secret.
      description: 'Scope: `brand:admin`.'
      parameters: [{ $ref: '#/components/parameters/ifNoneMatch' }]
      responses:
        '200':
          description: The credential.
          headers: { ETag: { $ref: '#/components/headers/ETag' } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Credential' } } }
        '304': { description: Not modified. }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
    delete:
      operationId: revokeCredential
      tags: [administration]
      summary: Revokes a credential; it is rejected from then on.
      description: 'Scope: `brand:admin`.'
      responses:
        '204': { description: Credential revoked. }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/events:
    parameters: [{ $ref: '#/components/parameters/brand' }]
    post:
      operationId: postEvents
      tags: [events]
      summary: Posts events; the response is sent when they are on disk.
      description: |
        One event, or a batch of up to 10,000 in 16 MiB. An event is identified by brand, consumer, `source` and
        `id`: posting it again has no effect and returns the first one's ids. The response to a batch is always 202
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
            schema: { description: 'One event per line. A line that is not an event is rejected individually.' }
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
            example:
              - specversion: '1.0'
                id: evt-1
                source: /crm
                type: agent.message
                data: { consumer: u-1, text: It is shipped. }
      responses:
        '202':
          description: 'The results; for a batch also when all events are rejected.'
          headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
          content: { application/json: { schema: { $ref: '#/components/schemas/EventResults' } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/sessions:
    parameters: [{ $ref: '#/components/parameters/brand' }]
    post:
      operationId: openSession
      tags: [sessions]
      summary: 'Opens a session for a consumer: login.'
      description: |
        A login with an identifier that presents the token of an anonymous session as `anonymousToken` merges
        that consumer: its conversations, unread messages and taps move, and of its devices the one that logs
        in; its sessions end. `merged` reports it. A session without `deviceId` is bound to the device that it
        registers first. Registrations of `deviceId` by other consumers end only with proof of their push token,
        `currentToken`.

        Takes no `Idempotency-Key`, because the caller has no credential yet. For a brand that does not exist
        the response is the same as for an unknown issuer: 401 `token_invalid`.
      security: []
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [grant]
              properties:
                grant: { enum: [assertion, code, anonymous] }
                token: { type: [string, 'null'], description: 'The assertion, a JWT (also by its `typ`) or JWE; required for its grant.' }
                sdkKeyName: { type: [string, 'null'], description: 'The SDK key''s name, when the token names none.' }
                code: { type: [string, 'null'], description: 'The authorization code; required for its grant.' }
                redirectUri: { type: [string, 'null'], description: 'The redirect URI of the code; required for its grant.' }
                codeVerifier: { type: [string, 'null'], description: 'The PKCE verifier (RFC 7636).' }
                issuer:
                  type: [string, 'null']
                  description: >-
                    The display name of the identity provider, or of the `jwtIssuer`. Only assertions of that
                    issuer are accepted; a name that is not the brand's is 401 `unknown_issuer`.
                deviceId: { oneOf: [{ $ref: '#/components/schemas/Id' }, { type: 'null' }] }
                anonymousToken:
                  type: [string, 'null']
                  description: >-
                    The token of an anonymous session of the brand that was not ended: live, or expired for at
                    most `anonymousMergeDays`. Any other text is ignored.
                currentToken:
                  type: [string, 'null']
                  minLength: 1
                  maxLength: 4096
                  pattern: '^[!-~]+$'
                  description: >-
                    The current push token of the device: ends registrations that other consumers have of
                    `deviceId` with it.
              allOf:
                - if: { properties: { grant: { const: assertion } } }
                  then: { required: [token], properties: { token: { type: string, minLength: 1 } } }
                - if: { properties: { grant: { const: code } } }
                  then:
                    required: [code, redirectUri]
                    properties:
                      code: { type: string, minLength: 1 }
                      redirectUri: { type: string, minLength: 1 }
            examples:
              assertion: { value: { grant: assertion, token: eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl, deviceId: d-1 } }
              code:
                value:
                  grant: code
                  code: SplxlOBeZQQYbYS6WxSbIA
                  redirectUri: 'https://app.example/back'
                  codeVerifier: dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
              anonymous: { value: { grant: anonymous, deviceId: d-1 } }
      responses:
        '201': { $ref: '#/components/responses/Session' }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '409': { $ref: '#/components/responses/Problem409' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '502': { $ref: '#/components/responses/Problem502' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/sessions/current:
    parameters: [{ $ref: '#/components/parameters/brand' }]
    delete:
      operationId: endSession
      tags: [sessions]
      summary: Logs out; the token is rejected from then on.
      description: >-
        The registrations of the session's device end, too. A session that is bound to no device has registered
        none, so it ends none.
      security: [{ session: [] }]
      parameters: [{ $ref: '#/components/parameters/unregister' }]
      responses:
        '204': { description: Session ended. }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/consumers/{consumer}/sessions:
    parameters:
      - { $ref: '#/components/parameters/brand' }
      - { $ref: '#/components/parameters/consumer' }
    post:
      operationId: mintSession
      tags: [sessions]
      summary: Creates a session for a consumer.
      description: 'Scope: `sessions:mint`.'
      parameters: [{ $ref: '#/components/parameters/idempotencyKey' }]
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                deviceId: { oneOf: [{ $ref: '#/components/schemas/Id' }, { type: 'null' }] }
            example: { deviceId: d-1 }
      responses:
        '201': { $ref: '#/components/responses/Session' }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '409': { $ref: '#/components/responses/Problem409' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
    delete:
      operationId: endSessions
      tags: [sessions]
      summary: Logs a consumer out on all devices, or on one.
      description: 'Scope: `consumers:write`.'
      parameters:
        - { $ref: '#/components/parameters/unregister' }
        - { name: deviceId, in: query, schema: { $ref: '#/components/schemas/Id' } }
      responses:
        '204': { description: Sessions ended. }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
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
        is audited as `device.reassigned`. An app id that ends in `-Dev` is the sandbox of the app without it,
        on each route of a device, unless the brand has an app of that id.
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
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '409': { $ref: '#/components/responses/Problem409' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
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
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
    delete:
      operationId: unregisterDevice
      tags: [devices]
      summary: 'Ends or narrows the registration; succeeds also when there is none.'
      security: [{ session: [] }, { backend: [] }, { admin: [] }]
      parameters: [{ $ref: '#/components/parameters/unregister' }]
      responses:
        '204': { description: Registration ended or narrowed. }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
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
        '200': { description: A page., content: { application/json: { schema: { type: object, required: [items, nextCursor], properties: { items: { type: array, items: { $ref: '#/components/schemas/Registration' } }, nextCursor: { $ref: '#/components/schemas/NextCursor' } } } } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
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
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
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
        '200': { description: A page., content: { application/json: { schema: { type: object, required: [items, nextCursor], properties: { items: { type: array, items: { $ref: '#/components/schemas/Message' } }, nextCursor: { $ref: '#/components/schemas/NextCursor' } } } } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
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
        '200': { description: A page., content: { application/json: { schema: { type: object, required: [items, nextCursor], properties: { items: { type: array, items: { $ref: '#/components/schemas/Message' } }, nextCursor: { $ref: '#/components/schemas/NextCursor' } } } } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
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
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
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
        410, unless the brand has `showExpiredProactive`; repetitions of a report that came in time succeed.
        `tappedAt` is the device's time; a time in the
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
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '410': { $ref: '#/components/responses/Problem410' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
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
            example:
              receipts:
                - messageId: 01a1ff60-0e6a-7001-a317-3b2a73afe97c
                  deviceId: iphone-1
                  state: delivered
                  at: '2026-11-24T10:15:30.000Z'
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
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/engagements:
    parameters: [{ $ref: '#/components/parameters/brand' }]
    post:
      operationId: getEngagement
      tags: [messages]
      summary: The engagement that the brand offers at entry points of an app.
      description: >-
        Returns the first of the brand's `engagements` that names this app or none, and whose entry points are
        all named. Nothing is stored. The three ids are those of the request, or new ones. A consumer is
        identified by a session, or without one by an `identity` that is a JWE; the response then names its
        active conversation, also when nothing is offered, and the offer is valid for this consumer only.
      security: [{ session: [] }, {}]
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
                  description: >-
                    An assertion as for a login, as a compact JWE. Every other text is accepted and ignored: it
                    proves nothing.
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
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '404': { $ref: '#/components/responses/Problem404' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
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
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '409': { $ref: '#/components/responses/Problem409' }
        '410': { $ref: '#/components/responses/Problem410' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
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
                text: { type: string, minLength: 1, maxLength: 16384, pattern: '^[^\u0000]*$' }
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
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '409': { $ref: '#/components/responses/Problem409' }
        '410': { $ref: '#/components/responses/Problem410' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
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
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '409': { $ref: '#/components/responses/Problem409' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
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
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
    patch:
      operationId: updateConsumer
      tags: [consumers]
      summary: Changes a consumer's profile, or merges another consumer into it.
      description: >-
        A merge patch (RFC 7396): an absent member stays unchanged, null clears it. The assertion of a later
        login replaces it. `mergeFrom` must be the only member and names another consumer of the brand, for
        example the anonymous one that this consumer was before. Its conversations, unread messages, devices and
        taps move to this one, its sessions end and its windows close, its profile is deleted, and its id
        becomes an alias of this one. A conversation whose id this one has, too, gets another id: a tilde and a
        number are added. A repetition has the same response; the audit trail records the merge once
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
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '409': { $ref: '#/components/responses/Problem409' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
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
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
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
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/deliveries:
    parameters: [{ $ref: '#/components/parameters/brand' }]
    get:
      operationId: listDeliveries
      tags: [operators]
      summary: 'Deliveries by filter, newest first.'
      description: 'Scope: `deliveries:read`.'
      parameters:
        - { name: consumer, in: query, schema: { $ref: '#/components/schemas/Id' } }
        - { name: device, in: query, schema: { $ref: '#/components/schemas/Id' } }
        - { name: message, in: query, schema: { $ref: '#/components/schemas/MessageId' } }
        - { name: state, in: query, schema: { $ref: '#/components/schemas/DeliveryState' } }
        - { name: provider, in: query, schema: { enum: [apns, fcm, huawei, webpush] } }
        - { name: reason, in: query, description: The provider's reason., schema: { type: string, minLength: 1 } }
        - { name: since, in: query, description: Queued at this time or later., schema: { $ref: '#/components/schemas/Time' } }
        - { name: until, in: query, description: Queued before this time., schema: { $ref: '#/components/schemas/Time' } }
        - { $ref: '#/components/parameters/limit' }
        - { $ref: '#/components/parameters/cursor' }
      responses:
        '200': { description: A page., content: { application/json: { schema: { type: object, required: [items, nextCursor], properties: { items: { type: array, items: { $ref: '#/components/schemas/Delivery' } }, nextCursor: { $ref: '#/components/schemas/NextCursor' } } } } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/deliveries/{delivery}:
    parameters:
      - { $ref: '#/components/parameters/brand' }
      - { name: delivery, in: path, required: true, schema: { $ref: '#/components/schemas/DeliveryId' } }
    get:
      operationId: getDelivery
      tags: [operators]
      summary: Returns a delivery with every attempt.
      description: 'Scope: `deliveries:read`.'
      responses:
        '200':
          description: The delivery.
          content: { application/json: { schema: { $ref: '#/components/schemas/DeliveryDetail' } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/deliveries/{delivery}/retry:
    parameters:
      - { $ref: '#/components/parameters/brand' }
      - { name: delivery, in: path, required: true, schema: { $ref: '#/components/schemas/DeliveryId' } }
    post:
      operationId: retryDelivery
      tags: [operators]
      summary: Requeues a delivery that failed or expired.
      description: 'Scope: `brand:admin`.'
      responses:
        '202':
          description: The requeued delivery.
          content: { application/json: { schema: { $ref: '#/components/schemas/DeliveryDetail' } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '409': { $ref: '#/components/responses/Problem409' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/deliveries/tail:
    parameters: [{ $ref: '#/components/parameters/brand' }]
    get:
      operationId: tailDeliveries
      tags: [operators]
      summary: 'Streams changes of deliveries as server-sent events.'
      description: |
        Each event is `event: delivery` with a delivery as `data`; its `id`, sent as `Last-Event-ID`, continues
        the stream after it. The stream samples: intermediate states of a delivery may be skipped. Without
        `Last-Event-ID` it begins now. Scope: `deliveries:read`.
      parameters:
        - name: Last-Event-ID
          in: header
          schema: { type: string, pattern: '^[0-9]{1,18}$' }
        - { name: consumer, in: query, schema: { $ref: '#/components/schemas/Id' } }
        - { name: device, in: query, schema: { $ref: '#/components/schemas/Id' } }
        - { name: message, in: query, schema: { $ref: '#/components/schemas/MessageId' } }
        - { name: state, in: query, schema: { $ref: '#/components/schemas/DeliveryState' } }
        - { name: provider, in: query, schema: { enum: [apns, fcm, huawei, webpush] } }
        - { name: reason, in: query, description: The provider's reason., schema: { type: string, minLength: 1 } }
        - { name: since, in: query, description: Queued at this time or later., schema: { $ref: '#/components/schemas/Time' } }
        - { name: until, in: query, description: Queued before this time., schema: { $ref: '#/components/schemas/Time' } }
      responses:
        '200': { description: The stream; it does not end by itself., content: { text/event-stream: {} } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/stats:
    parameters: [{ $ref: '#/components/parameters/brand' }]
    get:
      operationId: getStats
      tags: [operators]
      summary: 'Statistics of deliveries: counts by state, provider and reason, latency and taps.'
      description: 'Scope: `deliveries:read`.'
      parameters:
        - name: window
          in: query
          description: 1m to 30d.
          schema:
            type: string
            pattern: >-
              ^(([1-9][0-9]{0,3}|[1-3][0-9]{4}|4[0-2][0-9]{3}|43[01][0-9]{2}|43200)m|([1-9][0-9]?|[1-6][0-9]{2}|7[01][0-9]|720)h|([1-9]|[12][0-9]|30)d)$
            default: 1h
            examples: [1h]
      responses:
        '200':
          description: The counts.
          content: { application/json: { schema: { $ref: '#/components/schemas/Stats' } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/campaigns:
    parameters: [{ $ref: '#/components/parameters/brand' }]
    get:
      operationId: listCampaigns
      tags: [operators]
      summary: 'Campaign statistics, newest first.'
      description: 'Scope: `deliveries:read`.'
      parameters:
        - { $ref: '#/components/parameters/limit' }
        - { $ref: '#/components/parameters/cursor' }
      responses:
        '200': { description: A page., content: { application/json: { schema: { type: object, required: [items, nextCursor], properties: { items: { type: array, items: { $ref: '#/components/schemas/CampaignStats' } }, nextCursor: { $ref: '#/components/schemas/NextCursor' } } } } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/campaigns/{campaign}:
    parameters:
      - { $ref: '#/components/parameters/brand' }
      - { name: campaign, in: path, required: true, schema: { $ref: '#/components/schemas/Id' } }
    get:
      operationId: getCampaign
      tags: [operators]
      summary: Statistics of a campaign of proactive messages.
      description: >-
        Scope: `deliveries:read`. Counts the campaign from its first message on, with current states. Messages
        that `retentionDays` deletes stay counted; the campaign is deleted when its newest message is older than
        that.
      responses:
        '200':
          description: The counts.
          content: { application/json: { schema: { $ref: '#/components/schemas/CampaignStats' } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/apps/{app}/preview:
    parameters:
      - { $ref: '#/components/parameters/brand' }
      - { $ref: '#/components/parameters/app' }
    post:
      operationId: previewPush
      tags: [operators]
      summary: 'Previews the request to the provider for an event; sends nothing and stores nothing.'
      description: 'Scope: `deliveries:read`.'
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [event, pushType]
              properties:
                event: { $ref: '#/components/schemas/Event' }
                pushType: { enum: [apns, fcm, huawei, webpush] }
                locale: { type: [string, 'null'], minLength: 1, maxLength: 64 }
            example:
              event: { id: evt-1, type: agent.message, consumer: u-1, conversation: c-9, text: It is shipped. }
              pushType: apns
      responses:
        '200':
          description: 'The request, with masked secrets.'
          content:
            application/json:
              schema:
                type: object
                required: [method, url, path, headers, body, bodyBytes, limitBytes, truncated]
                properties:
                  method: { const: POST }
                  url: { type: string }
                  path: { type: string }
                  headers: { type: object, additionalProperties: { type: string } }
                  body: { type: object }
                  bodyBytes: { type: integer, minimum: 0 }
                  limitBytes: { type: integer, minimum: 0 }
                  truncated: { type: array, items: { type: string } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '409': { $ref: '#/components/responses/Problem409' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/apps/{app}/self-check:
    parameters:
      - { $ref: '#/components/parameters/brand' }
      - { $ref: '#/components/parameters/app' }
    post:
      operationId: selfCheck
      tags: [operators]
      summary: Sends a silent push to one token and returns the provider's verdict.
      description: 'It is not counted in any statistics. Scope: `brand:admin`.'
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [token, pushType]
              properties:
                token: { type: string, minLength: 2, maxLength: 4096 }
                pushType: { enum: [apns, fcm, huawei, webpush] }
                environment: { enum: [production, sandbox, null], default: production }
            example: { token: 00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0, pushType: apns }
      responses:
        '200':
          description: The verdict.
          content:
            application/json:
              schema:
                type: object
                required: [verdict, outcome, status, reason, providerId, latencyMs]
                properties:
                  verdict:
                    type: string
                    description: 'A readable sentence. Only the instance''s administrator gets the error of the transport.'
                  outcome: { type: string }
                  status: { type: [integer, 'null'] }
                  reason: { type: [string, 'null'] }
                  providerId: { type: [string, 'null'] }
                  latencyMs: { type: [integer, 'null'] }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '409': { $ref: '#/components/responses/Problem409' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/audit:
    parameters: [{ $ref: '#/components/parameters/brand' }]
    get:
      operationId: listBrandAudit
      tags: [operators]
      summary: Administrative changes of a brand, newest first.
      description: 'Scope: `brand:admin`.'
      parameters:
        - { name: since, in: query, schema: { $ref: '#/components/schemas/Time' } }
        - { name: until, in: query, schema: { $ref: '#/components/schemas/Time' } }
        - { $ref: '#/components/parameters/limit' }
        - { $ref: '#/components/parameters/cursor' }
      responses:
        '200':
          description: A page.
          content: { application/json: { schema: { $ref: '#/components/schemas/AuditPage' } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/audit:
    get:
      operationId: listAudit
      tags: [operators]
      summary: 'Administrative changes of all brands, including deleted ones, newest first.'
      security: [{ admin: [] }]
      parameters:
        - { name: since, in: query, schema: { $ref: '#/components/schemas/Time' } }
        - { name: until, in: query, schema: { $ref: '#/components/schemas/Time' } }
        - { $ref: '#/components/parameters/limit' }
        - { $ref: '#/components/parameters/cursor' }
      responses:
        '200':
          description: A page.
          content: { application/json: { schema: { $ref: '#/components/schemas/AuditPage' } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/clock:
    get:
      operationId: getClock
      tags: [operators]
      summary: The gateway's time and the system clock.
      security: [{ admin: [] }]
      responses:
        '200': { description: The times., content: { application/json: { schema: { $ref: '#/components/schemas/Clock' } } } }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/clock/accept:
    post:
      operationId: acceptClock
      tags: [operators]
      summary: 'Confirms that the system clock is right: expiry is resumed.'
      description: >-
        When the clock at the start is more than 3 days ahead of the newest time in the data, expiry and
        deletion are suspended for 6 hours of running. This operation ends that at once; otherwise it does
        nothing. 409 `conflict` when the clock was set back meanwhile: then it was wrong, and only a restart
        corrects the gateway's time.
      security: [{ admin: [] }]
      responses:
        '200': { description: The times., content: { application/json: { schema: { $ref: '#/components/schemas/Clock' } } } }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '409': { $ref: '#/components/responses/Problem409' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/outbound:
    parameters: [{ $ref: '#/components/parameters/brand' }]
    get:
      operationId: listSubscriptions
      tags: [outbound]
      summary: 'The subscriptions of the outbound feed, with their lag.'
      description: 'Scope: `events:read`.'
      parameters:
        - { $ref: '#/components/parameters/limit' }
        - { $ref: '#/components/parameters/cursor' }
      responses:
        '200': { description: A page., content: { application/json: { schema: { type: object, required: [items, nextCursor], properties: { items: { type: array, items: { $ref: '#/components/schemas/Subscription' } }, nextCursor: { $ref: '#/components/schemas/NextCursor' } } } } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/outbound/{subscription}:
    parameters:
      - { $ref: '#/components/parameters/brand' }
      - { $ref: '#/components/parameters/subscription' }
    get:
      operationId: readOutbound
      tags: [outbound]
      summary: Reads the feed; a subscription is created at its first use.
      description: |
        Reading does not move the mark; `ack` does. Without `after` the response begins at the mark. `gap` means
        that items after `after` have expired unread. `consumer.typing` is returned only when `types` names it,
        and only while the request waits: it is not stored and has no `position`. A subscription belongs to the
        service account that first reads it, until that account is deleted; others need `events:manage`. Scope:
        `events:read`.
      parameters:
        - name: after
          in: query
          schema: { type: integer, minimum: 0, maximum: 9223372036854775807 }
        - { $ref: '#/components/parameters/limit' }
        - name: waitSeconds
          in: query
          description: The longest time to wait when there are no items.
          schema: { type: integer, minimum: 0, maximum: 60, default: 0 }
        - name: types
          in: query
          description: 'Types, separated by commas.'
          schema: { type: string, pattern: '^(consumer.message|conversation.opened|conversation.resolved|message.tapped|device.unregistered|delivery.failed|consumer.typing)(,(consumer.message|conversation.opened|conversation.resolved|message.tapped|device.unregistered|delivery.failed|consumer.typing))*$' }
        - name: from
          in: query
          description: The start of a new subscription.
          schema: { enum: [start, end], default: end }
      responses:
        '200':
          description: 'Items, in order.'
          content:
            application/json:
              schema:
                type: object
                required: [items, nextAfter, end]
                properties:
                  items: { type: array, items: { $ref: '#/components/schemas/OutboundItem' } }
                  nextAfter: { type: integer, minimum: 0, description: 'The `after` of the next request.' }
                  end: { type: integer, minimum: 0, description: The newest position. }
                  gap: { type: boolean }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '409': { $ref: '#/components/responses/Problem409' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
    delete:
      operationId: deleteSubscription
      tags: [outbound]
      summary: Deletes a subscription; items are no longer kept for it.
      description: 'Scope: `events:read`, and `events:manage` for another account''s.'
      responses:
        '204': { description: Subscription deleted. }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/outbound/{subscription}/ack:
    parameters:
      - { $ref: '#/components/parameters/brand' }
      - { $ref: '#/components/parameters/subscription' }
    post:
      operationId: acknowledgeOutbound
      tags: [outbound]
      summary: Moves the subscription's mark forward; items up to it may be deleted.
      description: 'Scope: `events:read`, and `events:manage` for another account''s.'
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [upTo]
              properties: { upTo: { type: integer, minimum: 0, maximum: 9223372036854775807 } }
            example: { upTo: 0 }
      responses:
        '200':
          description: The changed subscription.
          content: { application/json: { schema: { $ref: '#/components/schemas/Subscription' } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/webhook:
    parameters: [{ $ref: '#/components/parameters/brand' }]
    get:
      operationId: getWebhook
      tags: [outbound]
      summary: The state of the brand's webhook.
      description: 'The webhook is configured in the brand''s settings. Scope: `brand:admin`.'
      responses:
        '200':
          description: The webhook.
          content: { application/json: { schema: { $ref: '#/components/schemas/Webhook' } } }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v1/brands/{brand}/webhook/replay:
    parameters: [{ $ref: '#/components/parameters/brand' }]
    post:
      operationId: replayWebhook
      tags: [outbound]
      summary: Sets the webhook's mark, so that stored items after it are sent again.
      description: 'Scope: `brand:admin`.'
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [after]
              properties: { after: { type: integer, minimum: 0, maximum: 9223372036854775807 } }
            example: { after: 0 }
      responses:
        '200':
          description: The changed webhook.
          content: { application/json: { schema: { $ref: '#/components/schemas/Webhook' } } }
        '400': { $ref: '#/components/responses/Problem400' }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '404': { $ref: '#/components/responses/Problem404' }
        '413': { $ref: '#/components/responses/Problem413' }
        '415': { $ref: '#/components/responses/Problem415' }
        '422': { $ref: '#/components/responses/Problem422' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /v2/api/management/your_own/auth/generate_user_auth_key:
    post:
      operationId: generateUserAuthKey
      tags: [adaptors]
      summary: 'Creates a key for a user, as Copilot.cx does.'
      description: >-
        Requires the brand's setting `wire.copilot`; the brand is that of the service account. Every call
        creates a new key, which is a session token of the consumer `user_id` and ends with the account. Other
        members are ignored. Scope: `sessions:mint`.
      security: [{ backend: [] }]
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [user_id]
              properties: { user_id: { $ref: '#/components/schemas/Id' } }
            example: { user_id: u-1 }
      responses:
        '200':
          description: The key; it is returned once.
          headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
          content:
            application/json:
              schema: { type: object, required: [auth_key], properties: { auth_key: { type: string } } }
        '400': { $ref: '#/components/responses/AdaptorError400' }
        '401': { $ref: '#/components/responses/AdaptorError401' }
        '403': { $ref: '#/components/responses/AdaptorError403' }
        '404': { $ref: '#/components/responses/AdaptorError404' }
        '413': { $ref: '#/components/responses/AdaptorError413' }
        '415': { $ref: '#/components/responses/AdaptorError415' }
        '429': { $ref: '#/components/responses/AdaptorError429' }
        '500': { $ref: '#/components/responses/AdaptorError500' }
        '503': { $ref: '#/components/responses/AdaptorError503' }
  /v1/ccaip/auth/token:
    post:
      operationId: exchangeToken
      tags: [adaptors]
      summary: 'Exchanges a token that was signed with an SDK key for a session, as apps of CCAI Platform do.'
      description: >-
        Requires the brand's setting `wire.ccai`; the brand is that of the SDK key. 401 `token_expired` asks for
        a new token, `token_invalid` is permanent; a claim that cannot be used is 400 `invalid_claim`. Without
        `identifier` the account is anonymous, which the brand must allow (403). The body is read as JSON whatever
        its `Content-Type`.
      security: []
      parameters:
        - name: X-SDK-Key-Name
          in: header
          required: true
          description: The SDK key's name; 401 without it.
          schema: { type: string, minLength: 1 }
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [token]
              properties:
                token: { type: string, minLength: 1, description: 'The JWT, signed with HS256, HS384 or HS512 according to the key.' }
                device_id:
                  description: >-
                    An extension of the gateway: names the device that a `push_token` in the token registers, and
                    to which the session is bound. Without it the device is that of the consumer's registration
                    with the token, or is named by the token's fingerprint; an app that also registers itself
                    must name it. The other facts of a registration stay.
                  oneOf: [{ $ref: '#/components/schemas/Id' }, { type: 'null' }]
                anonymous_token:
                  type: [string, 'null']
                  description: >-
                    An extension of the gateway: the `auth_token` of the anonymous account that now presents an
                    identifier; it is merged. A value that proves nothing is ignored.
            example: { token: eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl, device_id: d-1 }
      responses:
        '200':
          description: The session; its token is returned once.
          headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
          content:
            application/json:
              schema:
                type: object
                required: [auth_token, expires_in, end_user, merged]
                properties:
                  auth_token: { type: string }
                  expires_in: { type: integer, minimum: 1, description: In seconds. }
                  end_user:
                    type: object
                    required: [id, anonymous]
                    properties: { id: { $ref: '#/components/schemas/Id' }, anonymous: { type: boolean } }
                  merged: { type: boolean, description: Whether an anonymous account was merged into this one. }
                  warnings:
                    type: array
                    description: >-
                      Absent without any. `push_token_ignored`: the token has a `push_token` that was not
                      registered, such as one of an unknown format, or of an unknown app because neither the SDK
                      key nor the brand has a single one.
                    items: { enum: [push_token_ignored] }
        '400': { $ref: '#/components/responses/AdaptorError400' }
        '401': { $ref: '#/components/responses/AdaptorError401' }
        '403': { $ref: '#/components/responses/AdaptorError403' }
        '404': { $ref: '#/components/responses/AdaptorError404' }
        '413': { $ref: '#/components/responses/AdaptorError413' }
        '429': { $ref: '#/components/responses/AdaptorError429' }
        '500': { $ref: '#/components/responses/AdaptorError500' }
        '503': { $ref: '#/components/responses/AdaptorError503' }
  /api/ccaip/sign:
    post:
      operationId: signPayload
      tags: [adaptors]
      summary: Signs a payload for the exchange, for brands without a signing service of their own.
      description: >-
        Requires the brand's setting `wire.ccai`. A session signs for its consumer; a service account with
        `sessions:mint` names the consumer. Members of the payload are kept, except `identifier`, `iss`, `iat`
        and `exp` (`iat` + 600), and `name`, `email` and `phone` where the gateway knows them; for a session, an
        unknown `email` or `phone` is left out. The newest SDK key signs; 409 without one. An anonymous consumer
        has nothing to sign (403). A token that a session had signed gives no more rights than the session: it
        opens a session of the same device that ends no later, and none after a logout. The body is read as JSON
        whatever its `Content-Type`.
      security: [{ session: [] }, { backend: [] }]
      parameters:
        - { $ref: '#/components/parameters/actingFor' }
        - name: app
          in: query
          description: 'The app whose key signs; without it, keys for all apps come before those for one app.'
          schema: { $ref: '#/components/schemas/BrandId' }
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [payload]
              properties:
                payload:
                  type: object
                  description: >-
                    At most 4,096 bytes and 16 levels; numbers are kept as they are written. `nbf`, `sub`, `aud`,
                    `jti` and `switchboard_session` are rejected.
                  properties:
                    push_token: { type: [string, 'null'], maxLength: 4096 }
                    email: { type: [string, 'null'], maxLength: 256 }
                    phone: { type: [string, 'null'], description: 'E.164, or empty.' }
            example: { payload: { push_token: aabbccdd } }
      responses:
        '200':
          description: The token.
          headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
          content:
            application/json:
              schema: { type: object, required: [token], properties: { token: { type: string } } }
        '400': { $ref: '#/components/responses/AdaptorError400' }
        '401': { $ref: '#/components/responses/AdaptorError401' }
        '403': { $ref: '#/components/responses/AdaptorError403' }
        '404': { $ref: '#/components/responses/AdaptorError404' }
        '409': { $ref: '#/components/responses/AdaptorError409' }
        '413': { $ref: '#/components/responses/AdaptorError413' }
        '429': { $ref: '#/components/responses/AdaptorError429' }
        '500': { $ref: '#/components/responses/AdaptorError500' }
        '503': { $ref: '#/components/responses/AdaptorError503' }
  /v1/brands/{brand}/access/{app}:
    parameters:
      - { $ref: '#/components/parameters/brand' }
      - { $ref: '#/components/parameters/app' }
    get:
      operationId: getAccessToken
      tags: [adaptors]
      summary: 'Gets an access token of Talkdesk as text, as its apps do.'
      description: >-
        Requires the brand's setting `wire.talkdesk` and a `tokenBroker` of the app. A session acts for its
        consumer, who must not be anonymous. Each call asks the brand's `decision`, if the broker has one, and
        then gets a new token. 403 is a denial and `reason` says why; a service that does not respond as it should
        is 502.
      security: [{ broker: [] }, { session: [] }]
      responses:
        '200':
          description: The token.
          headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
          content:
            text/plain: { schema: { type: string } }
        '400': { $ref: '#/components/responses/AdaptorError400' }
        '401': { $ref: '#/components/responses/AdaptorError401' }
        '403': { $ref: '#/components/responses/AdaptorError403' }
        '404': { $ref: '#/components/responses/AdaptorError404' }
        '429': { $ref: '#/components/responses/AdaptorError429' }
        '500': { $ref: '#/components/responses/AdaptorError500' }
        '502': { $ref: '#/components/responses/AdaptorError502' }
        '503': { $ref: '#/components/responses/AdaptorError503' }
    post:
      operationId: createAccessToken
      tags: [adaptors]
      summary: 'Gets an access token of Talkdesk as JSON, as its example of a server does.'
      description: As `GET`, without sessions. A body is not read.
      security: [{ broker: [] }]
      responses:
        '201':
          description: The token.
          headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
          content:
            application/json:
              schema: { type: object, required: [auth_token], properties: { auth_token: { type: string } } }
        '400': { $ref: '#/components/responses/AdaptorError400' }
        '401': { $ref: '#/components/responses/AdaptorError401' }
        '403': { $ref: '#/components/responses/AdaptorError403' }
        '404': { $ref: '#/components/responses/AdaptorError404' }
        '429': { $ref: '#/components/responses/AdaptorError429' }
        '500': { $ref: '#/components/responses/AdaptorError500' }
        '502': { $ref: '#/components/responses/AdaptorError502' }
        '503': { $ref: '#/components/responses/AdaptorError503' }
  /v1/brands/{brand}/window:
    parameters:
      - { $ref: '#/components/parameters/brand' }
    get:
      operationId: openWindow
      tags: [messages]
      summary: The messaging window, a WebSocket (RFC 6455).
      description: |
        The token is sent in `Authorization: Bearer`, or, from a browser, in `Sec-WebSocket-Protocol:
        switchboard.v1, bearer.<token>`. The upgrade succeeds even with an invalid token: the window then closes
        with 4401 (`token_missing`, `token_expired`) or 4403 (`token_invalid: reason`, `forbidden`). Frames are
        JSON objects with a `type`, at most 64 KiB each; the first frame of the server is `ready`. It lists at
        most 500 conversations, those with unread messages first, and sets `more` when there are others. A
        message that is too long is sent with its text or data cut and `truncated`. A `clientId` has 1 to 256
        bytes, and a text no U+0000, as in requests.
      security: [{ session: [] }, {}]
      parameters:
        - name: deviceId
          in: query
          description: The device of the session; with another device the window closes with 4403. Ignored when the session is bound to none.
          schema: { $ref: '#/components/schemas/Id' }
      responses:
        '101': { description: 'The window is open, or is about to close with its code.' }
        '426': { $ref: '#/components/responses/Problem426' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /livez:
    get:
      operationId: isAlive
      tags: [machinery]
      summary: Liveness check.
      security: []
      responses:
        '200': { description: The process is alive., content: { application/json: { schema: { $ref: '#/components/schemas/Health' } } } }
  /readyz:
    get:
      operationId: isReady
      tags: [machinery]
      summary: 'Readiness check: whether the gateway accepts events now.'
      security: []
      responses:
        '200': { description: The gateway accepts events., content: { application/json: { schema: { $ref: '#/components/schemas/Health' } } } }
        '503': { $ref: '#/components/responses/Problem503' }
  /metrics:
    get:
      operationId: readMetrics
      tags: [machinery]
      summary: Metrics as Prometheus text.
      description: 'For callers on the gateway''s host without a proxy, and for the admin token.'
      security: [{}, { admin: [] }]
      responses:
        '200': { description: The metrics., content: { text/plain: { schema: { type: string } } } }
        '401': { $ref: '#/components/responses/Problem401' }
        '403': { $ref: '#/components/responses/Problem403' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /openapi.yaml:
    get:
      operationId: readDescription
      tags: [machinery]
      summary: This document.
      security: []
      parameters:
        - name: If-None-Match
          in: header
          description: The `ETag` of the caller's copy.
          schema: { type: string }
      responses:
        '200':
          description: The document.
          headers: { ETag: { schema: { type: string } } }
          content: { application/yaml: { schema: { type: string } } }
        '304': { description: Not modified. }
  /.well-known/apple-app-site-association:
    get:
      operationId: readAppleAssociation
      tags: [machinery]
      summary: 'The Apple app site association file of the host in the request.'
      description: >-
        The host is that of an app's `links`. Any other path of this host that opens the app redirects browsers
        to its `fallback` (302).
      security: []
      responses:
        '200': { description: The file., content: { application/json: { schema: { type: object } } } }
        '404': { $ref: '#/components/responses/Problem404' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
  /.well-known/assetlinks.json:
    get:
      operationId: readAndroidAssociation
      tags: [machinery]
      summary: 'The Digital Asset Links file of the host in the request, for Android.'
      security: []
      responses:
        '200': { description: The file., content: { application/json: { schema: { type: array } } } }
        '404': { $ref: '#/components/responses/Problem404' }
        '429': { $ref: '#/components/responses/Problem429' }
        '500': { $ref: '#/components/responses/Problem500' }
        '503': { $ref: '#/components/responses/Problem503' }
components:
  securitySchemes:
    backend: { type: http, scheme: basic, description: 'A service account: its id and its secret.' }
    broker: { type: http, scheme: basic, description: 'A `tokenBroker`: its id and its secret.' }
    admin: { type: http, scheme: bearer, description: The instance's admin token. }
    session: { type: http, scheme: bearer, description: 'A consumer''s session token, issued for a grant.' }
  parameters:
    brand: { name: brand, in: path, required: true, schema: { $ref: '#/components/schemas/BrandId' } }
    app: { name: app, in: path, required: true, schema: { $ref: '#/components/schemas/BrandId' } }
    consumer: { name: consumer, in: path, required: true, schema: { $ref: '#/components/schemas/Id' } }
    deviceId: { name: deviceId, in: path, required: true, schema: { $ref: '#/components/schemas/Id' } }
    subscription: { name: subscription, in: path, required: true, schema: { $ref: '#/components/schemas/BrandId' } }
    conversation: { name: conversation, in: path, required: true, schema: { $ref: '#/components/schemas/Id' } }
    actingFor:
      name: consumer
      in: query
      description: 'The consumer for whom a back-end acts; required for back-ends. For a session its own consumer, or absent.'
      schema: { $ref: '#/components/schemas/Id' }
    limit:
      name: limit
      in: query
      description: The maximum number of items of a page.
      schema: { type: integer, minimum: 1, maximum: 500, default: 50 }
    cursor:
      name: cursor
      in: query
      description: >-
        `nextCursor` of the previous page; valid for the same list with the same filters, also after deletions.
      schema: { type: string, format: cursor, maxLength: 2048 }
    unregister:
      name: unregister
      in: query
      description: The part of the device's registration that ends; `agent` keeps proactive pushes.
      schema: { type: string, enum: [all, agent, none], default: all }
    ifNoneMatch:
      name: If-None-Match
      in: header
      description: The `ETag` of the caller's copy.
      schema: { type: string }
    ifMatch:
      name: If-Match
      in: header
      description: >-
        The `ETag` of the state that the caller wants to change; when it has changed since, nothing is changed:
        409 `conflict`.
      schema: { type: string }
    idempotencyKey:
      name: Idempotency-Key
      in: header
      description: >-
        Makes a repetition within 24 hours safe: the same key with another body is 422, a repetition while the
        first request runs is 409. A response that contained a secret is not stored: its repetition is 409.
      schema: { type: string, pattern: '^[!-~]{1,255}$' }
  responses:
    Problem400:
      description: "The request cannot be parsed: not JSON, not UTF-8, invalid percent-encoding."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } }
    Problem401:
      description: "No credential, or one that is not accepted."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } }
    Problem403:
      description: "The caller is authenticated but not authorized."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } }
    Problem404:
      description: "The resource does not exist, or belongs to another brand."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } }
    Problem409:
      description: "The name is already used, or the state does not allow the operation."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } }
    Problem410:
      description: "The resource has expired."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } }
    Problem413:
      description: "The request body is too long."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } }
    Problem415:
      description: "The media type of the request body is not supported."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } }
    Problem422:
      description: "Members are invalid: errors names each of them."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } }
    Problem429:
      description: "The caller has exceeded its rate limit."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' }, Retry-After: { $ref: '#/components/headers/RetryAfter' } }
      content:
        application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } }
    Problem500:
      description: "An internal error of the gateway."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } }
    Problem426:
      description: "Another protocol is required; `Upgrade` names it."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } }
    Problem502:
      description: "A system that the gateway called did not respond correctly."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } }
    Problem503:
      description: "The gateway cannot handle the request now."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' }, Retry-After: { $ref: '#/components/headers/RetryAfter' } }
      content:
        application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } }
    AdaptorError400:
      description: "The request cannot be parsed: not JSON, not UTF-8, invalid percent-encoding."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/json: { schema: { $ref: '#/components/schemas/AdaptorError' } }
    AdaptorError401:
      description: "No credential, or one that is not accepted."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/json: { schema: { $ref: '#/components/schemas/AdaptorError' } }
    AdaptorError403:
      description: "The caller is authenticated but not authorized."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/json: { schema: { $ref: '#/components/schemas/AdaptorError' } }
    AdaptorError404:
      description: "The resource does not exist, or belongs to another brand."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/json: { schema: { $ref: '#/components/schemas/AdaptorError' } }
    AdaptorError409:
      description: "The name is already used, or the state does not allow the operation."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/json: { schema: { $ref: '#/components/schemas/AdaptorError' } }
    AdaptorError410:
      description: "The resource has expired."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/json: { schema: { $ref: '#/components/schemas/AdaptorError' } }
    AdaptorError413:
      description: "The request body is too long."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/json: { schema: { $ref: '#/components/schemas/AdaptorError' } }
    AdaptorError415:
      description: "The media type of the request body is not supported."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/json: { schema: { $ref: '#/components/schemas/AdaptorError' } }
    AdaptorError422:
      description: "Members are invalid: errors names each of them."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/json: { schema: { $ref: '#/components/schemas/AdaptorError' } }
    AdaptorError429:
      description: "The caller has exceeded its rate limit."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' }, Retry-After: { $ref: '#/components/headers/RetryAfter' } }
      content:
        application/json: { schema: { $ref: '#/components/schemas/AdaptorError' } }
    AdaptorError500:
      description: "An internal error of the gateway."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/json: { schema: { $ref: '#/components/schemas/AdaptorError' } }
    AdaptorError426:
      description: "Another protocol is required; `Upgrade` names it."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/json: { schema: { $ref: '#/components/schemas/AdaptorError' } }
    AdaptorError502:
      description: "A system that the gateway called did not respond correctly."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/json: { schema: { $ref: '#/components/schemas/AdaptorError' } }
    AdaptorError503:
      description: "The gateway cannot handle the request now."
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' }, Retry-After: { $ref: '#/components/headers/RetryAfter' } }
      content:
        application/json: { schema: { $ref: '#/components/schemas/AdaptorError' } }
    Session:
      description: The session; its token is returned once.
      headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/json:
          schema:
            type: object
            required: [sessionToken, expiresIn, consumer, merged]
            properties:
              sessionToken: { type: string }
              expiresIn: { type: integer, minimum: 1, description: In seconds. }
              consumer:
                type: object
                required: [id, anonymous]
                properties: { id: { $ref: '#/components/schemas/Id' }, anonymous: { type: boolean } }
              merged: { type: boolean, description: Whether an anonymous consumer was merged into this one. }
  headers:
    RequestId:
      description: 'The request''s id; the caller''s own if it sent a valid one.'
      schema: { type: string }
    ETag:
      description: The entity tag of this state.
      schema: { type: string }
    RetryAfter:
      description: Seconds until the request may be retried.
      schema: { type: integer, minimum: 0 }
  schemas:
    Id:
      type: string
      description: An id of a consumer, conversation, device or event; at most 256 bytes.
      minLength: 1
      maxLength: 256
      pattern: '^[^\u0000-\u001f\u007f-\u009f]+$'
      examples: [u-1]
    NullableLine:
      type: [string, 'null']
      description: A short text of one line.
      minLength: 1
      maxLength: 256
      pattern: '^[^\u0000-\u001f\u007f-\u009f]+$'
    Line:
      type: string
      description: A short text of one line.
      minLength: 1
      maxLength: 256
      pattern: '^[^\u0000-\u001f\u007f-\u009f]+$'
    BrandId:
      type: string
      pattern: '^[A-Za-z0-9._-]{1,64}$'
      examples: [acme]
    MessageId: { type: string, format: uuid, examples: [019a5b2e-8f3c-7d21-9c4e-5a6b7c8d9e0f] }
    Time: { type: string, format: date-time, examples: ['2026-01-02T03:04:05.678Z'] }
    NullableTime: { type: [string, 'null'], format: date-time }
    NextCursor:
      type: [string, 'null']
      description: The cursor of the next page; null on the last one.
    Problem:
      type: object
      required: [type, title, status, detail, code, retryable, requestId]
      properties:
        type: { type: string }
        title: { type: string }
        status: { type: integer, minimum: 400, maximum: 599 }
        detail: { type: string, description: One readable sentence. }
        code: { type: string, enum: [invalid_request, unauthorized, token_expired, token_invalid, forbidden, not_found, gone, method_not_allowed, unsupported_media_type, conflict, payload_too_large, rate_limited, overloaded, upstream_unavailable, internal] }
        reason: { type: string, description: Refines `token_invalid`. }
        claim: { type: string, description: 'The missing claim, with the reason `missing_claim`.', examples: [exp] }
        retryable: { type: boolean }
        requestId: { type: string }
        errors:
          type: array
          maxItems: 50
          description: The invalid members; `detail` states when there are more than these.
          items:
            type: object
            required: [pointer, detail]
            properties:
              pointer: { type: string, examples: [/data/text] }
              detail: { type: string, examples: [is required] }
      examples:
        - type: about:blank
          title: Unprocessable Content
          status: 422
          detail: One or more members are not valid.
          code: invalid_request
          retryable: false
          requestId: 8c1f0a5b6d7e4f2a9b3c4d5e6f708192
          errors: [{ pointer: /text, detail: is required }]
    BrandToCreate:
      type: object
      required: [id, name]
      additionalProperties: false
      properties:
        id: { $ref: '#/components/schemas/BrandId' }
        name: { $ref: '#/components/schemas/BrandName' }
        settings: { oneOf: [{ $ref: '#/components/schemas/BrandSettings' }, { type: 'null' }] }
    BrandPatch:
      type: object
      additionalProperties: false
      properties:
        name: { oneOf: [{ $ref: '#/components/schemas/BrandName' }, { type: 'null' }] }
        settings: { oneOf: [{ $ref: '#/components/schemas/BrandSettings' }, { type: 'null' }] }
    BrandName: { type: string, minLength: 1, maxLength: 256, pattern: '^[^\u0000-\u001f\u007f-\u009f]+$' }
    BrandSettings:
      type: object
      description: >-
        `links` is rejected: this version does not support it.
      additionalProperties: false
      properties:
        preview: { enum: [full, sender, none, null], default: full, description: How much of a message a notification shows. }
        presence: { enum: [consumer, device, null], default: consumer }
        suppressWhileWindowOpen: { type: [boolean, 'null'], default: true }
        messageTtlSeconds: { type: [integer, 'null'], minimum: 0, maximum: 2419200, default: 604800 }
        retentionDays: { type: [integer, 'null'], minimum: 1, maximum: 3650, default: 30 }
        sessionTtlSeconds: { type: [integer, 'null'], minimum: 60, maximum: 86400, default: 3600 }
        dedupeHours: { type: [integer, 'null'], minimum: 1, maximum: 168, default: 72 }
        staleDeviceDays:
          type: [integer, 'null']
          minimum: 1
          maximum: 3650
          default: 270
          description: >-
            After this many days without a sign of life a device's registration ends; the outbound feed reports
            `device.unregistered` with the reason `stale`.
        anonymousConsumers: { type: [boolean, 'null'], default: false }
        anonymousSessionTtlSeconds:
          type: [integer, 'null']
          minimum: 60
          maximum: 2592000
          description: The lifetime of a session without an identity; that of other sessions when it is absent.
        anonymousMerge:
          enum: [token, device, null]
          default: token
          description: >-
            The proof with which a login merges an anonymous consumer: the token of its session
            (`anonymousToken`), or, with `device`, also the `deviceId` that the login names. Anybody who knows a
            device id can prepare that. Brands from versions without `token` have `device`.
        anonymousMergeDays:
          type: [integer, 'null']
          minimum: 0
          maximum: 30
          default: 7
          description: The number of days after its expiry for which the token of an anonymous session is still accepted for a merge.
        singleDevice:
          type: [boolean, 'null']
          default: false
          description: >-
            A login on another device ends the sessions of the first one; a login without a deviceId does so
            when it registers.
        showExpiredProactive:
          type: [boolean, 'null']
          default: false
          description: A tap after the look-back of a proactive message returns the message instead of 410.
        engagements:
          type: [array, 'null']
          maxItems: 100
          description: 'The engagements that the brand offers; the first one that matches is used. Ids are unique.'
          items: { $ref: '#/components/schemas/Engagement' }
        quietHours:
          oneOf: [{ $ref: '#/components/schemas/BrandQuietHours' }, { type: 'null' }]
          description: >-
            The time of day when pushes must not disturb, replaced as a whole. The device's own time zone takes
            precedence over the one given here, and a consumer's own quiet hours over these.
        summaryThreshold:
          type: [integer, 'null']
          minimum: 1
          maximum: 100
          description: >-
            When more agents' messages than this wait for one device, and one of them for a minute or longer,
            they become one push. Never, when it is absent.
        campaignRatePerSecond:
          type: [integer, 'null']
          minimum: 1
          maximum: 100000
          description: >-
            The maximum number of pushes per second of each campaign, over all apps of the brand; unlimited when
            it is absent. Retries after a provider's error count as well.
        linkHosts:
          type: [array, 'null']
          maxItems: 100
          description: >-
            The hosts that the brand's apps may name in their `links`. Only the administrator of the instance
            may change it (403), and `settings: null` leaves it unchanged. A host belongs to at most one brand,
            and cannot be removed while an app uses it (409).
          items: { type: string, maxLength: 253, description: 'In ASCII, without a port.' }
        allowedOrigins:
          type: [array, 'null']
          maxItems: 32
          description: >-
            The origins whose pages may call the routes of devices, and those of the adaptors that a page calls.
            They get CORS headers, never with credentials of the browser; pages of other origins get none. `null`
            and `*` are rejected.
          items: { type: string, maxLength: 267, pattern: '^https?://[a-z0-9.-]+(:[1-9][0-9]{0,4})?$', examples: ['https://shop.example.com'] }
        templates: { oneOf: [{ $ref: '#/components/schemas/Templates' }, { type: 'null' }] }
        wire: { oneOf: [{ $ref: '#/components/schemas/WireSettings' }, { type: 'null' }] }
        webhook: { oneOf: [{ $ref: '#/components/schemas/WebhookSettings' }, { type: 'null' }] }
    Engagement:
      type: object
      additionalProperties: false
      required: [id, campaignId, entryPoints, skill]
      properties:
        id: { $ref: '#/components/schemas/Line' }
        campaignId: { $ref: '#/components/schemas/Line' }
        entryPoints: { $ref: '#/components/schemas/EntryPoints' }
        app: { oneOf: [{ $ref: '#/components/schemas/BrandId' }, { type: 'null' }], description: The only app that offers it. }
        skill: { $ref: '#/components/schemas/Line' }
        language: { $ref: '#/components/schemas/NullableLine' }
        surveyId: { $ref: '#/components/schemas/NullableLine' }
    EntryPoints:
      type: array
      maxItems: 32
      description: An engagement matches a request that names all of its entry points, in any order; one without entry points always matches.
      items: { type: string, minLength: 1, maxLength: 1024, pattern: '^[^\u0000-\u001f\u007f-\u009f]+$' }
    BrandQuietHours:
      type: object
      required: [from, to, timeZone]
      additionalProperties: false
      properties:
        from: { $ref: '#/components/schemas/TimeOfDay' }
        to: { $ref: '#/components/schemas/TimeOfDay' }
        timeZone: { type: string, minLength: 1, maxLength: 64, examples: [Europe/Berlin] }
        mode:
          enum: [held, silent, null]
          default: held
          description: Pushes wait until the quiet hours end, or are sent without a sound.
    TimeOfDay: { type: string, pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['22:00'] }
    Templates:
      type: object
      description: >-
        The brand's own texts for its notifications, replaced as a whole (65,536 bytes at most): by kind, then
        by language tag or `default`. A device's locale chooses for each part: the exact tag, then the tag
        without its last part, then `default`, then the built-in text.
      additionalProperties: false
      properties:
        agent: { $ref: '#/components/schemas/TemplateLocales' }
        proactive: { $ref: '#/components/schemas/TemplateLocales' }
        c2m: { $ref: '#/components/schemas/TemplateLocales' }
        summary: { $ref: '#/components/schemas/TemplateLocales' }
    TemplateLocales:
      type: [object, 'null']
      maxProperties: 64
      propertyNames: { maxLength: 35, pattern: '^[A-Za-z0-9]{1,8}([-_][A-Za-z0-9]{1,8})*$' }
      additionalProperties: { $ref: '#/components/schemas/TemplateWords' }
    TemplateWords:
      type: object
      description: >-
        A subset of Mustache: `{{name}}`, `{{#name}}`, `{{^name}}`, `{{/name}}` and `{{! comment }}`, where a
        name is one of agent, brand, text, title, unread, conversation and, in a summary, count. Nothing is
        escaped; a value that `preview` hides is absent. An empty result is replaced by the built-in text.
      minProperties: 1
      additionalProperties: false
      properties:
        title: { type: [string, 'null'], minLength: 1, maxLength: 1024, pattern: '^[^\u0000]*$' }
        body: { type: [string, 'null'], minLength: 1, maxLength: 1024, pattern: '^[^\u0000]*$' }
    Brand:
      type: object
      required: [id, name, settings, createdAt]
      properties:
        id: { $ref: '#/components/schemas/BrandId' }
        name: { type: string }
        settings: { $ref: '#/components/schemas/BrandSettings' }
        createdAt: { $ref: '#/components/schemas/Time' }
    App:
      type: object
      required: [id, platform, endpointsBy]
      properties:
        id: { $ref: '#/components/schemas/BrandId' }
        platform: { enum: [ios, android, harmony, web] }
        endpointsBy:
          enum: [admin, tenant]
          readOnly: true
          description: >-
            The role that set the endpoints (`endpoints`, `endpoint`, `token_uri`). Once a service account has
            changed one of them, all are the tenant's: they may lead to public addresses only, and to private
            networks and loopback addresses only where the instance's settings allow it.
    AppToPut:
      type: object
      required: [platform]
      additionalProperties: false
      properties:
        platform: { enum: [ios, android, harmony, web] }
        dialect: { enum: [switchboard, null], default: switchboard, description: The format of its pushes. }
        apns:
          type: [object, 'null']
          description: A signing key of the team, or a certificate.
          properties:
            teamId: { type: string }
            keyId: { type: string }
            privateKey: { type: string, writeOnly: true, description: The .p8 file. }
            sandboxKey:
              type: [object, 'null']
              required: [keyId, privateKey]
              properties: { keyId: { type: string }, privateKey: { type: string, writeOnly: true } }
            certificate: { type: [string, 'null'], writeOnly: true, description: PEM, or a .p12 file as base64. }
            password: { type: [string, 'null'], writeOnly: true }
            topic: { type: [string, 'null'], description: The bundle id. }
            endpoints:
              type: [object, 'null']
              properties: { production: { type: [string, 'null'] }, sandbox: { type: [string, 'null'] } }
            wakeOnRead:
              type: [boolean, 'null']
              default: false
              description: >-
                Whether the badge push after a read on another device also carries `content-available`, so that
                iOS wakes the app to remove the notifications of the read messages. Apple wakes an app two or
                three times an hour. The member `read` is beside `aps` in any case.
        fcm:
          type: [object, 'null']
          required: [serviceAccount]
          properties:
            serviceAccount: { type: object, writeOnly: true, description: Google's JSON file. }
            style:
              enum: [notification, data, null]
              default: notification
              description: >-
                Whether Android and browsers show a push themselves, or only pass it to the app. iOS always
                shows it.
            endpoint: { type: [string, 'null'] }
        links: { oneOf: [{ $ref: '#/components/schemas/AppLinks' }, { type: 'null' }] }
    AppLinks:
      type: object
      description: >-
        The host whose https links open the app. The gateway serves the files that devices request from the
        host, and redirects browsers that open a link to `fallback`. The host is one of the brand's `linkHosts`;
        apps of the brand may share it. One of `ios` and `android` is required.
      required: [host, paths]
      additionalProperties: false
      properties:
        host: { type: string, maxLength: 253, description: 'In ASCII, without a port.' }
        paths:
          type: array
          minItems: 1
          maxItems: 50
          description: Patterns; `*` matches any bytes and `?` matches one.
          items: { type: string, pattern: '^/', maxLength: 256 }
        ios:
          type: [object, 'null']
          required: [appIds]
          additionalProperties: false
          properties: { appIds: { type: array, minItems: 1, maxItems: 20, items: { type: string } } }
        android:
          type: [object, 'null']
          required: [packageName, sha256CertFingerprints]
          additionalProperties: false
          properties:
            packageName: { type: string, maxLength: 256 }
            sha256CertFingerprints: { type: array, minItems: 1, maxItems: 20, items: { type: string } }
        fallback:
          type: [object, 'null']
          additionalProperties: false
          properties:
            ios: { type: [string, 'null'], maxLength: 2048 }
            android: { type: [string, 'null'], maxLength: 2048 }
            web: { type: [string, 'null'], maxLength: 2048 }
        passwords:
          type: [boolean, 'null']
          default: false
          description: >-
            Whether the files state that the app and the host share passwords (`webcredentials`,
            `get_login_creds`).
    CredentialKind:
      enum: [serviceAccount, apiKey, sdkKey, jwtIssuer, jweKey, identityProvider, customerTokenKey, tokenBroker]
    CredentialToCreate:
      type: object
      description: Each kind has its own members; others are rejected.
      required: [kind, name]
      properties:
        kind:
          enum: [serviceAccount, apiKey, sdkKey, jwtIssuer, jweKey, identityProvider, customerTokenKey, tokenBroker]
        name: { type: string, minLength: 1, maxLength: 256, pattern: '^[^\u0000-\u001f\u007f-\u009f]+$' }
        expiresAt: { $ref: '#/components/schemas/NullableTime' }
        scopes: { type: array, minItems: 1, items: { $ref: '#/components/schemas/Scope' } }
        algorithm: { type: [string, 'null'], description: 'By default HS256 for an sdkKey, ES256 for a jwtIssuer, RSA-OAEP-256 for a jweKey.' }
        secret: { type: [string, 'null'], minLength: 32, maxLength: 1024, writeOnly: true, description: An existing secret to import. }
        app: { oneOf: [{ $ref: '#/components/schemas/BrandId' }, { type: 'null' }] }
        issuer: { type: string, minLength: 1, maxLength: 512 }
        issuerDisplayName: { type: [string, 'null'], minLength: 1, maxLength: 512 }
        audience:
          type: [string, 'null']
          minLength: 1
          maxLength: 512
          description: The value that `aud` must be or contain; without it, tokens that have an `aud` are rejected.
        keyId: { type: [string, 'null'], minLength: 1, maxLength: 512 }
        publicKey: { type: [string, 'null'], description: PEM; this or `jwksUrl`. }
        jwksUrl: { type: [string, 'null'], format: uri }
        privateKey: { type: [string, 'null'], writeOnly: true, description: PEM. }
        tokenEndpoint: { type: string, format: uri }
        tokenUrl: { type: string, format: uri }
        clientId: { type: string, minLength: 1, maxLength: 512 }
        clientSecret: { type: string, minLength: 1, maxLength: 512, writeOnly: true }
        clientAuth: { enum: [basic, body] }
        redirectUris: { type: array, minItems: 1, maxItems: 32, items: { type: string, format: uri } }
        pkce: { enum: [required, optional] }
        scope: { type: string, minLength: 1, maxLength: 512 }
        maxLifetimeSeconds:
          type: [integer, 'null']
          minimum: 1
          maximum: 31536000
          description: |
            The maximum time from `iat` to `exp` of its tokens; longer ones are rejected (`lifetime`). For an
            sdkKey, a jwtIssuer and an identityProvider; 86400 by default.
        decision:
          type: [object, 'null']
          description: |
            For a tokenBroker: the brand's service that decides about each token. It gets a `POST` of
            `{"type":"access.requested","time","data":{"app","consumer"?,"requestId"}}`, signed as webhooks are, and
            responds with 200 and `{"allow":true}` or `{"allow":false,"reason"}`.
          additionalProperties: false
          required: [url, secret]
          properties:
            url: { type: string, format: uri }
            secret: { type: string, writeOnly: true, description: '`whsec_` and 24 to 64 bytes as base64.' }
        singleUse:
          type: [boolean, 'null']
          description: |
            Whether each of its tokens is accepted only once (`reused`); they must have a `jti` of 1 to 256
            bytes. For the same kinds.
    Scope: { enum: ['events:write', 'events:read', 'events:manage', 'sessions:mint', 'deliveries:read', 'consumers:write', 'brand:admin'] }
    Credential:
      type: object
      description: The public members of its kind are included.
      required: [id, kind, name, expiresAt, createdAt]
      properties:
        id: { type: string }
        kind: { type: string }
        name: { type: string }
        secret: { type: string, description: Only in the response that creates it. }
        scopes: { type: array, items: { $ref: '#/components/schemas/Scope' } }
        algorithm: { type: [string, 'null'] }
        app: { type: [string, 'null'] }
        publicKey: { type: string }
        decision: { type: object, required: [url], properties: { url: { type: string } } }
        maxLifetimeSeconds:
          type: integer
          description: The maximum time from `iat` to `exp` of its tokens; absent when there is no limit.
        singleUse: { type: boolean, description: Whether each of its tokens is accepted only once. }
        expiresAt: { $ref: '#/components/schemas/NullableTime' }
        createdAt: { $ref: '#/components/schemas/Time' }
    EventBase:
      type: object
      required: [id, type, consumer]
      properties:
        id: { $ref: '#/components/schemas/Id' }
        source: { type: [string, 'null'], maxLength: 512, description: The back-end's name for the event's origin. }
        consumer: { $ref: '#/components/schemas/Id' }
        conversation:
          description: >-
            The id belongs to the consumer: another consumer may have another conversation with the same one. When
            absent, the consumer's active one, or a new one; for a proactive message one that is never active. A
            proactive message opens no conversation.
          oneOf: [{ $ref: '#/components/schemas/Id' }, { type: 'null' }]
        dialog: { oneOf: [{ $ref: '#/components/schemas/Id' }, { type: 'null' }] }
        sourceSequence: { type: [integer, 'null'], minimum: 0, maximum: 9223372036854775807 }
        agent:
          type: [object, 'null']
          properties:
            id: { type: [string, 'null'], minLength: 1, maxLength: 256 }
            nickname: { type: [string, 'null'], minLength: 1, maxLength: 1024, pattern: '^[^\u0000]*$' }
        text: { type: [string, 'null'], maxLength: 16384, pattern: '^[^\u0000]*$' }
        title: { type: [string, 'null'], maxLength: 1024, pattern: '^[^\u0000]*$' }
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
        locale: { type: [string, 'null'], minLength: 1, maxLength: 64, pattern: '^[^\u0000-\u001f\u007f-\u009f]+$' }
        timeZone: { type: [string, 'null'], minLength: 1, maxLength: 64, pattern: '^[^\u0000-\u001f\u007f-\u009f]+$' }
        osVersion: { type: [string, 'null'], minLength: 1, maxLength: 64, pattern: '^[^\u0000-\u001f\u007f-\u009f]+$' }
        appVersion: { type: [string, 'null'], minLength: 1, maxLength: 64, pattern: '^[^\u0000-\u001f\u007f-\u009f]+$' }
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
        conversation:
          type: object
          description: The active conversation of the consumer; absent without one, and without an identified consumer.
          required: [id, state]
          properties: { id: { $ref: '#/components/schemas/Id' }, state: { enum: [active] } }
    Health:
      type: object
      required: [status]
      properties:
        status: { enum: [ok, ready] }
        clock: { enum: [guarded], description: 'Only while expiry is suspended because the clock may be wrong (`/v1/clock`).' }
    DeliveryId: { type: string, pattern: '^[1-9][0-9]{0,18}$', examples: ['4711'] }
    DeliveryState:
      enum: [pending, held, sending, retrying, accepted, delivered, tapped, failed, expired, suppressed, cancelled]
    Delivery:
      type: object
      required: [id, messageId, consumer, deviceId, app, provider, state, attempts, queuedAt]
      properties:
        id: { $ref: '#/components/schemas/DeliveryId' }
        messageId: { type: [string, 'null'], format: uuid, description: Null for a push with only a badge. }
        consumer: { $ref: '#/components/schemas/Id' }
        deviceId: { $ref: '#/components/schemas/Id' }
        app: { $ref: '#/components/schemas/BrandId' }
        provider: { enum: [apns, fcm, huawei, webpush] }
        state: { $ref: '#/components/schemas/DeliveryState' }
        attempts: { type: integer, minimum: 0 }
        providerId: { type: [string, 'null'] }
        status: { type: [integer, 'null'], description: The HTTP status of the last response. }
        reason: { type: [string, 'null'], description: The provider's reason in that response. }
        queuedAt: { $ref: '#/components/schemas/Time' }
        sentAt: { $ref: '#/components/schemas/NullableTime' }
        latencyMs: { type: [integer, 'null'] }
        tappedAt: { $ref: '#/components/schemas/NullableTime' }
        badge: { type: [integer, 'null'] }
        suppressedBy: { type: [string, 'null'] }
    DeliveryDetail:
      allOf: [{ $ref: '#/components/schemas/Delivery' }]
      required: [attemptLog, timeline]
      properties:
        timeline:
          type: array
          description: 'The steps of the delivery, in order.'
          items:
            type: object
            required: [state, at]
            properties:
              state: { type: string }
              at: { $ref: '#/components/schemas/Time' }
              attempt: { type: [integer, 'null'] }
              reason: { type: [string, 'null'] }
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
    Counts: { type: object, additionalProperties: { type: integer, minimum: 0 } }
    ReasonCounts:
      type: object
      additionalProperties: { type: integer, minimum: 0 }
      description: >-
        By the provider's reason in the last response; a reason that is not documented counts as `other`.
    Latencies:
      type: object
      required: [count, p50, p90, p99, p999, max]
      properties:
        count: { type: integer, minimum: 0 }
        p50: { type: [number, 'null'] }
        p90: { type: [number, 'null'] }
        p99: { type: [number, 'null'] }
        p999: { type: [number, 'null'] }
        max: { type: [number, 'null'] }
    Stats:
      type: object
      required:
        [since, until, resolutionSeconds, total, byState, byProvider, byReason, latencyMs, receipts, taps, tapRate]
      properties:
        since: { $ref: '#/components/schemas/Time' }
        until: { $ref: '#/components/schemas/Time' }
        resolutionSeconds: { type: integer, minimum: 1 }
        total: { type: integer, minimum: 0 }
        byState: { $ref: '#/components/schemas/Counts' }
        byProvider: { $ref: '#/components/schemas/Counts' }
        byReason: { $ref: '#/components/schemas/ReasonCounts' }
        unfinishedComplete: { type: boolean, description: False when not all waiting deliveries were counted. }
        latencyMs: { $ref: '#/components/schemas/Latencies' }
        latencyMsByProvider:
          type: object
          additionalProperties: { $ref: '#/components/schemas/Latencies' }
        receipts: { $ref: '#/components/schemas/Receipts' }
        taps: { $ref: '#/components/schemas/Taps' }
        tapRate: { type: [number, 'null'], description: The same as the `rate` of `taps`. }
    CampaignStats:
      type: object
      required:
        [campaign, messages, tappedMessages, deliveries, unfinished, byState, byProvider, byReason, receipts, taps, tapRate,
        firstAt, lastAt]
      properties:
        campaign: { $ref: '#/components/schemas/Id' }
        messages: { type: integer, minimum: 0, description: Accepted messages. }
        tappedMessages: { type: integer, minimum: 0, description: 'Messages that were tapped, on any device.' }
        deliveries: { type: integer, minimum: 0, description: 'Deliveries, one for each device.' }
        unfinished: { type: integer, minimum: 0, description: Deliveries that wait or are being sent. }
        byState: { $ref: '#/components/schemas/Counts' }
        byProvider: { $ref: '#/components/schemas/Counts' }
        byReason: { $ref: '#/components/schemas/ReasonCounts' }
        receipts: { $ref: '#/components/schemas/Receipts' }
        taps: { $ref: '#/components/schemas/Taps' }
        tapRate: { type: [number, 'null'], description: The same as the `rate` of `taps`. }
        firstAt: { $ref: '#/components/schemas/Time' }
        lastAt: { $ref: '#/components/schemas/Time' }
    Receipts:
      type: object
      description: >-
        The number of deliveries of messages for which the device reported this. A delivery counts once under
        each, regardless of later reports; a message that was displayed or dismissed was delivered.
      required: [delivered, displayed, dismissed]
      properties:
        delivered: { type: integer, minimum: 0 }
        displayed: { type: integer, minimum: 0 }
        dismissed: { type: integer, minimum: 0 }
    Taps:
      type: object
      description: >-
        Deliveries of messages that were tapped, and their share of those that providers accepted (now
        `accepted`, `delivered` or `tapped`; without badges and silent pushes). The base is not those reported
        as delivered: many devices report only taps.
      required: [accepted, tapped, rate]
      properties:
        accepted: { type: integer, minimum: 0 }
        tapped: { type: integer, minimum: 0 }
        rate: { type: [number, 'null'], description: 'From 0 to 1, with four digits; null without deliveries.' }
    Clock:
      type: object
      required: [systemTime, gatewayTime, newestStoredTime, guardedUntil, needsRestart]
      properties:
        systemTime: { $ref: '#/components/schemas/Time' }
        gatewayTime:
          allOf: [{ $ref: '#/components/schemas/Time' }]
          description: The time that the gateway uses. It never goes back; it approaches the system clock by a tenth of the elapsed time.
        newestStoredTime:
          allOf: [{ $ref: '#/components/schemas/NullableTime' }]
          description: The newest time in the data at the start; null when there was no data.
        guardedUntil:
          allOf: [{ $ref: '#/components/schemas/NullableTime' }]
          description: The end of the suspension of expiry and deletion; null when they are not suspended.
        needsRestart:
          type: boolean
          description: >-
            Whether the system clock was set back since a start with a doubtful clock. The gateway's time never
            goes back: expiry stays suspended until a restart.
    AuditPage:
      type: object
      required: [items, nextCursor]
      properties:
        items:
          type: array
          items:
            type: object
            required: [id, at, brand, actor, action, target, changes, requestId]
            properties:
              id: { type: string }
              at: { $ref: '#/components/schemas/Time' }
              brand:
                oneOf: [{ $ref: '#/components/schemas/BrandId' }, { type: 'null' }]
                description: Null for a change of the whole instance.
              actor:
                type: object
                required: [kind, id]
                properties: { kind: { enum: [admin, serviceAccount, gateway] }, id: { type: string } }
              action: { enum: [brand.created, brand.changed, brand.deleted, app.created, app.changed, app.deleted, app.self_checked, credential.issued, credential.revoked, master_key.rotated, delivery.retried, consumer.erased, consumer.merged, consumer.exported, consumer.changed, consumer.logged_out, sessions.minted, subscription.deleted, device.reassigned, outbound.replayed, clock.accepted] }
              target: { type: string }
              changes: { type: array, items: { type: string }, description: 'Names of members, never their values.' }
              requestId: { type: [string, 'null'] }
              count: { type: integer, minimum: 1, description: 'The number of changes within the hour after `at`; absent for one.' }
        nextCursor: { $ref: '#/components/schemas/NextCursor' }
    OutboundItem:
      type: object
      required: [type, time, data]
      properties:
        position: { type: integer, minimum: 1 }
        type: { type: string, examples: [message.tapped] }
        time: { $ref: '#/components/schemas/Time' }
        data: { type: object }
    Subscription:
      type: object
      required: [id, position, lag, createdAt, acknowledgedAt, owner]
      properties:
        id: { $ref: '#/components/schemas/BrandId' }
        position: { type: integer, minimum: 0, description: The subscription's mark. }
        lag: { type: integer, minimum: 0, description: The number of positions that it is behind. }
        createdAt: { $ref: '#/components/schemas/Time' }
        acknowledgedAt: { $ref: '#/components/schemas/NullableTime' }
        owner: { type: [string, 'null'], description: 'The service account that owns it, if one has read it.' }
    Webhook:
      type: object
      required: [url, state, position, lag, attempts]
      properties:
        url: { type: string }
        state: { enum: [working, failing, 'off'] }
        position: { type: integer, minimum: 0 }
        lag: { type: integer, minimum: 0 }
        keptAfter: { type: integer, minimum: 0, description: Items up to this position are no longer stored. }
        attempts: { type: integer, minimum: 0 }
        lastTriedAt: { $ref: '#/components/schemas/NullableTime' }
        lastStatus: { type: [integer, 'null'] }
        lastError:
          type: [string, 'null']
          description: >-
            `refused`, `gone` or `unreachable`. The instance's administrator gets the exact reason for a missing
            response: `timeout`, `unresolved`, `forbidden_address`, `tls`, `proxy`, `proxy_credentials`.
        nextTryAt: { $ref: '#/components/schemas/NullableTime' }
    WebhookSettings:
      type: object
      additionalProperties: false
      description: '`url` is required when there was no webhook before.'
      properties:
        url: { type: string, format: uri, description: 'https; plain http only to a loopback address, when `outgoing.allowLoopback` is on.' }
        secret:
          type: [string, 'null']
          description: '`whsec_` and 24 to 64 bytes as base64; returned only in the response that sets it.'
        types: { type: [array, 'null'], minItems: 1, maxItems: 100, items: { enum: [consumer.message, conversation.opened, conversation.resolved, message.tapped, device.unregistered, delivery.failed] } }
        secretFingerprint: { type: string, readOnly: true }
        previousSecretUntil: { type: [string, 'null'], readOnly: true }
    WireSettings:
      type: object
      description: >-
        The adaptors that the brand uses. `bloomreach` and `liveperson` are rejected: this version does not
        support them.
      additionalProperties: false
      properties:
        copilot: { type: [boolean, 'null'], default: false }
        ccai: { type: [boolean, 'null'], default: false }
        talkdesk: { type: [boolean, 'null'], default: false }
    AdaptorError:
      type: object
      required: [error]
      properties:
        error:
          type: object
          required: [code, reason, message, retryable, requestId]
          properties:
            code: { type: string, enum: [invalid_request, unauthorized, token_expired, token_invalid, forbidden, not_found, gone, method_not_allowed, unsupported_media_type, conflict, payload_too_large, rate_limited, overloaded, upstream_unavailable, internal, invalid_claim] }
            reason: { type: [string, 'null'], description: Refines `token_invalid`; for a denied access token why. }
            message: { type: string, description: 'Readable text; names the invalid members.' }
            retryable: { type: boolean }
            requestId: { type: string }
      examples:
        - error:
            code: token_invalid
            reason: bad_signature
            message: The signature of the token is not valid.
            retryable: false
            requestId: 8c1f0a5b6d7e4f2a9b3c4d5e6f708192
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

"""##
}
