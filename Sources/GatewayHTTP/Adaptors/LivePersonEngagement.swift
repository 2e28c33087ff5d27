internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// The engagement call of LivePerson's monitoring API (R116-R119; ComingFromLivePerson page); the rules are those of
/// ``EngagementRoutes``.
enum LivePersonEngagement {
    /// The maximum of identities of a request.
    private static let maxIdentities = 8

    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/api/account/:brand/app/:app/engagement", errors: .liveperson) { try await ask($0) }
    }

    private static func ask(_ call: Call) async throws -> Response {
        // Everybody may call it.
        try call.limitAddress()
        let brand = try call.brand()
        guard brand.settings.wire.liveperson else { throw Problem.notFound("resource") }
        let stated = try call.appID()
        let session = try await EngagementRoutes.session(call, brand)
        let query = try call.query()
        var checks = FieldChecks()
        let visitorID = try line("vid", of: query, &checks)
        let sessionID = try line("sid", of: query, &checks)
        let body = try await call.object()
        let named = body["entryPoints"].isEmpty ? [] : EngagementBody.entryPoints(&checks, body["entryPoints"])
        var subjects: [String] = []
        for item in checks.items(body["identities"], atMost: maxIdentities) ?? [] {
            guard let identity = checks.object(item, isRequired: true) else { continue }
            if let subject = checks.text(identity["sub"]) { subjects.append(subject) }
        }
        let entryPoints = try checks.finish(named)
        var consumer = session?.consumer
        for subject in subjects where consumer == nil {
            consumer = try await EngagementRoutes.consumer(of: subject, brand, call)
        }
        let conversation = try await EngagementRoutes.active(consumer, brand, call)

        var writer = JSONWriter(capacity: 512)
        writer.literal("{")
        writer.member("sessionId", sessionID ?? AnonymousConsumer.newID())
        writer.member("visitorId", visitorID ?? AnonymousConsumer.newID())
        writer.member("pageId", AnonymousConsumer.newID())
        if let engagement = EngagementRoutes.offered(in: stated, at: entryPoints, brand, call) {
            writer.array("engagementDetails", [engagement]) { writer, engagement in
                write(engagement, brand, consumer, conversation, call, to: &writer)
            }
        }
        if let conversation { EngagementRoutes.write(active: conversation, to: &writer) }
        writer.literal("}")
        return ResponseFactory.json(sessionID == nil ? .created : .ok, writer)
    }

    private static func line(
        _ name: BoundedName,
        of query: QueryParameters,
        _ checks: inout FieldChecks
    ) throws(Problem) -> String? {
        guard let text = try query.text(name), !text.isEmpty else { return nil }
        return checks.line(
            BodyMember(at: .pointer(""), name, value: .string(text)),
            atMost: Engagement.memberBytes
        )
    }

    private static func write(
        _ engagement: Engagement,
        _ brand: Brand,
        _ consumer: ConsumerID?,
        _ conversation: ConversationID?,
        _ call: Call,
        to writer: inout JSONWriter
    ) {
        writer.literal("{")
        writer.member("campaignId", number: engagement.campaignId)
        writer.member("engagementId", number: engagement.id)
        writer.member("engagementRevision", 1)
        writer.member(
            "contextId",
            call.services.engagements.seal(engagement, of: brand.id, to: consumer, at: call.services.clock.now)
        )
        writer.member("conversationId", conversation?.rawValue)
        writer.member("skill", engagement.skill)
        writer.member("language", engagement.language)
        writer.member("status", conversation == nil ? "expose" : "conversation")
        writer.literal("}")
    }
}

extension JSONWriter {
    /// Appends an id as a number, as LivePerson's are, if its text is one.
    fileprivate mutating func member(_ name: StaticString, number id: String) {
        if let number = Int64(id), String(number).hasSameBytes(as: id), number >= 0 {
            member(name, number)
        } else {
            member(name, id)
        }
    }
}
