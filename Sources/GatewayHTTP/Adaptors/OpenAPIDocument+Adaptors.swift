// The wire adaptors (ComingFromCopilot and ComingFromCCAI pages).
extension OpenAPIDocument {
    static let adaptors = """
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
                \(adaptorErrors(400, 401, 403, 404, 413, 415))
          /v1/ccaip/auth/token:
            post:
              operationId: exchangeToken
              tags: [adaptors]
              summary: 'Exchanges a token that was signed with an SDK key for a session, as apps of CCAI Platform do.'
              description: >-
                Requires the brand's setting `wire.ccai`; the brand is that of the SDK key. 401 `token_expired` asks for
                a new token, `token_invalid` is permanent; a claim that cannot be used is 400 `invalid_claim`. Without
                `identifier` the account is anonymous, which the brand must allow (403).
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
                            An extension of the gateway: names the device, so that a `push_token` in the token registers
                            it and the session is bound to it.
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
                \(adaptorErrors(400, 401, 403, 404, 413, 415))
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
                opens a session of the same device that ends no later, and none after a logout.
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
                            At most 4,096 bytes and 16 levels; numbers must be whole. `nbf`, `sub`, `aud`, `jti` and
                            `switchboard_session` are rejected.
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
                \(adaptorErrors(400, 401, 403, 404, 409, 413, 415))
        """

    static let adaptorSchemas = """
            WireSettings:
              type: object
              description: >-
                The adaptors that the brand uses. `bloomreach`, `liveperson` and `talkdesk` are rejected: this version
                does not support them.
              additionalProperties: false
              properties:
                copilot: { type: [boolean, 'null'], default: false }
                ccai: { type: [boolean, 'null'], default: false }
            AdaptorError:
              type: object
              required: [error]
              properties:
                error:
                  type: object
                  required: [code, reason, message, retryable, requestId]
                  properties:
                    code: { type: string, enum: [\(ProblemCode.allCases.map(\.rawValue).joined(separator: ", ")), invalid_claim] }
                    reason: { type: [string, 'null'], description: Refines `token_invalid`. }
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
        """
}
