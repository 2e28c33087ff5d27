// The wire adaptors (ComingFromCopilot and ComingFromCCAI pages).
extension OpenAPIDocument {
    static let adaptors = """
          /v2/api/management/your_own/auth/generate_user_auth_key:
            post:
              operationId: generateUserAuthKey
              tags: [adaptors]
              summary: Mints a key for a user, as Copilot.cx does.
              description: >-
                Needs the brand's `wire.copilot`; the brand is the account's. Every call mints a new key, which is a session
                token of the consumer `user_id` and ends with the account. Other members are ignored. Scope: `sessions:mint`.
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
                  description: The key; it is shown once.
                  headers: { X-Request-Id: { $ref: '#/components/headers/RequestId' } }
                  content:
                    application/json:
                      schema: { type: object, required: [auth_key], properties: { auth_key: { type: string } } }
                \(adaptorErrors(400, 401, 403, 404, 413, 415))
          /v1/ccaip/auth/token:
            post:
              operationId: exchangeToken
              tags: [adaptors]
              summary: Exchanges a token that an SDK key signed for a session, as apps of CCAI Platform ask for it.
              description: >-
                Needs the brand's `wire.ccai`; the brand is the SDK key's. 401 `token_expired` asks for a new token,
                `token_invalid` never passes; a claim that cannot be used is 400 `invalid_claim`. Without `identifier` the
                account is anonymous, which the brand must allow: 403.
              security: []
              parameters:
                - name: X-SDK-Key-Name
                  in: header
                  required: true
                  description: The SDK key's name; without it the answer is 401.
                  schema: { type: string, minLength: 1 }
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [token]
                      properties:
                        token: { type: string, minLength: 1, description: 'The JWT, by HS256, HS384 or HS512 as the key has it.' }
                        device_id:
                          description: >-
                            Ours, not that system's: names the device, so that a `push_token` in the token registers it, and
                            the session is bound to it.
                          oneOf: [{ $ref: '#/components/schemas/Id' }, { type: 'null' }]
                        anonymous_token:
                          type: [string, 'null']
                          description: >-
                            Ours too: the `auth_token` of the anonymous account that presents an identifier now, which is
                            merged. One that proves nothing is ignored.
                    example: { token: eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl, device_id: d-1 }
              responses:
                '200':
                  description: The session; its token is shown once.
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
                Needs the brand's `wire.ccai`. A session signs for its consumer; a service account with `sessions:mint` names
                one. Members of the payload are kept but for `identifier`, `iss`, `iat` and `exp` (`iat` + 600), and for
                `name`, `email` and `phone` where they are known; a session's `email` and `phone` are left out where they are
                not. The newest SDK key signs; without one the answer is 409.
                An anonymous consumer has nothing to sign: 403. What a session had signed is worth no more than the session: it
                opens one of the same device that ends no later, and none after a logout.
              security: [{ session: [] }, { backend: [] }]
              parameters:
                - { $ref: '#/components/parameters/actingFor' }
                - name: app
                  in: query
                  description: The app whose key is to sign; else keys for all apps come before those for one.
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
                            At most 4,096 bytes and 16 levels, numbers whole. `nbf`, `sub`, `aud`, `jti`
                            and `switchboard_session` are refused.
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
                Which adaptors answer for the brand. `bloomreach`, `liveperson` and `talkdesk` are refused: this version does
                not have them.
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
                    message: { type: string, description: 'For people; names the members that are wrong.' }
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
