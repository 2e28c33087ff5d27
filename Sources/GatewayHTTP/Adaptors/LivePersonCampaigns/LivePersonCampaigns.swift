internal import Delivery
internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// LivePerson's API of proactive campaigns (https://developers.liveperson.com, "Proactive messaging API";
/// ComingFromLivePerson page).
///
/// Each recipient becomes a `proactive.message`. A request with the same bytes is the same campaign, and its messages
/// are duplicates.
enum LivePersonCampaigns {
    /// The maximum of recipients of a request, as LivePerson has it.
    private static let maxRecipients = 1000
    /// The maximum length of names: LivePerson's 255 characters, in bytes.
    private static let maxNameBytes = 1020

    static func add(to routes: inout RouteTable) {
        let path = "/api/v2/account/:brand/campaign"
        routes.on(.post, path, errors: .campaign) { try await post($0) }
        routes.on(.get, path + "/:proactiveCampaign/conversations", errors: .campaign) { try await status($0) }
    }

    // MARK: Sending

    /// A recipient: the members that the response repeats, and its message.
    private struct Recipient {
        var content: StrictJSON
        var variables: StrictJSON?
        var message: Result<AgentEvent, RecipientRejection>
    }

    private static func post(_ call: Call) async throws -> Response {
        let brand = try await call.requireCampaigns(.eventsWrite)
        let body = try await call.object()
        var checks = FieldChecks()
        let name = checks.line(body["campaignName"], atMost: maxNameBytes, isRequired: true)
        let skill = checks.line(body["skill"], atMost: maxNameBytes, isRequired: true)
        let template = template(body["templateId"], brand, &checks)
        if checks.flag(body["consent"], isRequired: true) == false {
            checks.fail("/consent", "must be true: the recipients must have agreed to such messages")
        }
        let items = checks.items(body["consumers"], atMost: maxRecipients, isRequired: true)
        if items?.isEmpty ?? false { checks.fail("/consumers", "must have at least one item") }
        var contents: [(content: StrictJSON, variables: StrictJSON?)] = []
        for item in items ?? [] {
            guard let consumer = checks.object(item, isRequired: true) else { continue }
            _ = checks.object(consumer["consumerContent"], isRequired: true)
            _ = checks.object(consumer["variables"])
            contents.append((consumer["consumerContent"].value ?? .null, consumer["variables"].value))
        }
        let (_, wanted, text) = try checks.finish(name, skill, template)
        let campaign = CampaignReference.campaign(of: body.text, brand.id)
        var seen: Set<ConsumerID> = []
        let recipients = contents.map { content, variables in
            Recipient(
                content: content,
                variables: variables,
                message: Result { () throws(RecipientRejection) in
                    try event(content, variables, text, campaign, &seen)
                }
            )
        }
        var intake = EventIntake(call, brand: brand)
        let results = try await intake.take(recipients.compactMap { try? $0.message.get() })
        return response(recipients, results, campaign, skill: wanted, brand, call)
    }

    private static func template(
        _ member: BodyMember,
        _ brand: Brand,
        _ checks: inout FieldChecks
    ) -> CampaignTemplate? {
        guard let id = checks.text(member, isRequired: true) else { return nil }
        let text = CampaignTemplate.isID(id) ? brand.settings.campaignTemplates[id] : nil
        guard let template = text.flatMap({ CampaignTemplate($0) }) else {
            checks.fail(member.pointer, "is not one of the brand's campaignTemplates")
            return nil
        }
        return template
    }

    /// Returns a recipient's event; the brand, the campaign and the consumer identify it.
    private static func event(
        _ content: StrictJSON,
        _ variables: StrictJSON?,
        _ template: CampaignTemplate,
        _ campaign: String,
        _ seen: inout Set<ConsumerID>
    ) throws(RecipientRejection) -> AgentEvent {
        guard let named = content.members?["inapp"]?.text else { throw .noConsumer }
        guard let consumer = ConsumerID(named) else { throw .invalidConsumer }
        guard seen.insert(consumer).inserted else { throw .duplicate }
        var event = AgentEvent(id: EventID(trusted: campaign), type: .proactiveMessage, consumer: consumer)
        event.source = "liveperson-campaign"
        event.kind = .proactive
        event.campaign = campaign
        event.text = try template.text(variables?.members ?? [:], atMost: EventLimits.textBytes)
        return event
    }

