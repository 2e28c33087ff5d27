internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// The route that returns the engagement offered at an app's entry points (R116-R119; MessagingWindow page).
///
/// Nothing is stored for the caller. A session or a JWE identity learns the consumer's active conversation, whether or
/// not there is an offer (R119, R196).
enum EngagementRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/brands/:brand/engagements", pages: .brand) { try await ask($0) }
    }

    private static func ask(_ call: Call) async throws -> Response {
        // Everybody may call it.
        try call.limitAddress()
        let brand = try call.brand()
        let caller = try await self.session(call, brand)
        let body = try await call.object()
        var checks = FieldChecks()
        let named = checks.identifier(body["app"], as: AppID.self, isRequired: true)
        let points = EngagementBody.entryPoints(&checks, body["entryPoints"])
        let visitor = checks.line(body["visitorId"], atMost: Engagement.memberBytes)
        let session = checks.line(body["sessionId"], atMost: Engagement.memberBytes)
        let identity = checks.text(body["identity"])
        checks.rejectOthers(in: body, than: ["app", "entryPoints", "identity", "visitorId", "sessionId"])
        let (stated, entryPoints) = try checks.finish(named, points)
        var consumer = caller?.consumer
        if consumer == nil, let identity { consumer = try await self.consumer(of: identity, brand, call) }
        let conversation = try await active(consumer, brand, call)

        var writer = JSONWriter(capacity: 512)
        writer.literal(#"{"pageId":"#)
        writer.string(AnonymousConsumer.newID())
        writer.member("sessionId", session ?? AnonymousConsumer.newID())
        writer.member("visitorId", visitor ?? AnonymousConsumer.newID())
        if let engagement = offered(in: stated, at: entryPoints, brand, call) {
            write(engagement, brand, consumer, conversation, call, to: &writer)
        }
        if let conversation { write(active: conversation, to: &writer) }
        writer.literal("}")
        return ResponseFactory.json(session == nil ? .created : .ok, writer)
    }

    /// Returns the first engagement that the brand offers at a place of an app.
    static func offered(in stated: AppID, at entryPoints: [String], _ brand: Brand, _ call: Call) -> Engagement? {
        let app = call.app(named: stated, of: brand.id).id
        let places = Set(entryPoints.map { Array($0.utf8) })
        // An engagement may name a development build whose app is the released one (R78).
        return brand.settings.engagements.first {
            $0.isOffered(in: stated, at: places) || $0.isOffered(in: app, at: places)
        }
    }

    /// Appends the active conversation.
    static func write(active conversation: ConversationID, to writer: inout JSONWriter) {
        writer.literal(#","conversation":{"id":"#)
        writer.string(conversation.rawValue)
        writer.literal(#","state":"active"}"#)
    }

    /// Returns the session of the caller, if it presents one; no other credential identifies a consumer.
    static func session(_ call: Call, _ brand: Brand) async throws(Problem) -> StoredSession? {
        guard let header = call.request.headers.value(.authorization),
            case .bearer? = AuthorizationHeader(header),
            case .session(let session) = try await call.caller(of: brand.id)
        else { return nil }
        return session
    }

    /// Returns the consumer of an identity; nil when it proves none.
    ///
    /// Only a JWE proves anything: a plain identity may be anybody's, so it is ignored (R196).
    static func consumer(
        of identity: String,
        _ brand: Brand,
        _ call: Call
    ) async throws(Problem) -> ConsumerID? {
        guard identity.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 4 else { return nil }
        let assertion: VerifiedAssertion
        do {
            assertion = try await call.services.assertions.verify(identity, keyName: nil, brand: brand.id)
        } catch { throw Problem(error) }
        // As for a login: the holder of a key can be at any address.
        _ = try call.limiter.take(.credential, assertion.credential)
        _ = try await call.signingSession(of: assertion)
        guard !assertion.anonymous else { return nil }
        // A merged consumer opens conversations as the one that it was merged into; a request alone does not create a
        // consumer.
        return try await call.consumer(assertion.consumer, of: brand.id)?.id ?? assertion.consumer
    }

    /// Returns the active conversation of a consumer; nil without a consumer.
    static func active(
        _ consumer: ConsumerID?,
        _ brand: Brand,
        _ call: Call
    ) async throws(Problem) -> ConversationID? {
        guard let consumer else { return nil }
        return try await call.read { store throws(StorageError) in
            try await store.activeConversation(brand: brand.id, consumer: consumer)
        }
    }

    private static func write(
        _ engagement: Engagement,
        _ brand: Brand,
        _ consumer: ConsumerID?,
        _ conversation: ConversationID?,
        _ call: Call,
        to writer: inout JSONWriter
    ) {
        writer.literal(#","engagementDetails":{"campaignId":"#)
        writer.string(engagement.campaignId)
        writer.member("engagementId", engagement.id)
        writer.literal(#","contextId":"#)
        writer.string(
            call.services.engagements.seal(engagement, of: brand.id, to: consumer, at: call.services.clock.now)
        )
        writer.member("skill", engagement.skill)
        writer.member("language", engagement.language)
        writer.member("surveyId", engagement.surveyId)
        if let conversation {
            writer.member("conversationId", conversation.rawValue)
        }
        writer.literal(conversation == nil ? #","status":"expose"}"# : #","status":"conversation"}"#)
    }
}
