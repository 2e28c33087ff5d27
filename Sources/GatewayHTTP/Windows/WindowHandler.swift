internal import CoreMetrics
internal import GatewayModel
internal import GatewayStorage
internal import GuardedHTTP
internal import Messaging
internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket
internal import Telemetry
internal import TextFormats

/// The channel handler of one window: passes events to its state machine and performs the resulting actions.
///
/// Confined to the connection's event loop. It has no task of its own: each asynchronous operation runs as one task.
final class WindowHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// The objects that all windows of a server share.
    final class Shell: Sendable {
        let services: WindowServices
        let operations: WindowOperations
        let addresses: AddressShares
        let slots: SharedSlots
        let now: @Sendable () -> WindowMoment

        init(
            services: WindowServices,
            operations: WindowOperations,
            addresses: AddressShares,
            perAddress: Int,
            now: @escaping @Sendable () -> WindowMoment
        ) {
            self.services = services
            self.operations = operations
            self.addresses = addresses
            slots = SharedSlots(limit: services.limits.maxOpen, perAddress: perAddress)
            self.now = now
        }

        /// Adds the handlers of a window to a channel, whose request had this head; returns the last of them.
        func addHandlers(
            for request: WindowRequest,
            _ head: HTTPRequestHead,
            rejection: WindowClose? = nil,
            to channel: any Channel,
            _ position: ChannelPipeline.SynchronousOperations.Position = .last
        ) throws -> WindowHandler {
            let peer = InternetAddress(channel.remoteAddress)
            let address = ClientAddress(
                peer: peer,
                forwarded: ClientAddress.hops(head.headers["x-forwarded-for"], head.headers["forwarded"]),
                isProxied: head.headers.contains { ClientAddress.isProxyField($0.name.lowercased()) },
                proxies: operations.limiter.trustedProxies
            )
            let window = WindowHandler(
                shell: self,
                request: request,
                address: address,
                share: addresses.share(of: address, peer: peer),
                rejection: rejection
            )
            let encoder = WebSocketFrameEncoder()
            let decoder = ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: WindowLimits.maxMessageBytes))
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(encoder, position: position)
            try pipeline.addHandler(decoder, position: .after(encoder))
            try pipeline.addHandler(window, position: .after(decoder))
            return window
        }
    }

    private let shell: Shell
    private let address: ClientAddress
    private let share: AddressShare?
    private var machine: WindowMachine
    private var context: ChannelHandlerContext?
    /// The request, until it is decided.
    private var request: WindowRequest?
    /// Whether the request is LivePerson's.
    private let isLivePerson: Bool
    /// The close for an expired token.
    private var expiry = WindowClose.tokenExpired
    private var session: StoredSession?
    private var ticket: WindowTicket?
    /// The window's slot, until the connection ends.
    private var slot: SharedSlots.Slot?
    /// The reason for which the window ended.
    private var label: WindowCloseLabel?
    private var loop: (any EventLoop)?
    /// The reason for which the window is rejected from the start.
    private let rejection: WindowClose?
    private var fragments: ByteBuffer?
    private var isReadPending = false
    private var timer: Scheduled<Void>?
    private var timerAt: UInt64 = 0

    init(shell: Shell, request: WindowRequest, address: ClientAddress, share: AddressShare?, rejection: WindowClose?) {
        self.shell = shell
        self.request = request
        isLivePerson = request.isLivePerson
        self.address = address
        self.share = share
        self.rejection = rejection
        machine = WindowMachine(limits: shell.services.limits)
    }

    /// Whether the window has a slot.
    var hasSlot: Bool { slot != nil }

    // MARK: The connection

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop = context.eventLoop
        if rejection == nil {
            do throws(SlotRejection) { slot = try shell.slots.take(share) } catch {
                if case .address = error { shell.operations.refused(.addressWindows) }
            }
        }
        let now = shell.now()
        if hasSlot {
            shell.services.metrics.open.increment()
            perform(machine.opened(now: now))
        } else {
            shell.services.metrics.closed[.overloaded].increment()
            perform(machine.fail(rejection ?? .overloaded, now: now))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func end() {
        context = nil
        perform(machine.lost())
        timer?.cancel()
        timer = nil
        fragments = nil
        guard let slot else { return }
        self.slot = nil
        slot.release()
        shell.services.metrics.open.decrement()
        shell.services.metrics.closed[label ?? .gone].increment()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? NIOWebSocketError else {
            // Bytes after a message that could not be read come as errors of the decoder.
            if error is IOError || error is ChannelError { context.close(promise: nil) }
            return
        }
        if case .invalidFrameLength = error { fail(.tooBig) } else { fail(.protocolError) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: fail(.goingAway)
        case ChannelEvent.inputClosed: context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func read(context: ChannelHandlerContext) {
        if machine.wantsReading { context.read() } else { isReadPending = true }
    }

    // MARK: Frames of the client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        // After the window has ended, or was rejected, only the response to the close frame counts.
        guard machine.isAlive || frame.opcode == .connectionClose else { return }
        // Clients mask (RFC 6455 section 5.1), and no extension was negotiated (section 5.2).
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else { return fail(.protocolError) }
        switch frame.opcode {
        case .text, .binary:
            guard fragments == nil else { return fail(.protocolError) }
            guard frame.opcode == .text else { return fail(.unreadable("binary")) }
            if frame.fin { message(frame.unmaskedData) } else { keep(frame) }
        case .continuation:
            guard fragments != nil else { return fail(.protocolError) }
            keep(frame)
        case .ping:
            perform(machine.receivedControl(now: shell.now()))
            // Not for a ping beyond the allowed number.
            if machine.isAlive { write([WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)]) }
        case .pong: perform(machine.receivedControl(now: shell.now()))
        case .connectionClose: closed(frame.unmaskedData)
        default: fail(.protocolError)
        }
    }

    /// Assembles a message.
    private func keep(_ frame: WebSocketFrame) {
        var part = frame.unmaskedData
        var whole = fragments ?? ByteBuffer()
        // The only reference to its bytes, which are not copied then.
        fragments = nil
        guard whole.readableBytes + part.readableBytes <= WindowLimits.maxMessageBytes else { return fail(.tooBig) }
        whole.writeBuffer(&part)
        if frame.fin {
            message(whole)
        } else {
            fragments = whole
            perform(machine.receivedControl(now: shell.now()))
        }
    }

    private func message(_ text: ByteBuffer) {
        shell.services.metrics.frames[.received].increment()
        do {
            let frame = try WindowFrameReader.read(Array(text.readableBytesView), isLivePerson: isLivePerson)
            perform(machine.received(frame, now: shell.now()))
        } catch { fail(error) }
    }

    private func closed(_ reason: ByteBuffer) {
        var reason = reason
        let code = reason.readInteger(as: UInt16.self)
        let text = reason.readableBytesView
        // RFC 6455 sections 5.5.1, 7.4.
        let isValid = code.map { (1000...1014).contains($0) && ![1004, 1005, 1006].contains($0) || $0 / 1000 > 2 }
        guard isValid ?? text.isEmpty, code ?? 0 < 5000, String(validating: text, as: UTF8.self) != nil else {
            return fail(.protocolError)
        }
        perform(machine.receivedClose(code: code))
    }

    private func fail(_ close: WindowClose) { perform(machine.fail(close, now: shell.now())) }

    /// Handles events from other threads.
    func take(_ post: WindowMailbox.Post) {
        let now = shell.now()
        if post.isLost { perform(machine.fail(.slow, now: now)) }
        if !post.windowEvents.isEmpty { perform(machine.receive(post.windowEvents, now: now)) }
        if let close = post.recheck { perform(machine.recheck(close, now: now)) }
    }

    // MARK: Actions of the state machine

    private func perform(_ actions: [WindowAction]) {
        var output: [WebSocketFrame] = []
        var frames = 0
        var isLast = false
        for action in actions {
            switch action {
            case .send(let frame):
                frames += 1
                output.append(
                    WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: JSONWriter(frame).bytes))
                )
            case .ping: output.append(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()))
            case .run(let operation): run(operation)
            case .close(var close):
                if close == .tokenExpired { close = expiry }
                ended(close.label)
                output.append(Self.closeFrame(close.code, close.text))
            case .echoClose(let code):
                ended(.client)
                output.append(Self.closeFrame(code, ""))
                isLast = true
            case .cut(let label):
                ended(label)
                isLast = true
            case .leave:
                if let ticket { shell.services.hub.close(ticket) }
                ticket = nil
            }
        }
        write(output, frames: frames)
        if isLast { context?.close(promise: nil) }
        arm()
        if isReadPending, machine.wantsReading, let context {
            isReadPending = false
            context.read()
        }
    }

    private static func closeFrame(_ code: UInt16?, _ text: String) -> WebSocketFrame {
        var reason = ByteBuffer()
        if let code { reason.writeInteger(code) }
        reason.writeString(text)
        return WebSocketFrame(fin: true, opcode: .connectionClose, data: reason)
    }

    /// Sends frames, and notifies the state machine when the socket has taken them.
    private func write(_ output: [WebSocketFrame], frames: Int = 0) {
        guard let context, let last = output.last else { return }
        var taken: EventLoopPromise<Void>?
        if frames > 0 {
            shell.services.metrics.frames[.sent].increment(by: frames)
            let promise = context.eventLoop.makePromise(of: Void.self)
            promise.futureResult.assumeIsolated().whenSuccess { [self] in
                perform(machine.flushed(frames, now: shell.now()))
            }
            taken = promise
        }
        for frame in output.dropLast() { context.write(Self.wrapOutboundOut(frame), promise: nil) }
        context.writeAndFlush(Self.wrapOutboundOut(last), promise: taken)
    }

    private func arm() {
        guard let context, let deadline = machine.nextDeadline(now: shell.now()) else {
            timer?.cancel()
            timer = nil
            return
        }
        if timer != nil {
            // A timer that fires too early checks again; only one that fires too late is replaced.
            guard deadline < timerAt else { return }
            timer?.cancel()
        }
        timerAt = deadline
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: .uptimeNanoseconds(deadline)) { [self] in
            timer = nil
            perform(machine.timePassed(now: shell.now()))
        }
    }

    private func ended(_ label: WindowCloseLabel) {
        request = nil
        if self.label == nil { self.label = label }
    }

    // MARK: Operations

    private func run(_ operation: WindowOperation) {
        let operations = shell.operations
        switch operation {
        case .open:
            guard let request else { return finished(.refused(.unavailable)) }
            look { [address] () throws(WindowClose) in try await operations.open(request, from: address) }
        case .reauthenticate(let token):
            guard let session else { return finished(.refused(.unavailable)) }
            look { [address, expiry, brand = session.brand] () throws(WindowClose) in
                (try await operations.session(of: token, brand: brand, from: address), expiry)
            }
        case .recheck(let close):
            guard let session else { return finished(.done) }
            wait { await operations.recheck(session, close) }
        case .ready, .page, .ack, .send, .typing:
            guard let identity = machine.identity, let window = ticket?.id else {
                return finished(.refused(.unavailable))
            }
            let (name, device) = (identity.consumer, identity.device)
            switch operation {
            case .page(let conversation, let after): wait { await operations.page(name, conversation, after: after) }
            case .ack(let conversation, let upTo):
                wait { await operations.ack(name, device, conversation, upTo: upTo) }
            case .send(let message):
                wait { [hash = session?.tokenHash] in await operations.send(name, message, from: window, session: hash)
                }
            case .typing(let conversation):
                wait { await operations.type(name, conversation, from: window) }
            default: wait { await operations.ready(name) }
            }
        }
    }

    /// Runs an operation that returns a session, and the close for an expired token.
    private func look(
        _ work: @escaping @Sendable () async throws(WindowClose) -> (session: StoredSession, expiry: WindowClose)
    ) {
        guard let loop else { return }
        let future = loop.makeFutureWithTask {
            () -> Result<(session: StoredSession, expiry: WindowClose), WindowClose> in
            do throws(WindowClose) { return .success(try await work()) } catch { return .failure(error) }
        }
        future.assumeIsolated().whenSuccess { [self] in
            switch $0 {
            case .success(let found):
                expiry = found.expiry
                finished(identify(found.session))
            case .failure(let close): finished(.refused(close))
            }
        }
    }

    private func wait(_ work: @escaping @Sendable () async -> WindowResult) {
        // Also when the connection is closed: an acknowledgement that it sent counts.
        guard let loop else { return }
        loop.makeFutureWithTask(work).assumeIsolated().whenSuccess { [self] in finished($0) }
    }

    private func finished(_ result: WindowResult) { perform(machine.completed(result, now: shell.now())) }

    /// Sets the session: the first one opens the window at the hub.
    private func identify(_ found: StoredSession) -> WindowResult {
        guard let context, let slot, machine.isAlive else { return .refused(.unavailable) }
        let name = ConsumerName(brand: found.brand, consumer: found.consumer)
        let identity = WindowIdentity(consumer: name, device: found.device, expiresAt: found.expiresAt)
        if let ticket {
            // Only a session of the same consumer replaces the previous one; the state machine decides about others.
            if machine.identity?.consumer == name {
                session = found
                shell.services.hub.renew(ticket, session: found)
            }
            return .identified(identity)
        }
        do throws(SlotRejection) { try slot.claim(found.brand, isOnly: shell.operations.hasOneBrand) } catch {
            shell.operations.refused(.brandWindows)
            return .refused(.overloaded)
        }
        let mailbox = WindowMailbox(NIOLoopBound(self, eventLoop: context.eventLoop), loop: context.eventLoop)
        guard let ticket = shell.services.hub.open(mailbox, session: found, device: found.device) else {
            return .refused(.overloaded)
        }
        request = nil
        session = found
        self.ticket = ticket
        return .identified(identity)
    }
}