    private static func response(
        _ recipients: [Recipient],
        _ results: [IntakeResult],
        _ campaign: String,
        skill: String,
        _ brand: Brand,
        _ call: Call
    ) -> Response {
        var accepted: [(id: MessageID?, content: StrictJSON)] = []
        var failed: [(recipient: Recipient, error: String)] = []
        var left = results[...]
        for recipient in recipients {
            if case .failure(let rejection) = recipient.message {
                failed.append((recipient, rejection.text))
                continue
            }
            switch left.popFirst() {
            case .decided(.accepted(let stored))?, .decided(.duplicate(let stored, _))?:
                accepted.append((stored.messageID, recipient.content))
            case let other:
                let problem = other.flatMap { EventsResponse.problem(of: $0) }
                failed.append((recipient, (problem?.code ?? .internal).rawValue))
            }
        }
        let reference = CampaignReference(campaign: campaign, messages: accepted.compactMap { $0.id })
        // The brand's own engagement with the skill, which routes the consumer's response.
        let engagement = brand.settings.engagements.first { $0.skill.hasSameBytes(as: skill) }
        return ResponseFactory.object(.ok, capacity: 256 + recipients.count * 128) { writer in
            writer.member("proactiveCampaignId", reference.text)
            writer.member("leCampaignId", orNull: engagement?.campaignId)
            writer.member("leEngagementId", orNull: engagement?.id)
            writer.member("requestTraceId", call.requestID)
            writer.array("acceptedConsumers", accepted) { writer, recipient in
                writer.literal("{")
                writer.member("id", orNull: recipient.id)
                writer.name(known: "consumerContent")
                writer.raw(recipient.content.sortedText)
                writer.literal("}")
            }
            writer.array("failedConsumers", failed) { writer, item in
                writer.literal("{")
                writer.name(known: "consumerContent")
                writer.raw(item.recipient.content.sortedText)
                if let variables = item.recipient.variables {
                    writer.name(known: "variables")
                    writer.raw(variables.sortedText)
                }
                writer.member("errorMessage", item.error)
                writer.literal("}")
            }
        }
    }

    // MARK: Status

    private static func status(_ call: Call) async throws -> Response {
        let brand = try await call.requireCampaigns(.deliveriesRead)
        guard let reference = CampaignReference(try call.segment("proactiveCampaign")) else {
            throw Problem.notFound("campaign")
        }
        let found = try await call.read { store throws(StorageError) in
            try await store.campaignMessages(
                brand: brand.id,
                campaign: CampaignID(trusted: reference.campaign),
                from: reference.first,
                through: reference.last
            )
        }
        guard let found else {
            throw Problem(.conflict, "The campaign is too long to be listed; the gateway's API has its statistics.")
        }
        guard !found.isEmpty else { throw Problem.notFound("campaign") }
        var messages: [(id: MessageID, status: RecipientStatus)] = []
        for id in found.prefix(maxRecipients) {
            var query = DeliveryQuery(brand: brand.id, limit: 100)
            query.message = id
            let wanted = query
            let deliveries = try await call.read { store throws(StorageError) in try await store.deliveries(wanted) }
            messages.append((id, RecipientStatus(deliveries.items)))
        }
        let isFinished = messages.allSatisfy { $0.status != .scheduled }
        return ResponseFactory.object(.ok, capacity: 64 + messages.count * 128) { writer in
            writer.member("campaignStatus", isFinished ? "FINISHED" : "PUBLISHED")
            writer.array("conversations", messages) { writer, message in
                writer.literal("{")
                writer.member("id", orNull: message.id)
                writer.member("status", message.status.word)
                // A proactive message opens none (R206).
                writer.member("conversationId", orNull: nil as String?)
                writer.member("errorMessage", orNull: message.status.error)
                writer.literal("}")
            }
        }
    }
}

extension Call {
    /// Allows service accounts with a scope, and back-ends with a token of an issuer that is marked `backend`; throws
    /// `Problem` 401, 403, 404.
    fileprivate func requireCampaigns(_ scope: Scope) async throws(Problem) -> Brand {
        let brand = try await backend(scope)
        guard brand.settings.wire.liveperson else { throw Problem.notFound("resource") }
        return brand
    }

    private func backend(_ scope: Scope) async throws(Problem) -> Brand {
        // Tokens of sessions have no dot; the administrator's may have one.
        guard let header = request.headers.value(.authorization),
            case .bearer(let token)? = AuthorizationHeader(header), token.utf8.contains(UInt8(ascii: ".")),
            !services.admin.matches(token)
        else { return try await requireBackend(scope) }
        // Each token costs a verification, which strangers could trigger.
        try checkAddress()
        let id = BrandID(try segment("brand")) ?? BrandID(trusted: "")
        let backend: ServiceAccountIdentity
        do throws(AuthenticationError) {
            backend = try await services.assertions.verifyBackend(token, brand: id)
        } catch {
            let problem = Problem(error)
            if problem.status == 401 { try limitAddress() }
            throw problem
        }
        context.notes.caller = .account(backend)
        context.notes.rate = try limiter.take(.account, backend.id)
        try count(for: backend.brand)
        guard backend.allows(scope) else { throw .forbidden }
        return try brand()
    }
}
