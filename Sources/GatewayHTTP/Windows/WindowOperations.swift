internal import CoreMetrics
internal import Delivery
internal import GatewayModel
internal import GatewayStorage
internal import Identity
internal import Messaging
internal import Outbound
internal import Telemetry
internal import TextFormats

/// The operations that windows request from the gateway; usable from any task.
struct WindowOperations: Sendable {
    let shared: Call.Shared
    let limiter: RateLimiter

    private var services: GatewayServices { shared.services }

    /// Whether there is no other brand to leave room for.
    var hasOneBrand: Bool { services.directory.hasOneBrand }

    /// Counts a rejected window.
    func refused(_ label: RejectionLabel) { services.metrics.refused[label].increment() }

    // MARK: Sessions

    /// Finds the session of the token with which a window is opened, and returns the close for an expired token too.
    func open(
        _ request: WindowRequest,
        from address: ClientAddress
    ) async throws(WindowClose) -> (session: StoredSession, expiry: WindowClose) {
        if let fault = request.fault { throw fault }
        guard let token = request.token else {
            try limit(address)
            throw .tokenMissing
        }
        let session: StoredSession
        do throws(WindowClose) {
            session = try await self.session(of: token, brand: request.brand, from: address)
        } catch {
            guard request.isLivePerson, error == .tokenExpired,
                let expired = try? await services.sessions.stored(token: token)
            else { throw error }
            throw await expiry(of: expired)
        }
        if request.isLivePerson, services.directory.brand(session.brand)?.settings.wire.liveperson != true {
            throw .forbidden
        }
        do throws(Problem) { _ = try limiter.take(.session, session.tokenHash) } catch { throw Self.rateLimited }
        // A session that is bound to a device opens no window of another; an unbound session cannot choose a device.
        if let bound = session.device, let named = request.device, bound != named { throw .forbidden }
        return (session, request.isLivePerson ? await expiry(of: session) : .tokenExpired)
    }

    /// Returns LivePerson's close for the expired token of a session: an anonymous consumer cannot log in again (R65).
    private func expiry(of session: StoredSession) async -> WindowClose {
        let consumer = try? await services.store.consumer(brand: session.brand, id: session.consumer)
        return consumer?.anonymous ?? false ? .anonymousExpired : .tokenExpired
    }

    /// Finds the session of a token; the window's brand is nil when the path has no valid brand id.
    func session(
        of token: String,
        brand: BrandID?,
        from address: ClientAddress
    ) async throws(WindowClose) -> StoredSession {
        // As for every request: a session that is not in memory is looked up in the store, which strangers could
        // overload.
        if !services.sessions.isCached(token), case .remote(let name) = address {
            do throws(Problem) { try limiter.check(.address, name.network) } catch { throw Self.rateLimited }
        }
        do throws(SessionError) {
            let session = try await services.sessions.authenticate(token: token, brand: brand)
            guard session.brand == brand else { throw SessionError.refused(.tokenInvalid(.revoked)) }
            services.noteDevice(of: session)
            return session
        } catch {
            guard case .refused(let error) = error else { throw .unavailable }
            try limit(address)
            throw WindowClose(error)
        }
    }

    /// Checks whether a session is still live.
    func recheck(_ session: StoredSession, _ close: WindowClose) async -> WindowResult {
        do throws(SessionError) {
            let found = try await services.sessions.session(tokenHash: session.tokenHash, brand: session.brand)
            // Its consumer may have been merged into another one; then the client must log in again.
            guard found.consumer == session.consumer else { return .refused(.loggedOut) }
            return .done
        } catch {
            switch error {
            case .refused(.tokenExpired): return .refused(.tokenExpired)
            case .refused: return .refused(close)
            case .unknownBrand, .storage: return .refused(.unavailable)
            }
        }
    }

    private func limit(_ address: ClientAddress) throws(WindowClose) {
        guard case .remote(let name) = address else { return }
        do throws(Problem) { _ = try limiter.take(.address, name.network) } catch { throw Self.rateLimited }
    }

    private static let rateLimited = WindowClose(1013, "overloaded: rate_limited", .overloaded)

