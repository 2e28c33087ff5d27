internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// Conversations for consumers (MessagingWindow page).
enum ConversationRoutes {
    static func add(to routes: inout RouteTable) {
        let path = "/v1/brands/:brand/conversations"
        routes.on(.post, path, pages: .brand) { try await open($0) }
        routes.on(.post, path + "/:conversation/messages", pages: .brand) { try await write($0) }
        routes.on(.post, path + "/:conversation/resolve", pages: .brand) { try await resolve($0) }
    }

    private static func open(_ call: Call) async throws -> Response {
        let access = try await call.requireConsumer()
        let body = try await call.object()
        var checks = FieldChecks()
        let client = checks.clientID(body["clientId"])
        let claim = EngagementBody.Claim(body["engagement"], &checks)
        checks.rejectOthers(in: body, than: ["clientId", "engagement"])
        // Every repetition gets the active conversation, whatever its `clientId`.
        _ = try checks.finish(client)
        var request = ConversationToOpen(brand: access.brand.id, consumer: access.consumer)
        request.engagement = try claim.map { claim throws(Problem) in try engagement(claim, access, call) }
        switch try await call.perform(.openConversation(request)) {
        case .conversation(let conversation, let opened):
            return ResponseFactory.json(opened ? .created : .ok, capacity: 128) { $0.conversation(conversation) }
        case .conflict:
            throw Problem(
                .conflict,
                "The consumer has \(ConversationToOpen.perConsumer) conversations; resolved ones are deleted with their messages."
            )
        default: throw Problem.notFound("consumer")
        }
    }

    /// Returns the engagement of a claim: an offer that is no longer valid routes nothing (R120).
    private static func engagement(
        _ claim: EngagementBody.Claim,
        _ access: ConsumerAccess,
        _ call: Call
    ) throws(Problem) -> Engagement {
        let seal = call.services.engagements
        switch seal.verdict(on: claim, of: access.brand, from: access.consumer, at: call.services.clock.now) {
        case .good(let engagement): return engagement
        case .stale:
            throw Problem(.gone, "The offer of the engagement is no longer valid: request engagements again.")
        case .unknown: throw Problem(invalid: "/engagement/contextId", "does not belong to an offer of this engagement")
        }
    }

    private static func write(_ call: Call) async throws -> Response {
        let access = try await call.requireConsumer()
        let conversation = try call.identifier("conversation", as: ConversationID.self)
        let body = try await call.object()
        var checks = FieldChecks()
        let client = checks.clientID(body["clientId"])
        let text = checks.messageText(body["text"])
        let data = checks.messageData(of: body)
        checks.rejectOthers(in: body, than: ["clientId", "text", "data"])
        let (clientID, words) = try checks.finish(client, text)
        let message = ConsumerMessage(
            brand: access.brand.id,
            consumer: access.consumer,
            conversation: conversation,
            clientID: clientID,
            text: words,
            data: data,
            dedupeHours: access.brand.settings.dedupeHours
        )
        switch try await call.perform(.write(message)) {
        case .written(let written):
            return ResponseFactory.object(.created, capacity: 80) { writer in
                writer.member("messageId", orNull: written.messageID)
                writer.member("sequence", written.sequence)
            }
        case .conflict: throw Problem(.conflict, "Another message was sent with this `clientId`.")
        case .gone: throw Problem(.gone, "The message that was sent with this `clientId` has been removed.")
        default: throw Problem.notFound("conversation")
        }
    }

    private static func resolve(_ call: Call) async throws -> Response {
        let access = try await call.requireConsumer()
        let conversation = try call.identifier("conversation", as: ConversationID.self)
        let change = StoreChange.resolve(brand: access.brand.id, consumer: access.consumer, conversation: conversation)
        switch try await call.perform(change) {
        case .resolved: return ResponseFactory.noContent
        case .conflict: throw Problem(.conflict, "The conversation is not active.")
        default: throw Problem.notFound("conversation")
        }
    }
}
