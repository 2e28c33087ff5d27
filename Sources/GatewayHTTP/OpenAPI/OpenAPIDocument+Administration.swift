// Brands, apps and credentials (BrandsAndApps page).
extension OpenAPIDocument {
    static let administration = """
          /v1/brands:
            post:
              operationId: createBrand
              tags: [administration]
              summary: Makes a brand.
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
                  description: It is made.
                  headers: { Location: { schema: { type: string } } }
                  content: { application/json: { schema: { $ref: '#/components/schemas/Brand' } } }
                \(problems(400, 401, 403, 409, 413, 415, 422))
            get:
              operationId: listBrands
              tags: [administration]
              summary: All brands, by id.
              security: [{ admin: [] }]
              parameters:
                - { $ref: '#/components/parameters/limit' }
                - { $ref: '#/components/parameters/cursor' }
              responses:
                \(page(of: "Brand"))
                \(problems(400, 401, 403, 422))
          /v1/brands/{brand}:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            get:
              operationId: getBrand
              tags: [administration]
              summary: A brand.
              description: 'Scope: `brand:admin`.'
              parameters: [{ $ref: '#/components/parameters/ifNoneMatch' }]
              responses:
                '200':
                  description: The brand.
                  headers: { ETag: { $ref: '#/components/headers/ETag' } }
                  content: { application/json: { schema: { $ref: '#/components/schemas/Brand' } } }
                '304': { description: The caller has it already. }
                \(problems(401, 403, 404))
            patch:
              operationId: updateBrand
              tags: [administration]
              summary: Changes a brand by a merge patch (RFC 7396).
              description: 'What is absent stays; a setting that is null takes its default. Scope: `brand:admin`.'
              parameters: [{ $ref: '#/components/parameters/ifMatch' }]
              requestBody:
                content:
                  application/json: { schema: { $ref: '#/components/schemas/BrandPatch' } }
                  application/merge-patch+json: { schema: { $ref: '#/components/schemas/BrandPatch' } }
              responses:
                '200':
                  description: The brand as it is now.
                  headers: { ETag: { $ref: '#/components/headers/ETag' } }
                  content: { application/json: { schema: { $ref: '#/components/schemas/Brand' } } }
                \(problems(400, 401, 403, 404, 409, 413, 415, 422))
            delete:
              operationId: deleteBrand
              tags: [administration]
              summary: Deletes a brand with everything that is its own.
              security: [{ admin: [] }]
              responses:
                '204': { description: It is gone. }
                \(problems(401, 403, 404))
          /v1/brands/{brand}/apps:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            get:
              operationId: listApps
              tags: [administration]
              summary: A brand's apps, by id, without their secrets.
              description: 'Scope: `brand:admin`.'
              parameters:
                - { $ref: '#/components/parameters/limit' }
                - { $ref: '#/components/parameters/cursor' }
              responses:
                \(page(of: "App"))
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/apps/{app}:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { $ref: '#/components/parameters/app' }
            put:
              operationId: putApp
              tags: [administration]
              summary: Makes or replaces an app; its secrets go in and never come out.
              description: 'Scope: `brand:admin`.'
              parameters: [{ $ref: '#/components/parameters/ifMatch' }]
              requestBody:
                required: true
                content: { application/json: { schema: { $ref: '#/components/schemas/AppToPut' } } }
              responses:
                '200':
                  description: It is replaced.
                  content: { application/json: { schema: { $ref: '#/components/schemas/App' } } }
                '201':
                  description: It is made.
                  content: { application/json: { schema: { $ref: '#/components/schemas/App' } } }
                \(problems(400, 401, 403, 404, 409, 413, 415, 422))
            get:
              operationId: getApp
              tags: [administration]
              summary: An app without its secrets.
              description: 'Scope: `brand:admin`.'
              parameters: [{ $ref: '#/components/parameters/ifNoneMatch' }]
              responses:
                '200':
                  description: The app.
                  headers: { ETag: { $ref: '#/components/headers/ETag' } }
                  content: { application/json: { schema: { $ref: '#/components/schemas/App' } } }
                '304': { description: The caller has it already. }
                \(problems(401, 403, 404))
            delete:
              operationId: deleteApp
              tags: [administration]
              summary: Deletes an app with its registrations; what is pending for them is cancelled.
              description: 'Scope: `brand:admin`.'
              responses:
                '204': { description: It is gone. }
                \(problems(401, 403, 404))
          /v1/brands/{brand}/credentials:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            post:
              operationId: createCredential
              tags: [administration]
              summary: Makes a credential; its secret is shown once.
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
                  description: It is made.
                  content: { application/json: { schema: { $ref: '#/components/schemas/Credential' } } }
                \(problems(400, 401, 403, 404, 409, 413, 415, 422))
            get:
              operationId: listCredentials
              tags: [administration]
              summary: A brand's credentials without their secrets, by id.
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
                '304': { description: The caller has it already. }
                \(problems(400, 401, 403, 404, 422))
          /v1/brands/{brand}/credentials/{credential}:
            parameters:
              - { $ref: '#/components/parameters/brand' }
              - { name: credential, in: path, required: true, schema: { $ref: '#/components/schemas/Id' } }
            get:
              operationId: getCredential
              tags: [administration]
              summary: What is public about a credential.
              description: 'Scope: `brand:admin`.'
              parameters: [{ $ref: '#/components/parameters/ifNoneMatch' }]
              responses:
                '200':
                  description: The credential.
                  headers: { ETag: { $ref: '#/components/headers/ETag' } }
                  content: { application/json: { schema: { $ref: '#/components/schemas/Credential' } } }
                '304': { description: The caller has it already. }
                \(problems(400, 401, 403, 404))
            delete:
              operationId: revokeCredential
              tags: [administration]
              summary: Revokes a credential; it is refused from then on.
              description: 'Scope: `brand:admin`.'
              responses:
                '204': { description: It is revoked. }
                \(problems(400, 401, 403, 404))
        """

