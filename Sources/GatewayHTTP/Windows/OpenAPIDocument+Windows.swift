// The messaging window (MessagingWindow page), as far as OpenAPI can describe it.
extension OpenAPIDocument {
    static let windows = """
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
                \(problems())
        """
}
