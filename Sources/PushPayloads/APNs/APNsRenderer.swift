package import GatewayModel
internal import TextFormats

/// Renders pushes for APNs (ProviderFacts page, A3 to A8, DevicesBadgesTaps page); one for each lane, any thread.
package struct APNsRenderer: Sendable {
    /// The most bytes of `apns-collapse-id` (ProviderFacts page, A7).
    package static let maxCollapseIDBytes = 64

    /// The values of a push type for the app's pushes, computed once so that no push joins texts or searches the table.
    private struct Kind: Sendable {
        let name: String
        let topic: String
        let urgentPriority: String
        let usualPriority: String
        let maxBodyBytes: Int

        init(_ row: APNsPushTypeRow, bundleID: String) {
            name = row.name
            topic = row.topic(bundleID)
            urgentPriority = row.priority(.immediate).rawValue
            usualPriority = row.priority(.powerAware).rawValue
            maxBodyBytes = row.maxBodyBytes
        }
    }

    private let brand: BrandRendering
    private let alert: Kind
    private let background: Kind
    /// The bytes from the end of `aps` to the message id: the same for every push of the lane.
    private let brandMembers: [UInt8]
    /// The bytes from the end of `aps` to the read marks.
    private let readMembers: [UInt8]
    private let wakesOnRead: Bool
    private let dialect: AppSettings.Dialect

    /// Prepares the parts that all pushes of a lane share.
    ///
    /// - Parameters:
    ///   - brand: The brand as it is now.
    ///   - topic: The app's bundle id.
    ///   - links: The host whose links the app opens.
    ///   - wakesOnRead: Whether a badge push wakes the app, so that it removes notifications of messages that were read
    ///     elsewhere.
    ///   - dialect: The format of pushes of messages; badge pushes have Switchboard's in all of them.
    package init(
        brand: Brand,
        topic: String,
        links: LinkSettings? = nil,
        wakesOnRead: Bool = false,
        dialect: AppSettings.Dialect = .switchboard
    ) {
        self.brand = BrandRendering(brand: brand, links: links)
        alert = Kind(.alert, bundleID: topic)
        background = Kind(.background, bundleID: topic)
        var writer = JSONWriter(capacity: 128)
        writer.literal("},\"brandId\":")
        writer.string(brand.id.rawValue)
        writer.literal(",\"messageId\":\"")
        brandMembers = writer.bytes
        var read = JSONWriter(capacity: 96)
        read.literal("},\"brandId\":")
        read.string(brand.id.rawValue)
        read.literal(",\"read\":")
        readMembers = read.bytes
        self.wakesOnRead = wakesOnRead
        self.dialect = dialect
    }

    /// Renders one push.
    ///
    /// - Parameters:
    ///   - job: The push.
    ///   - now: The wall clock: a push that has expired, or may not wait, is tried once and never stored.
    ///   - spare: The headers of a finished request: their storage is reused.
    /// - Returns: The request without its `authorization`.
    package func request(for job: PushJob, now: Timestamp, reusing spare: consuming [PushHeader] = []) -> PushRequest {
        let path = PercentEncoding.encode(job.token.utf8, .segment, prefix: "/3/device/")
        let expiration = APNsRules.expiration(of: job, now: now)
        guard let message = job.message else {
            return PushRequest(
                path: path,
                headers: headers(
                    alert,
                    priority: alert.usualPriority,
                    expiration: expiration,
                    // There is no message to derive the id from; the delivery identifies badge pushes and is the same
                    // on a resend.
                    id: MessageID(high: 0, low: 0).derived(by: job.delivery.rawValue),
                    collapseID: nil,
                    reusing: spare
                ),
                body: badgeBody(job),
                badge: job.badge ?? 0
            )
        }
        let kind = message.silent ? background : alert
        return PushRequest(
            path: path,
            headers: headers(
                kind,
                priority: APNsRules.isUrgent(message, job) ? kind.urgentPriority : kind.usualPriority,
                expiration: expiration,
                id: message.id.derived(by: job.registration.rawValue),
                collapseID: APNsRules.collapseID(of: message, job),
                reusing: spare
            ),
            body: body(message, job: job, limit: kind.maxBodyBytes),
            badge: message.silent ? nil : job.badge
        )
    }

    private func headers(
        _ kind: Kind,
        priority: String,
        expiration: String,
        id: MessageID,
        collapseID: String?,
        reusing spare: consuming [PushHeader]
    ) -> [PushHeader] {
        var headers = spare
        headers.removeAll(keepingCapacity: true)
        headers.reserveCapacity(6)
        headers.append(PushHeader(name: "apns-topic", value: kind.topic, indexing: .incremental))
        headers.append(PushHeader(name: "apns-push-type", value: kind.name, indexing: .incremental))
        headers.append(PushHeader(name: "apns-priority", value: priority, indexing: .incremental))
        headers.append(PushHeader(name: "apns-expiration", value: expiration, indexing: .none))
        headers.append(PushHeader(name: "apns-id", value: id.description, indexing: .none))
        if let collapseID {
            headers.append(PushHeader(name: "apns-collapse-id", value: collapseID, indexing: .none))
        }
        return headers
    }

    private func badgeBody(_ job: PushJob) -> [UInt8] {
        var writer = JSONWriter(capacity: 40 + 128 * job.read.count)
        writer.literal("{\"aps\":{")
        writer.badgeAPS(job, wakesApp: wakesOnRead)
        guard !job.read.isEmpty else {
            writer.literal("}}")
            return writer.bytes
        }
        writer.raw(readMembers)
        writer.raw(JSONWriter.text(of: job.read))
        writer.literal("}")
        return writer.bytes
    }

    private func body(_ message: Message, job: PushJob, limit: Int) -> [UInt8] {
        // A silent push carries no text, so there is nothing to truncate.
        let words = message.silent ? .none : brand.words(of: message, for: job)
        return TextFitting.body(
            limit: limit,
            text: words.text,
            dataBytes: message.data?.text.utf8.count,
            copies: 1,
            render: { full(message, job: job, title: words.title, fit: $0) },
            bare: { bare(message, job: job) }
        )
    }

    private func full(_ message: Message, job: PushJob, title: String, fit: TextFitting.Fit) -> [UInt8] {
        if dialect != .switchboard {
            return translated(DialectPush(message, job, brand, title: title, fit: fit, asText: false))
        }
        let data = fit.includesData ? message.data : nil
        var writer = JSONWriter(
            capacity: 768 + 2 * fit.text.utf8.count + title.utf8.count + (data?.text.utf8.count ?? 0)
        )
        writer.literal("{\"aps\":{")
        writer.aps(message, job, title: title, text: fit.text, isCut: fit.isCut, isBare: false)
        members(of: message, job: job, to: &writer)
        if let dialog = message.dialog {
            writer.literal(",\"dialogId\":")
            writer.string(dialog)
        }
        if let agentID = message.agentID {
            writer.literal(",\"originatorId\":")
            writer.string(agentID)
        }
        if fit.extras != .none { brand.appendAgent(of: message, after: ",\"agent\":", to: &writer) }
        if fit.extras == .textAndAgent, !message.silent {
            writer.literal(",\"text\":\"")
            writer.escaped(fit.text)
            writer.literal("\"")
        }
        if let link = message.link.choice(for: job.platform, opening: brand.links) {
            writer.literal(",\"link\":")
            writer.string(link.text)
            if link.isUnverified { writer.literal(",\"linkUnverified\":true") }
        }
        if let data {
            writer.literal(",\"data\":")
            writer.value(data)
        }
        writer.literal(fit.isTruncated ? ",\"truncated\":true}" : "}")
        return writer.bytes
    }

    /// Renders the push that always fits: every member in it is bounded by its type or left out.
    private func bare(_ message: Message, job: PushJob) -> [UInt8] {
        if dialect != .switchboard { return translated(.bare(message, job, brand, asText: false)) }
        var writer = JSONWriter(capacity: 2048)
        writer.literal("{\"aps\":{")
        let text = BrandRendering.genericText[...]
        writer.aps(message, job, title: brand.bareTitle, text: text, isCut: false, isBare: true)
        members(of: message, job: job, to: &writer)
        if !message.silent {
            writer.literal(",\"text\":")
            writer.string(BrandRendering.genericText)
        }
        writer.literal(",\"truncated\":true}")
        return writer.bytes
    }

    /// Renders a push in the format of another system.
    private func translated(_ push: DialectPush) -> [UInt8] {
        var writer = JSONWriter(
            capacity: 1024 + 2 * (push.text.utf8.count + (push.title?.utf8.count ?? 0))
                + (push.data?.text.utf8.count ?? 0)
        )
        writer.literal("{\"aps\":{")
        writer.aps(
            push.message,
            push.job,
            title: push.title,
            text: push.text,
            isCut: push.isCut,
            isBare: push.isBare,
            dialect: dialect
        )
        writer.literal("}")
        push.write(dialect, brand: brand.brand, to: &writer)
        writer.literal("}")
        return writer.bytes
    }

    /// Ends `aps` and writes the members that every push of a message has; no more than about 800 bytes.
    private func members(of message: Message, job: PushJob, to writer: inout JSONWriter) {
        writer.raw(brandMembers)
        writer.identifier(message.id)
        writer.literal("\",\"conversationId\":")
        writer.string(message.conversation.rawValue)
        writer.literal(",\"sequence\":")
        writer.integer(message.sequence)
        if job.summary > 0 {
            writer.literal(",\"summary\":")
            writer.integer(job.summary)
        }
        // Some libraries read the badge here, the system only in `aps`: both, and equal (Requirements page, trap 7).
        if let badge = job.badge, !message.silent {
            writer.literal(",\"badge\":")
            writer.integer(badge)
        }
        switch message.kind {
        case .agent, .consumer: writer.literal(",\"backendService\":\"ams\"")
        case .proactive: writer.literal(",\"backendService\":\"prmsg\"")
        case .c2m: writer.literal(",\"backendService\":\"c2m\"")
        }
    }
}
