internal import NIOCore
internal import TLS

/// The channel handler of one client connection: executes the actions of `ClientConnectionMachine` over one TLS session
/// and one nghttp2 session.
///
/// Confined to its channel's event loop. Everything goes through `run`, which is not re-entrant: events that arrive
/// while it runs (the socket can fail inside a flush) are queued and handled by its next round.
final class ClientConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The most requests pulled at once, so that the first of a burst is sent before the last is rendered.
    private static let pullLimit = 64
    /// The most ciphertext bytes passed to the socket at once.
    private static let writeSize = 65_536

    private let id: UInt64
    private weak var owner: (any ClientConnectionOwner)?
    private let framing: ClientFraming
    private let transport: SecureTransport
    private var machine: ClientConnectionMachine
    private var context: ChannelHandlerContext?

    private var actions: [ClientConnectionMachine.Action] = []
    private var responses: [HTTP2Response] = []
    private var requests: [HTTP2Request] = []
    private var noted: [ClientConnectionMachine.Event] = []
    private var reportedStreams = 0
    private var reportedHoldBack: HTTP2HoldBack?
    private var isRunning = false
    /// Whether the socket's writability changed since the round began.
    private var hasWritabilityChanged = false
    private var isClosing = false
    private var isEndReported = false
    private var needsFlush = false
    private var timer: Scheduled<Void>?
    private var timerID: UInt64 = 0
    private var timerDue = UInt64.max

    init(
        id: UInt64,
        owner: any ClientConnectionOwner,
        tls: TLSSession,
        framing: ClientFraming,
        limits: ClientConnectionMachine.Limits,
        now: UInt64
    ) {
        self.id = id
        self.owner = owner
        self.framing = framing
        transport = SecureTransport(tls: tls, framing: framing)
        machine = ClientConnectionMachine(limits: limits, now: now)
    }

    // MARK: - For the pool

    /// Notifies the connection that the source may have requests.
    func wake() {
        run()
    }

    /// The number of requests that were pulled and have no response yet.
    var openStreams: Int { machine.openStreams }

    /// Whether the connection could pull requests now.
    var hasRoom: Bool {
        guard let context else { return false }
        return machine.capacity(window: framing.freeWindow, isWritable: context.channel.isWritable) > 0
    }

    /// Ends the connection when its open streams have ended.
    func retire(_ reason: HTTP2DrainReason) {
        run(.retire(reason))
    }

    /// Ends the connection: open streams may finish until the deadline.
    func shutdown(deadline: UInt64) {
        run(.shutdown(deadline: deadline))
    }

    // MARK: - Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { start() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        run(.lost(.closedByPeer))
        timerID += 1
        timer?.cancel()
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        start()
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        do throws(HTTP2ConnectionFailure) {
            let progress = try transport.receive(unwrapInboundIn(data))
            if progress.becameSecure { noted.append(.secured) }
            if progress.peerClosed { noted.append(.lost(.closedByPeer)) }
        } catch {
            noted.append(.lost(error))
        }
        // Kept at once: other connections are dialled while this one is open, and it may end in any way.
        let resumptions = transport.tls.takeResumptions()
        if !resumptions.isEmpty { owner?.keep(resumptions) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        run(.read)
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        // Usually caused by our own flush: then the round that flushes continues.
        hasWritabilityChanged = true
        run()
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        run(.lost(.closedByPeer))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        run(.lost(.socket("\(error)")))
    }

    private func start() {
        do throws(HTTP2ConnectionFailure) { try transport.start() } catch { return run(.lost(error)) }
        run()
    }

    // MARK: - The round

    private func run(_ event: ClientConnectionMachine.Event? = nil) {
        if let event { noted.append(event) }
        guard !isRunning, let context else { return }
        isRunning = true
        defer { isRunning = false }
        repeat {
            hasWritabilityChanged = false
            let now = context.eventLoop.now.uptimeNanoseconds
            decide(now)
            deliver()
            // Effects of the responses first: the source may have replaced the connection.
            if !isClosing, noted.isEmpty { exchange(context, now) }
            decide(now)
            deliver()
            reportStreams()
            reportHeldBack()
            if needsFlush {
                needsFlush = false
                context.flush()
            }
        } while !noted.isEmpty || !framing.events.isEmpty || (hasWritabilityChanged && context.channel.isWritable)
        if !isClosing { armTimer(context) }
    }

    private func reportStreams() {
        let difference = machine.openStreams - reportedStreams
        guard difference != 0 else { return }
        reportedStreams = machine.openStreams
        owner?.openStreamsChanged(by: difference)
    }

    private func reportHeldBack() {
        let heldBack = machine.heldBack(window: framing.freeWindow)
        guard heldBack != reportedHoldBack else { return }
        reportedHoldBack = heldBack
        owner?.connectionHeldBack(id, heldBack)
    }

    /// Pulls requests and sends frames until there is no more room or nothing more to send.
    private func exchange(_ context: ChannelHandlerContext, _ now: UInt64) {
        do throws(HTTP2ConnectionFailure) {
            var goesOn = true
            while goesOn {
                goesOn = pull(context, now)
                while context.channel.isWritable {
                    let hasMore = try transport.encrypt(limit: Self.writeSize)
                    writeOutput(context)
                    guard hasMore else { break }
                }
                // The handshake's own bytes, and alerts.
                writeOutput(context)
                if framing.lastSentStreamID > 0 { decide(.sent(upTo: framing.lastSentStreamID), now) }
            }
            if framing.isFinished { decide(.finished, now) }
        } catch {
            writeOutput(context)
            noted.append(.lost(error))
        }
    }

    /// - Returns: Whether anything was pulled.
    private func pull(_ context: ChannelHandlerContext, _ now: UInt64) -> Bool {
        let room = machine.capacity(window: framing.freeWindow, isWritable: context.channel.isWritable)
        guard room > 0, let owner else { return false }
        let capacity = min(room, Self.pullLimit)
        requests.removeAll(keepingCapacity: true)
        owner.nextRequests(connection: id, capacity: capacity, into: &requests)
        guard !requests.isEmpty else { return false }
        for (index, request) in requests.enumerated() {
            guard index < capacity else {
                responses.append(HTTP2Response(id: request.id, result: .failure(.unprocessed(.queueFull))))
                continue
            }
            let timeout = UInt64(clamping: request.timeout.nanoseconds)
            let record = machine.admit(bodyBytes: request.body.count, timeout: timeout, now: now)
            if let stream = framing.submit(request, record: record) {
                machine.submitted(record: record, stream: stream)
            } else {
                decide(.notSent(record: record), now, unsent: request.id)
            }
        }
        requests.removeAll(keepingCapacity: true)
        return true
    }

    private func decide(_ now: UInt64) {
        // Frames first: they arrived before the end of the connection, which may be recorded in the same round.
        if !framing.events.isEmpty {
            let events = framing.events
            framing.events.removeAll(keepingCapacity: true)
            for event in events { decide(translated(event), now) }
        }
        if !noted.isEmpty {
            let events = noted
            noted.removeAll(keepingCapacity: true)
            for event in events { decide(event, now) }
        }
    }

    private func translated(_ event: ClientFraming.Event) -> ClientConnectionMachine.Event {
        switch event {
        case .settings(let limit): .settings(maxConcurrentStreams: limit)
        case .pingAcknowledged: .read
        case .goAway(let last, let code, let data):
            .goAway(
                lastStreamID: last,
                errorCode: HTTP2ErrorCode(rawValue: code),
                reason: GoAwayReason.text(data)
            )
        case .notSent(let record): .notSent(record: record)
        case .endedEarly(let record): .endedEarly(record: record, status: framing.status(record: record))
        case .closed(let record, let code, let isComplete):
            .closed(record: record, errorCode: code, status: isComplete ? framing.status(record: record) : nil)
        }
    }

    private func decide(_ event: ClientConnectionMachine.Event, _ now: UInt64, unsent: UInt64? = nil) {
        machine.handle(event, now: now, into: &actions)
        guard !actions.isEmpty else { return }
        for action in actions { execute(action, unsent) }
        actions.removeAll(keepingCapacity: true)
    }

    private func execute(_ action: ClientConnectionMachine.Action, _ unsent: UInt64?) {
        switch action {
        case .ready:
            let facts = HTTP2ConnectionFacts(
                tlsVersion: transport.tls.version,
                isResumed: transport.tls.isResumed,
                maxConcurrentStreams: framing.remoteMaxConcurrentStreams
            )
            owner?.connectionReady(id, facts: facts)
        case .complete(let record, let failure):
            if let unsent {
                responses.append(HTTP2Response(id: unsent, result: .failure(failure ?? .unprocessed(.malformed))))
            } else {
                complete(framing.finish(record: record), failure)
            }
        case .reset(let stream, let code):
            framing.submitReset(stream: stream, errorCode: code.rawValue)
        case .ping:
            framing.submitPing()
        case .limitCut(let isCut):
            owner?.connectionLimitCut(id, isCut)
        case .aged:
            owner?.connectionAged(id)
        case .draining(let reason):
            owner?.connectionDraining(id, reason: reason, worth: machine.worth)
        case .sendGoAway:
            sendGoAway()
        case .close(let failure):
            close(failure)
        }
    }

    private func complete(_ exchange: ClientExchange, _ failure: HTTP2RequestFailure?) {
        let result: HTTP2Response.Result =
            if let failure {
                .failure(failure)
            } else {
                .response(status: exchange.status, headers: exchange.headers, body: exchange.responseBody)
            }
        responses.append(HTTP2Response(id: exchange.requestID, result: result))
    }

    private func deliver() {
        guard !responses.isEmpty else { return }
        let batch = responses
        responses = []
        owner?.receive(batch)
        // Keeps the storage unless the source kept it.
        if responses.isEmpty {
            responses = batch
            responses.removeAll(keepingCapacity: true)
        }
    }

    private func sendGoAway() {
        framing.terminate(errorCode: HTTP2ErrorCode.noError.rawValue)
        guard let context else { return }
        do throws(HTTP2ConnectionFailure) {
            while try transport.encrypt(limit: Self.writeSize) { writeOutput(context) }
        } catch {
            noted.append(.lost(error))
        }
        transport.close()
        writeOutput(context)
    }

    private func close(_ failure: HTTP2ConnectionFailure?) {
        isClosing = true
        timerID += 1
        timer?.cancel()
        if let context {
            // GOAWAY or an alert with the reason, if there is one, then the end of TLS.
            if failure != nil { _ = try? transport.encrypt(limit: .max) }
            transport.close()
            writeOutput(context)
            if needsFlush {
                needsFlush = false
                context.flush()
            }
            context.close(promise: nil)
        }
        // Responses before the end, so that a source receives them in order.
        deliver()
        guard !isEndReported else { return }
        isEndReported = true
        owner?.connectionEnded(id, failure: failure, worth: machine.worth)
    }

    private func writeOutput(_ context: ChannelHandlerContext) {
        guard let buffer = transport.takeOutput(allocator: context.channel.allocator) else { return }
        context.write(wrapOutboundOut(buffer), promise: nil)
        needsFlush = true
    }

    // MARK: - The timer

    /// One timer for the whole connection.
    ///
    /// It is moved only when something is due earlier. Otherwise it fires early and is set again, which is much rarer
    /// than requests.
    private func armTimer(_ context: ChannelHandlerContext) {
        let due = machine.nextDue
        guard due < timerDue else { return }
        timer?.cancel()
        timerID += 1
        timerDue = due
        // A cancelled task can still fire: its number shows that it is outdated.
        let expected = timerID
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: .uptimeNanoseconds(due)) {
            guard self.timerID == expected else { return }
            self.timerDue = .max
            self.run(.tick)
        }
    }
}
