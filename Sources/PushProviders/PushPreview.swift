package import GatewayModel
package import PushPayloads

/// The provider request of a push, with its credential masked.
package struct PushPreview: Sendable {
    /// `https://host:port` of the provider.
    package var origin: String
    /// The request, rendered in the same way as the lane's pushes.
    package var request: PushRequest
    /// The masked value of `authorization`; nil when the connection is authenticated by certificate.
    package var maskedAuthorization: String?
    /// The names of further header fields, whose values are secret.
    package var maskedHeaders: [String] = []
    /// The bytes that the provider counts against its limit.
    package var countedBytes: Int
    /// The provider's limit, in bytes.
    package var limitBytes: Int

    /// Renders a push with a device token that is not masked; nothing is signed, fetched or sent.
    ///
    /// Throws ``PushCredentialError`` with the member of the app's settings that cannot be used.
    package init(
        of job: PushJob,
        lane: LaneKey,
        app: AppSettings,
        brand: Brand,
        now: Timestamp
    ) throws(PushCredentialError) {
        switch try LaneCredential(lane.pushType, lane.environment, of: app, now: now) {
        case .apns(let credential):
            origin = "https://" + credential.endpoint.name
            request = APNsRenderer(
                brand: brand,
                topic: credential.topic,
                links: app.links,
                dialect: app.format
            )
            .request(for: job, now: now)
            if case .token = credential.authentication { maskedAuthorization = "bearer ***" }
            countedBytes = request.body.count
            let row: APNsPushTypeRow = job.message?.silent == true ? .background : .alert
            limitBytes = row.maxBodyBytes
        case .fcm(let credential):
            origin = "https://" + credential.endpoint.name
            request = FCMRenderer(
                brand: brand,
                projectID: credential.projectID,
                style: credential.style,
                links: app.links,
                dialect: app.format
            )
            .request(for: job, now: now)
            maskedAuthorization = "Bearer ***"
            countedBytes = request.body.count - job.token.utf8.count
            limitBytes = FCMRenderer.maxPayloadBytes
        case .proxy(let credential):
            origin = credential.origin
            request = PushProxyRenderer(brand: brand, pushType: lane.pushType, links: app.links)
                .request(for: job, path: credential.path)
            if credential.isBasic { maskedAuthorization = "Basic ***" }
            maskedHeaders = credential.headerNames
            countedBytes = request.body.count - job.token.utf8.count
            limitBytes = PushProxyRenderer.maxPayloadBytes
        }
    }
}
