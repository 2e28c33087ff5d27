package import GatewayModel
internal import TextFormats

/// Renders pushes for a brand's push proxy, as LivePerson's platform posts them (ProviderFacts page, E); one for each
/// lane, any thread.
package struct PushProxyRenderer: Sendable {
    /// The most bytes of a body without the token: the limit of the providers behind the proxy.
    package static let maxPayloadBytes = 4096

    private static let headers = [
        PushHeader(name: "content-type", value: "application/json", indexing: .incremental)
    ]

    private let brand: BrandRendering
    private let pushType: PushType

    /// Prepares the parts that all pushes of a lane share.
    ///
    /// - Parameters:
    ///   - brand: The brand as it is now.
    ///   - pushType: The provider behind the proxy.
    ///   - links: The host whose links the app opens.
    package init(brand: Brand, pushType: PushType, links: LinkSettings? = nil) {
        self.brand = BrandRendering(brand: brand, links: links)
        self.pushType = pushType
    }

    /// Renders one push.
    ///
    /// - Parameters:
    ///   - job: The push.
    ///   - path: The path of the proxy's URL.
    /// - Returns: The request without the proxy's own headers.
    package func request(for job: PushJob, path: String) -> PushRequest {
        guard let message = job.message else {
            return PushRequest(path: path, headers: Self.headers, body: badgeBody(job), badge: job.badge ?? 0)
        }
        let words = message.silent ? .none : brand.words(of: message, for: job)
        let isMap = pushType != .apns
        let body = TextFitting.body(
            // Escapes in a token would count against the text; real tokens have none.
            limit: Self.maxPayloadBytes + job.token.utf8.count,
            text: words.text,
            dataBytes: message.data?.text.utf8.count,
            copies: 1,
            render: { self.body(DialectPush(message, job, brand, title: words.title, fit: $0, asText: isMap)) },
            bare: { self.body(.bare(message, job, brand, asText: isMap)) }
        )
        return PushRequest(path: path, headers: Self.headers, body: body, badge: message.silent ? nil : job.badge)
    }

    private func body(_ push: DialectPush) -> [UInt8] {
        var writer = JSONWriter(capacity: 1536 + push.text.utf8.count + (push.data?.text.utf8.count ?? 0))
        writer.literal("{")
        push.writeEnvelope(brand: brand.brand, to: &writer)
        finish(push.job, &writer)
        return writer.bytes
    }

    /// Renders a push that only sets the badge: LivePerson's envelope without a message.
    private func badgeBody(_ job: PushJob) -> [UInt8] {
        var writer = JSONWriter(capacity: 256 + job.token.utf8.count + 160 * job.read.count)
        if pushType == .apns {
            writer.literal("{\"aps\":{")
            writer.badgeAPS(job, wakesApp: false)
            writer.literal("}")
        } else {
            writer.literal("{\"data\":{\"payload\":{")
        }
        writer.member("brandId", brand.brand.rawValue)
        writer.member("badge", job.badge ?? 0)
        if !job.read.isEmpty {
            writer.name(known: "read")
            writer.raw(JSONWriter.text(of: job.read))
        }
        if pushType != .apns { writer.literal("}}") }
        finish(job, &writer)
        return writer.bytes
    }

    /// Appends the members that lead to the device, and ends the body.
    private func finish(_ job: PushJob, _ writer: inout JSONWriter) {
        let (service, type): (Int64, String) =
            switch pushType {
            case .apns: (1, "apn")
            case .fcm, .webpush: (2, "gcm")
            case .huawei: (3, "huawei")
            }
        writer.member("push-service", service)
        writer.member("notificationType", type)
        writer.member("device-token", job.token)
        writer.literal("}")
    }
}
