internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// Unread counts, messages and reads (DevicesBadgesTaps page).
enum MessageRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.get, "/v1/brands/:brand/unread", pages: .brand) { try await unread($0) }
        routes.on(.get, "/v1/brands/:brand/messages", pages: .brand) { try await messages($0) }
        routes.on(.post, "/v1/brands/:brand/conversations/:conversation/read", pages: .brand) { try await read($0) }
        routes.on(.get, "/v1/brands/:brand/proactive", pages: .brand) { try await proactive($0) }
    }

    // MARK: Unread and messages

    private static func unread(_ call: Call) async throws -> Response {
        let access = try await call.requireConsumer(.consumersRead)
        let now = call.services.clock.now
        let counts = try await call.read { store throws(StorageError) in
            try await store.unread(brand: access.brand.id, consumer: access.consumer)
        }
        return ResponseFactory.object(.ok, capacity: 128 + counts.conversations.count * 96) { writer in
            writer.member("unread", counts.total)
            writer.array("conversations", counts.conversations) { $0.conversation($1) }
            writer.member("asOf", now)
        }
    }

    /// Returns messages in order; downloading does not mark them as read (R88).
    private static func messages(_ call: Call) async throws -> Response {
        let access = try await call.requireConsumer(.consumersRead)
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
        return ResponseFactory.page(items, next: next) { $0.message($1) }
    }

    /// Proactive messages that are pending, newest first (R115).
    private static func proactive(_ call: Call) async throws -> Response {
        let access = try await call.requireConsumer(.consumersRead)
        let page = try call.page()
        let before = try page.after.map { cursor throws(Problem) in
            guard let id = MessageID(cursor) else { throw PageRequest.badCursor }
            return id
        }
        let now = call.services.clock.now
        let found = try await call.read { store throws(StorageError) in
            try await store.pendingProactive(
                brand: access.brand.id,
                consumer: access.consumer,
                before: before,
                now: now,
                limit: page.limit + 1
            )
        }
        let items = found.prefix(page.limit)
        let last = found.count > page.limit ? items.last : nil
        return ResponseFactory.page(items, next: last.map { page.cursor(after: $0.id.description) }) { $0.message($1) }
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
        return ResponseFactory.object(.ok, capacity: 32) { $0.member("unread", change.unread) }
    }
}
