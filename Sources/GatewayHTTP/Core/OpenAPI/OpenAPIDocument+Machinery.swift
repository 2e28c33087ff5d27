// Health, metrics, the API description and the files of link hosts.
extension OpenAPIDocument {
    static let machinery = """
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
                \(problems(404))
          /.well-known/assetlinks.json:
            get:
              operationId: readAndroidAssociation
              tags: [machinery]
              summary: 'The Digital Asset Links file of the host in the request, for Android.'
              security: []
              responses:
                '200': { description: The file., content: { application/json: { schema: { type: array } } } }
                \(problems(404))
        """
}