    static let administrationSchemas = """
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
            BrandName: { type: string, minLength: 1, maxLength: 256, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' }
            BrandSettings:
              type: object
              description: >-
                `links` is refused: this version does not do what it asks for.
              additionalProperties: false
              properties:
                preview: { enum: [full, sender, none, null], default: full, description: How much a notification shows. }
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
                    After so many days without a sign of life a device's registration ends; the outbound feed says
                    `device.unregistered` with the reason `stale`.
                anonymousConsumers: { type: [boolean, 'null'], default: false }
                anonymousSessionTtlSeconds:
                  type: [integer, 'null']
                  minimum: 60
                  maximum: 2592000
                  description: How long a session without an identity lives; as others when it is absent.
                anonymousMerge:
                  enum: [token, device, null]
                  default: token
                  description: >-
                    What makes a login take in an anonymous consumer: the token of its session (`anonymousToken`), or, with
                    `device`, also the `deviceId` that the login names, which whoever knows it can prepare. Brands of versions
                    that knew no `token` have `device`.
                anonymousMergeDays:
                  type: [integer, 'null']
                  minimum: 0
                  maximum: 30
                  default: 7
                  description: How many days after its expiry the token of an anonymous session is still proof for a merge.
                singleDevice:
                  type: [boolean, 'null']
                  default: false
                  description: >-
                    A login on another device logs the first one out; one without a deviceId does when it registers.
                engagements:
                  type: [array, 'null']
                  maxItems: 100
                  description: 'What is offered where; of several that match the first is taken. Ids are unique.'
                  items: { $ref: '#/components/schemas/Engagement' }
                quietHours:
                  oneOf: [{ $ref: '#/components/schemas/BrandQuietHours' }, { type: 'null' }]
                  description: >-
                    When devices are not to be woken, given as a whole; the device's own time zone wins over the one named
                    here, and a consumer's own quiet hours over these.
                summaryThreshold:
                  type: [integer, 'null']
                  minimum: 1
                  maximum: 100
                  description: >-
                    More agents' messages than this that wait for one device, one of them for a minute or longer, become one
                    push; never when it is absent.
                campaignRatePerSecond:
                  type: [integer, 'null']
                  minimum: 1
                  maximum: 100000
                  description: >-
                    The pushes of each campaign that leave in a second, over all apps of the brand; as many as can when it is
                    absent. Tries again after a provider's fault count as well.
                linkHosts:
                  type: [array, 'null']
                  maxItems: 100
                  description: >-
                    The hosts that the brand's apps may name in their `links`. Only the administrator of the instance may change
                    it (403), and `settings: null` leaves it as it is. A host is given to one brand only, and stays as long as
                    an app uses it (409).
                  items: { type: string, maxLength: 253, description: In ASCII and without a port. }
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
                app: { oneOf: [{ $ref: '#/components/schemas/BrandId' }, { type: 'null' }], description: The only app that it is offered in. }
                skill: { $ref: '#/components/schemas/Line' }
                language: { $ref: '#/components/schemas/NullableLine' }
                surveyId: { $ref: '#/components/schemas/NullableLine' }
            EntryPoints:
              type: array
              maxItems: 32
              description: An engagement matches where all of its entry points are named, in whatever order; one without any matches everywhere.
              items: { type: string, minLength: 1, maxLength: 1024, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' }
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
                The brand's own words for its notifications, given as a whole (65,536 bytes at most): by kind, then by
                language tag or `default`. A device's locale chooses, part by part: the exact tag, then without its last
                part, then `default`, then the built-in words.
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
                Mustache of few tags: `{{name}}`, `{{#name}}`, `{{^name}}`, `{{/name}}` and `{{! comment }}`, where a name is
                one of agent, brand, text, title, unread, conversation and, in a summary, count. Nothing is escaped; what
                `preview` hides is absent. What comes to nothing is replaced by the built-in words.
              minProperties: 1
              additionalProperties: false
              properties:
                title: { type: [string, 'null'], minLength: 1, maxLength: 1024, pattern: '^[^\\u0000]*$' }
                body: { type: [string, 'null'], minLength: 1, maxLength: 1024, pattern: '^[^\\u0000]*$' }
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
                    Who set the endpoints (`endpoints`, `endpoint`, `token_uri`). Where a service account changed one of them, all
                    are the tenant's: they may lead to public addresses only, and to private networks and loopback addresses
                    where the instance's settings allow it.
            AppToPut:
              type: object
              required: [platform]
              additionalProperties: false
              properties:
                platform: { enum: [ios, android, harmony, web] }
                dialect: { enum: [switchboard, liveperson, ujet, bloomreach, null] }
                apns:
                  type: [object, 'null']
                  description: A key of the team, or a certificate.
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
                        Whether the badge push after a read elsewhere carries `content-available` too, so that iOS wakes
                        the app to remove the notifications of what was read. Apple wakes an app two or three times an
                        hour; its `read` is beside `aps` in any case.
                fcm:
                  type: [object, 'null']
                  required: [serviceAccount]
                  properties:
                    serviceAccount: { type: object, writeOnly: true, description: Google's JSON file. }
                    style:
                      enum: [notification, data, null]
                      default: notification
                      description: >-
                        Whether Android and browsers show a push, or only hand it to the app. iOS shows it in either case.
                    endpoint: { type: [string, 'null'] }
                links: { oneOf: [{ $ref: '#/components/schemas/AppLinks' }, { type: 'null' }] }
            AppLinks:
              type: object
              description: >-
                The host whose https links the app opens. The gateway answers for the host with the files that devices ask for,
                and sends browsers that open a link to `fallback`. The host is one of the brand's `linkHosts`; apps of the brand may
                share it. One of `ios` and `android` is required.
              required: [host, paths]
              additionalProperties: false
              properties:
                host: { type: string, maxLength: 253, description: In ASCII and without a port. }
                paths:
                  type: array
                  minItems: 1
                  maxItems: 50
                  description: Patterns; `*` stands for any bytes and `?` for one.
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
                    Whether the files say that the app and the host share passwords (`webcredentials`, `get_login_creds`).
            CredentialKind:
              enum: [serviceAccount, apiKey, sdkKey, jwtIssuer, jweKey, identityProvider, customerTokenKey, tokenBroker]
            CredentialToCreate:
              type: object
              description: Each kind knows its own members only.
              required: [kind, name]
              properties:
                kind:
                  enum: [serviceAccount, apiKey, sdkKey, jwtIssuer, jweKey, identityProvider, customerTokenKey, tokenBroker]
                name: { type: string, minLength: 1, maxLength: 256, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' }
                expiresAt: { $ref: '#/components/schemas/NullableTime' }
                scopes: { type: array, minItems: 1, items: { $ref: '#/components/schemas/Scope' } }
                algorithm: { type: [string, 'null'], description: HS256 of an sdkKey; ES256 of a jwtIssuer; of a jweKey RSA-OAEP-256. }
                secret: { type: [string, 'null'], minLength: 32, maxLength: 1024, writeOnly: true, description: To take one over. }
                app: { oneOf: [{ $ref: '#/components/schemas/BrandId' }, { type: 'null' }] }
                issuer: { type: string, minLength: 1, maxLength: 512 }
                issuerDisplayName: { type: [string, 'null'], minLength: 1, maxLength: 512 }
                audience:
                  type: [string, 'null']
                  minLength: 1
                  maxLength: 512
                  description: What `aud` must be or hold; without it tokens that have an `aud` are refused.
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
                    The longest time from `iat` to `exp` of its tokens; longer ones are refused (`lifetime`). Of an sdkKey, a
                    jwtIssuer and an identityProvider; 86400 when it is not given.
                singleUse:
                  type: [boolean, 'null']
                  description: |
                    Whether each of its tokens is accepted once only (`reused`); they must have a `jti` of 1 to 256 bytes. Of
                    the same kinds.
            Scope: { enum: ['events:write', 'events:read', 'events:manage', 'sessions:mint', 'deliveries:read', 'consumers:write', 'brand:admin'] }
            Credential:
              type: object
              description: With the public members of its kind.
              required: [id, kind, name, expiresAt, createdAt]
              properties:
                id: { type: string }
                kind: { type: string }
                name: { type: string }
                secret: { type: string, description: Only in the answer that makes it. }
                scopes: { type: array, items: { $ref: '#/components/schemas/Scope' } }
                algorithm: { type: [string, 'null'] }
                app: { type: [string, 'null'] }
                publicKey: { type: string }
                maxLifetimeSeconds:
                  type: integer
                  description: The longest time from `iat` to `exp` of its tokens; absent where it has no limit.
                singleUse: { type: boolean, description: Whether each of its tokens is accepted once only. }
                expiresAt: { $ref: '#/components/schemas/NullableTime' }
                createdAt: { $ref: '#/components/schemas/Time' }
        """
}
