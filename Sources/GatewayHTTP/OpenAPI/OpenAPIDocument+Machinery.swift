// What the machinery around the gateway asks.
extension OpenAPIDocument {
    static let machinery = """
          /livez:
            get:
              operationId: isAlive
              tags: [machinery]
              summary: Whether the process lives.
              security: []
              responses:
                '200': { description: It does., content: { application/json: { schema: { $ref: '#/components/schemas/Health' } } } }
          /readyz:
            get:
              operationId: isReady
              tags: [machinery]
              summary: Whether events would be taken now.
              security: []
              responses:
                '200': { description: They would., content: { application/json: { schema: { $ref: '#/components/schemas/Health' } } } }
                '503': { $ref: '#/components/responses/Problem503' }
          /metrics:
            get:
              operationId: readMetrics
              tags: [machinery]
              summary: Metrics as Prometheus text.
              description: For callers on the gateway's own machine that come through no proxy, and for the admin token.
              security: [{}, { admin: [] }]
              responses:
                '200': { description: The metrics., content: { text/plain: { schema: { type: string } } } }
                \(problems(401, 403))
          /openapi.yaml:
            get:
              operationId: readDescription
              tags: [machinery]
              summary: This document.
              security: []
              parameters:
                - name: If-None-Match
                  in: header
                  description: The `ETag` of a copy that the caller has.
                  schema: { type: string }
              responses:
                '200':
                  description: The document.
                  headers: { ETag: { schema: { type: string } } }
                  content: { application/yaml: { schema: { type: string } } }
                '304': { description: The caller's copy is the same. }
          /.well-known/apple-app-site-association:
            get:
              operationId: readAppleAssociation
              tags: [machinery]
              summary: Which apps open the links of the host that the request names, for Apple's devices.
              description: >-
                The host is that of an app's `links`. Any other path of such a host that the app opens redirects browsers to
                its `fallback` (302).
              security: []
              responses:
                '200': { description: The file., content: { application/json: { schema: { type: object } } } }
                \(problems(404))
          /.well-known/assetlinks.json:
            get:
              operationId: readAndroidAssociation
              tags: [machinery]
              summary: Which apps open the links of the host that the request names, for Android.
              security: []
              responses:
                '200': { description: The file., content: { application/json: { schema: { type: array } } } }
                \(problems(404))
        """
}
