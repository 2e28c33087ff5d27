internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import PushPayloads

/// Unread counts, messages, reads, taps and receipts (`http-api.md` section 6).
enum MessageRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/brands/:brand/unread") { try await unread($0) }
        routes.on(.get, "/v1/brands/:brand/messages") { try await messages($0) }
        routes.on(.post, "/v1/brands/:brand/conversations/:conversation/read") { try await read($0) }
        routes.on(.post, "/v1/brands/:brand/messages/:messageId/tap") { try await tap($0) }
        routes.on(.post, "/v1/brands/:brand/receipts") { try await receipts($0) }
    }

    // MARK: Unread and messages

    private static func unread(_ call: Call) async throws -> Response {
        let access = try await call.requireConsumer()
        let now = call.services.clock.now
        let counts = try await call.read { store throws(StorageError) in
            try await store.unread(brand: access.brand.id, consumer: access.consumer)
        }
        var writer = JSONWriter(capacity: 128 + counts.conversations.count * 96)
        writer.literal(#"{"unread":"#)
        writer.integer(counts.total)
        writer.literal(#","conversations":["#)
        for (index, conversation) in counts.conversations.enumerated() {
            if index > 0 { writer.literal(",") }
            writer.conversation(conversation)
        }
        writer.literal(#"],"asOf":"#)
        writer.timestamp(now)
        writer.literal("}")
        return Answer.json(.ok, writer)
    }

    /// Messages in order; downloading alone resets nothing (R88).
    private static func messages(_ call: Call) async throws -> Response {
        let access = try await call.requireConsumer()
        let query = try call.query()
        let conversation = try query.identifier("conversation", as: ConversationID.self)
        var afterSequence = try query.integer("afterSequence", in: 0...Int64.max) ?? 0
        let page = try call.page()
        // The cursor is the sequence of the last item within one conversation, and its id across all of them.
        var after: MessageID?
        if let cursor = page.after {
            if conversation == nil {
                guard let id = MessageID(cursor) else { throw PageRequest.badCursor }
                after = id
            } else {
                guard let sequence = Int64(cursor), sequence >= 0 else { throw PageRequest.badCursor }
                afterSequence = max(afterSequence, sequence)
            }
        }
        let (start, cursor) = (afterSequence, after)
        let found = try await call.read { store throws(StorageError) in
            try await store.messages(
                brand: access.brand.id,
                consumer: access.consumer,
                conversation: conversation,
                afterSequence: start,
                after: cursor,
                limit: page.limit + 1
            )
        }
        guard let found else { throw Problem.notFound("conversation") }
        let items = found.prefix(page.limit)
        let last = found.count > page.limit ? items.last : nil
        let next = last.map { page.cursor(after: conversation == nil ? $0.id.description : String($0.sequence)) }
        return Answer.page(items, next: next) { $0.message($1) }
    }

    // MARK: Reads

    private static func read(_ call: Call) async throws -> Response {
        let access = try await call.requireConsumer()
        let conversation = try call.identifier("conversation", as: ConversationID.self)
        let body = try await call.object()
        var checks = FieldChecks()
        let upTo = checks.integer(body["upToSequence"], in: 0...Int64.max, isRequired: true)
        let request = ReadRequest(
            brand: access.brand.id,
            consumer: access.consumer,
            conversation: conversation,
            target: .sequence(try checks.finish(upTo)),
            device: access.boundDevice
        )
        guard case .read(let change) = try await call.perform(.read(request)) else {
            throw Problem.notFound("conversation")
        }
        var writer = JSONWriter(capacity: 32)
        writer.literal(#"{"unread":"#)
        writer.integer(change.unread)
        writer.literal("}")
        return Answer.json(.ok, writer)
    }

    // MARK: Taps and receipts

    private static func tap(_ call: Call) async throws -> Response {
        let access = try await call.requireConsumer()
        // What is no id of ours cannot be known.
        guard let message = MessageID(try call.segment("messageId")) else { throw Problem.notFound("message") }
        let body = try await call.object()
        let now = call.services.clock.now
        var checks = FieldChecks()
        let named = checks.identifier(body["deviceId"], as: DeviceID.self, isRequired: true)
        let tappedAt = checks.moment(body["tappedAt"]) ?? now
        let action = checks.line(body["action"], atMost: 256)
        let device = try checks.finish(named)
        try access.require(device: device)
        let request = TapRequest(
            brand: access.brand.id,
            consumer: access.consumer,
            message: message,
            device: device,
            // A device's clock may be ahead; a tap of the future would sort before what follows it.
            tappedAt: min(tappedAt, now),
            action: action
        )
        switch try await call.perform(.tap(request)) {
        case .tapped(let answer): return Answer.json(.ok, tapped(answer))
        case .gone: throw Problem(.gone, "The message is past its look-back.")
        default: throw Problem.notFound("message")
        }
    }

    private static func tapped(_ answer: TapAnswer) -> JSONWriter {
        var writer = JSONWriter(capacity: 512)
        writer.literal(#"{"kind":"#)
        writer.string(answer.message.kind.rawValue)
        writer.literal(#","conversation":"#)
        writer.string(answer.message.conversation.rawValue)
        writer.literal(#","sequence":"#)
        writer.integer(answer.message.sequence)
        if answer.message.kind != .agent {
            writer.literal(#","message":"#)
            writer.message(answer.message)
        }
        writer.literal(#","tappedAt":"#)
        writer.timestamp(answer.tappedAt)
        writer.literal("}")
        return writer
    }

    /// How many receipts one call may carry.
    private static let maxReceipts = 500

    private static func receipts(_ call: Call) async throws -> Response {
        let access = try await call.requireConsumer()
        let body = try await call.object()
        let now = call.services.clock.now
        var checks = FieldChecks()
        var receipts: [DeviceReceipt] = []
        for item in checks.items(body["receipts"], atMost: maxReceipts, isRequired: true) ?? [] {
            guard let members = checks.object(item, isRequired: true) else { continue }
            let name = checks.text(members["messageId"], isRequired: true)
            let message = name.flatMap { MessageID($0) }
            if name != nil, message == nil { checks.fail(members["messageId"].pointer, "must be a UUID") }
            let device = checks.identifier(members["deviceId"], as: DeviceID.self, isRequired: true)
            let state = checks.word(members["state"], as: DeviceReceipt.State.self, isRequired: true)
            let at = checks.moment(members["at"], isRequired: true)
            guard let message, let device, let state, let at else { continue }
            try access.require(device: device)
            receipts.append(DeviceReceipt(message: message, device: device, state: state, at: min(at, now)))
        }
        try checks.finish()
        var recorded = 0
        if !receipts.isEmpty,
            case .receipts(let count) = try await call.perform(
                .receipts(brand: access.brand.id, consumer: access.consumer, receipts)
            )
        {
            recorded = count
        }
        var writer = JSONWriter(capacity: 32)
        writer.literal(#"{"recorded":"#)
        writer.integer(Int64(recorded))
        writer.literal("}")
        return Answer.json(.accepted, writer)
    }
}
