// Brands, apps and credentials (BrandsAndApps page).
extension OpenAPIDocument {
    static let administration = """
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
                \(problems(400, 401, 403, 409, 413, 415, 422))
            get:
              operationId: listBrands
              tags: [administration]
              summary: 'All brands, sorted by id.'
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
              summary: Returns a brand.
              description: 'Scope: `brand:admin`.'
              parameters: [{ $ref: '#/components/parameters/ifNoneMatch' }]
              responses:
                '200':
                  description: The brand.
                  headers: { ETag: { $ref: '#/components/headers/ETag' } }
                  content: { application/json: { schema: { $ref: '#/components/schemas/Brand' } } }
                '304': { description: Not modified. }
                \(problems(401, 403, 404))
            patch:
              operationId: updateBrand
              tags: [administration]
              summary: Changes a brand by a merge patch (RFC 7396).
              description: 'An absent member stays unchanged; a setting that is null is reset to its default. Scope: `brand:admin`.'
              parameters: [{ $ref: '#/components/parameters/ifMatch' }]
              requestBody:
                content:
                  application/json: { schema: { $ref: '#/components/schemas/BrandPatch' } }
                  application/merge-patch+json: { schema: { $ref: '#/components/schemas/BrandPatch' } }
              responses:
                '200':
                  description: The changed brand.
                  headers: { ETag: { $ref: '#/components/headers/ETag' } }
                  content: { application/json: { schema: { $ref: '#/components/schemas/Brand' } } }
                \(problems(400, 401, 403, 404, 409, 413, 415, 422))
            delete:
              operationId: deleteBrand
              tags: [administration]
              summary: Deletes a brand with all of its data.
              security: [{ admin: [] }]
              responses:
                '204': { description: Brand deleted. }
                \(problems(401, 403, 404))
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
                \(page(of: "App"))
                \(problems(400, 401, 403, 404, 422))
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
                content: { application/json: { schema: { $ref: '#/components/schemas/AppToPut' } } }
              responses:
                '200':
                  description: App replaced.
                  content: { application/json: { schema: { $ref: '#/components/schemas/App' } } }
                '201':
                  description: App created.
                  content: { application/json: { schema: { $ref: '#/components/schemas/App' } } }
                \(problems(400, 401, 403, 404, 409, 413, 415, 422))
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
                \(problems(401, 403, 404))
            delete:
              operationId: deleteApp
              tags: [administration]
              summary: Deletes an app with its registrations; their pending deliveries are cancelled.
              description: 'Scope: `brand:admin`.'
              responses:
                '204': { description: App deleted. }
                \(problems(401, 403, 404))
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
                \(problems(400, 401, 403, 404, 409, 413, 415, 422))
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
                \(problems(400, 401, 403, 404, 422))
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
                \(problems(400, 401, 403, 404))
            delete:
              operationId: revokeCredential
              tags: [administration]
              summary: Revokes a credential; it is rejected from then on.
              description: 'Scope: `brand:admin`.'
              responses:
                '204': { description: Credential revoked. }
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
                    The role that set the endpoints (`endpoints`, `endpoint`, `token_uri`). Once a service account has
                    changed one of them, all are the tenant's: they may lead to public addresses only, and to private
                    networks and loopback addresses only where the instance's settings allow it.
            AppToPut:
              type: object
              required: [platform]
              additionalProperties: false
              properties:
                platform: { enum: [ios, android, harmony, web] }
                dialect: { enum: [switchboard, liveperson, ujet, bloomreach, null] }
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
                name: { type: string, minLength: 1, maxLength: 256, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' }
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
                maxLifetimeSeconds:
                  type: integer
                  description: The maximum time from `iat` to `exp` of its tokens; absent when there is no limit.
                singleUse: { type: boolean, description: Whether each of its tokens is accepted only once. }
                expiresAt: { $ref: '#/components/schemas/NullableTime' }
                createdAt: { $ref: '#/components/schemas/Time' }
        """
}