    // MARK: Messages

    /// Reads the content of `ready`.
    func ready(_ name: ConsumerName) async -> WindowResult {
        // Data of a transaction that did not notify this window yet must be included.
        await services.delivery.settle()
        return await read { store throws(StorageError) in
            .ready(JSONWriter.fitting(try await store.unread(brand: name.brand, consumer: name.consumer)))
        }
    }

    /// Reads messages of a conversation.
    func page(_ name: ConsumerName, _ conversation: ConversationID, after sequence: Int64) async -> WindowResult {
        await read { store throws(StorageError) in
            .page(
                try await store.messages(
                    brand: name.brand,
                    consumer: name.consumer,
                    conversation: conversation,
                    afterSequence: sequence,
                    after: nil,
                    limit: WindowLimits.pageSize
                )
            )
        }
    }

    /// Moves a read mark: the same change as for `POST …/read`.
    func ack(
        _ name: ConsumerName,
        _ device: DeviceID?,
        _ conversation: ConversationID,
        upTo sequence: Int64
    ) async -> WindowResult {
        let request = ReadRequest(
            brand: name.brand,
            consumer: name.consumer,
            conversation: conversation,
            target: .sequence(sequence),
            device: device
        )
        return await perform(.read(request)) { result in
            if case .read = result { return .done }
            return .failed(.notFound, "There is no such conversation.")
        }
    }

    /// Stores a message of the consumer: the same change as for `POST …/messages`.
    func send(
        _ name: ConsumerName,
        _ message: ClientMessage,
        from window: WindowID,
        session: [UInt8]?
    ) async -> WindowResult {
        // A stored message counts for the rate limit in a window as in a request.
        do throws(Problem) { if let session { _ = try limiter.take(.session, session) } } catch {
            return .failed(.rateLimited, error.detail)
        }
        guard let brand = services.directory.brand(name.brand) else {
            return .failed(.notFound, "There is no such conversation.")
        }
        var written = ConsumerMessage(
            brand: name.brand,
            consumer: name.consumer,
            conversation: message.conversation,
            clientID: message.clientID,
            text: message.text,
            data: message.data,
            dedupeHours: brand.settings.dedupeHours
        )
        written.window = window
        return await perform(.write(written)) { result in
            switch result {
            case .written(let written): .sent(messageID: written.messageID, sequence: written.sequence)
            case .conflict: .failed(.conflict, "Another message was sent with this `clientId`.")
            case .gone: .failed(.gone, "The message that was sent with this `clientId` has been removed.")
            default: .failed(.notFound, "There is no such conversation.")
            }
        }
    }

    /// Reports that the consumer is typing: to its other windows and to back-ends that wait for it at this moment.
    func type(_ name: ConsumerName, _ conversation: ConversationID, from window: WindowID) async -> WindowResult {
        let hub = services.windows.hub
        guard hub.admitsTyping(name, conversation, byConsumer: true) else { return .done }
        let found = await read { store throws(StorageError) in
            .page(
                try await store.messages(
                    brand: name.brand,
                    consumer: name.consumer,
                    conversation: conversation,
                    afterSequence: Int64.max - 1,
                    after: nil,
                    limit: 1
                )
            )
        }
        guard case .page(let messages) = found else { return found }
        guard messages != nil else { return .failed(.notFound, "There is no such conversation.") }
        hub.types(name, conversation, in: window)
        services.outbound.notifier.pass(
            .typing(consumer: name.consumer, conversation: conversation, at: services.clock.now),
            to: name.brand
        )
        return .done
    }

    private func read(
        _ body: (any ConsumerStore) async throws(StorageError) -> WindowResult
    ) async -> WindowResult {
        do { return try await body(services.store) } catch {
            return .failed(.overloaded, "The store does not respond.")
        }
    }

    private func perform(
        _ change: StoreChange,
        _ response: (StoreChangeResult) -> WindowResult
    ) async -> WindowResult {
        do { return response(try await services.delivery.perform(change)) } catch {
            return .failed(.overloaded, Problem(error).detail)
        }
    }
}
