// Sessions (LoggingConsumersIn page).
extension OpenAPIDocument {
    static let sessions = """
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
                \(problems(400, 401, 403, 404, 409, 413, 415, 422, 502))
          /v1/brands/{brand}/sessions/current:
            parameters: [{ $ref: '#/components/parameters/brand' }]
            delete:
              operationId: endSession
              tags: [sessions]
              summary: Logs out; the token is rejected from then on.
              security: [{ session: [] }]
              parameters: [{ $ref: '#/components/parameters/unregister' }]
              responses:
                '204': { description: Session ended. }
                \(problems(401, 403, 422))
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
                \(problems(400, 401, 403, 404, 409, 413, 415, 422))
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
                \(problems(400, 401, 403, 404, 422))
        """
}
