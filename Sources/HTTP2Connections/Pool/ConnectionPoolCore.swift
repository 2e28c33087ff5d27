internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Synchronization
internal import TLS

/// Executes the actions of `ConnectionPoolMachine`.
///
/// Confined to the pool's event loop.
final class ConnectionPoolCore {
    /// How many more open streams a connection may have than the least loaded one that has room.
    private static let unevenness = 64

    private let target: HTTP2Target
    private let tls: TLSClientContext
    private let configuration: HTTP2ConnectionConfiguration
    private let eventLoop: any EventLoop
    private let source: any HTTP2RequestSource
    private let makeResolver: (@Sendable (any EventLoop) -> any Resolver & Sendable)?
    private let proxy: HTTP2Proxy?
    private let budget: HTTP2ConnectionBudget?
    private let gauge: StreamGauge
    private let observer: (any HTTP2PoolObserver)?
    private let logger: Logger
    private var machine: ConnectionPoolMachine
    private var random: SplitMix
    private var connections: [UInt64: ClientConnectionHandler] = [:]
    /// Connections being dialled, and whether they were abandoned meanwhile.
    private var dials: [UInt64: Bool] = [:]
    /// The phases of the connections, for metrics.
    private var phases: [UInt64: HTTP2ConnectionPhase] = [:]
    private var drainReasons: [UInt64: String] = [:]
    private var resumptions = TLSResumptions()
    private var finish: [EventLoopPromise<Void>] = []
    private var isFinished = false
    private var timer: Scheduled<Void>?
    private var timerID: UInt64 = 0
    private var timerDue = UInt64.max
    private var load = LoopLoad()
    private var allowance: StreamAllowance
    /// The total number of requests pulled from the source.
    private var pulled: UInt64 = 0
    private var isSpreadScheduled = false
    /// The pool's number in the budget, from the first dial on, and the connections that hold a slot of it.
    private var member: UInt64?
    private var places: Set<UInt64> = []

    init(
        target: HTTP2Target,
        tls: TLSClientContext,
        configuration: HTTP2ConnectionConfiguration,
        eventLoop: any EventLoop,
        source: any HTTP2RequestSource,
        makeResolver: (@Sendable (any EventLoop) -> any Resolver & Sendable)?,
        proxy: HTTP2Proxy?,
        budget: HTTP2ConnectionBudget?,
        gauge: StreamGauge,
        observer: (any HTTP2PoolObserver)?,
        logger: Logger
    ) {
        self.target = target
        self.tls = tls
        self.configuration = configuration
        self.eventLoop = eventLoop
        self.source = source
        self.makeResolver = makeResolver
        self.proxy = proxy
        self.budget = budget
        self.gauge = gauge
        self.observer = observer
        self.logger = logger
        random = SplitMix(state: .random(in: .min ... .max))
        allowance = StreamAllowance(maximum: configuration.maximumStreams)
        machine = ConnectionPoolMachine(
            backoff: DialBackoff(
                base: UInt64(clamping: configuration.backoffBase.nanoseconds),
                cap: UInt64(clamping: configuration.backoffCap.nanoseconds),
                silentCap: UInt64(clamping: configuration.silentBackoffCap.nanoseconds)
            ),
            limits: ConnectionPoolMachine.Limits(
                connections: max(1, configuration.maximumConnections),
                growthDelay: UInt64(clamping: configuration.growthDelay.nanoseconds),
                shrinkDelay: UInt64(clamping: configuration.shrinkDelay.nanoseconds),
                growthPause: UInt64(clamping: configuration.growthPause.nanoseconds)
            ),
            seed: random.next()
        )
    }

    func wake() {
        decide(.wanted)
    }

    func replace(_ id: UInt64) {
        connections[id]?.retire(.blamed)
    }

    func shutdown(deadline: UInt64, promise: EventLoopPromise<Void>) {
        guard !isFinished else { return promise.succeed() }
        finish.append(promise)
        decide(.shutdown(deadline: deadline))
    }

    // MARK: - Decisions

    private func decide(_ event: ConnectionPoolMachine.Event) {
        var actions: [ConnectionPoolMachine.Action] = []
        let growthDue = machine.growthDue
        machine.handle(event, now: eventLoop.now.uptimeNanoseconds, into: &actions)
        if machine.growthDue != growthDue { load.start() }
        for action in actions {
            switch action {
            case .dial(let id): dial(id, isNeeded: true)
            case .dialFurther(let id): dial(id, isNeeded: false)
            case .wake(let id): connections[id]?.wake()
            case .retire(let id, let reason): connections[id]?.retire(reason)
            case .shutDown(let id, let deadline): shutDown(id, deadline)
            case .finished:
                isFinished = true
                if let member { budget?.leave(member) }
                for promise in finish { promise.succeed() }
                finish = []
            }
        }
        armTimer()
    }

    private func shutDown(_ id: UInt64, _ deadline: UInt64) {
        if let connection = connections[id] {
            connection.shutdown(deadline: deadline)
        } else if dials[id] != nil {
            // The socket is closed as soon as the dial returns; the pool does not wait for that.
            dials[id] = true
            ended(id, failure: nil, worth: .refused)
        }
    }

    // MARK: - Dialling

    /// Dials by name each time, so that new connections follow DNS.
    private func dial(_ id: UInt64, isNeeded: Bool) {
        observe(id, .connecting)
        source.connectionChanged(id, .connecting)
        guard takeSlot(id, isNeeded) else {
            reportEnd(id, failure: .limit)
            return decide(.denied(id: id))
        }
        let now = eventLoop.now
        dials[id] = false
        logger.debug("dialling", metadata: ["http2.host": "\(target.host)", "http2.port": "\(target.port)"])
        let this = NIOLoopBound(self, eventLoop: eventLoop)
        let connected = ClientBootstrap(group: eventLoop)
            .connectTimeout(configuration.setupTimeout)
            .resolver(makeResolver?(eventLoop))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Nothing is read until the handler is in the pipeline: with several addresses there are several attempts,
            // and only the winner gets it.
            .channelOption(.autoRead, value: false)
            .connect(host: proxy?.host ?? target.host, port: proxy?.port ?? target.port)
            .hop(to: eventLoop)
        // Half of the time, so that a slow proxy is not reported as a slow peer.
        let deadline = now + .nanoseconds(configuration.setupTimeout.nanoseconds / 2)
        let opened = proxy?.open(over: connected, to: target, deadline: deadline) ?? connected
        opened.whenComplete { result in
            this.value.dialled(id, result, since: now)
        }
    }

    private func dialled(_ id: UInt64, _ result: Result<any Channel, any Error>, since start: NIODeadline) {
        let isGivenUp = dials.removeValue(forKey: id) ?? true
        let channel: any Channel
        switch result {
        case .failure(let error):
            if isGivenUp { return releaseSlot(id) }
            let failure = Self.failure(of: error)
            return ended(id, failure: failure, worth: Self.worth(of: failure))
        case .success(let made):
            channel = made
        }
        guard !isGivenUp else {
            channel.close(promise: nil)
            return releaseSlot(id)
        }
        do throws(HTTP2ConnectionFailure) {
            let handler = try makeHandler(id, since: start.uptimeNanoseconds)
            connections[id] = handler
            try adopt(channel, handler)
        } catch {
            connections[id] = nil
            channel.close(promise: nil)
            ended(id, failure: error, worth: .refused)
        }
    }

    private func adopt(_ channel: any Channel, _ handler: ClientConnectionHandler) throws(HTTP2ConnectionFailure) {
        do {
            try channel.pipeline.syncOperations.addHandler(handler)
            try channel.syncOptions?.setOption(.autoRead, value: true)
        } catch {
            throw .socket("\(error)")
        }
        channel.read()
    }

    private func makeHandler(
        _ id: UInt64,
        since start: UInt64
    ) throws(HTTP2ConnectionFailure) -> ClientConnectionHandler {
        let session: TLSSession
        do {
            session = try TLSSession(client: tls, serverName: target.serverName, resuming: resumptions.next())
        } catch {
            throw .tls(error)
        }
        let framing = try ClientFraming(authority: target.authority, configuration: configuration)
        let age = UInt64(clamping: configuration.maximumAge.nanoseconds)
        let limits = ClientConnectionMachine.Limits(
            setupDeadline: start &+ UInt64(clamping: configuration.setupTimeout.nanoseconds),
            pingInterval: UInt64(clamping: configuration.pingInterval.nanoseconds),
            pingTimeout: UInt64(clamping: configuration.pingTimeout.nanoseconds),
            idleTimeout: UInt64(clamping: configuration.idleTimeout.nanoseconds),
            ageLimit: age - random.next() % (age / 5 + 1),
            replacementTimeout: UInt64(clamping: configuration.replacementTimeout.nanoseconds),
            closeTimeout: UInt64(clamping: configuration.closeTimeout.nanoseconds),
            maximumStreams: max(1, configuration.maximumStreams),
            oneStreamUntilAccepted: configuration.oneStreamUntilAccepted,
            lastStreamID: configuration.lastStreamID
        )
        return ClientConnectionHandler(
            id: id,
            owner: self,
            tls: session,
            framing: framing,
            limits: limits,
            now: eventLoop.now.uptimeNanoseconds
        )
    }

    private func ended(_ id: UInt64, failure: HTTP2ConnectionFailure?, worth: ConnectionWorth) {
        // A socket that fails during the handover reports the error twice.
        guard phases[id] != nil else { return }
        connections[id] = nil
        // A connection that was abandoned during the dial still has its socket.
        if dials[id] == nil { releaseSlot(id) }
        reportEnd(id, failure: failure)
        decide(.ended(id: id, worth: worth))
    }

    private func reportEnd(_ id: UInt64, failure: HTTP2ConnectionFailure?) {
        observe(id, nil)
        let drainReason = drainReasons.removeValue(forKey: id)
        observer?.connectionEnded(reason: failure?.label ?? drainReason ?? "closed")
        if let failure {
            logger.debug("connection failed", metadata: ["error.code": "\(failure.label)"])
            source.connectionChanged(id, .failed(failure))
        } else {
            source.connectionChanged(id, .closed)
        }
    }

    // MARK: - Slots of the budget

    private func takeSlot(_ id: UInt64, _ isNeeded: Bool) -> Bool {
        guard let budget else { return true }
        let member = member ?? join(budget)
        guard budget.take(member, isNeeded: isNeeded) else { return false }
        places.insert(id)
        return true
    }

    private func join(_ budget: HTTP2ConnectionBudget) -> UInt64 {
        let this = NIOLoopBound(self, eventLoop: eventLoop)
        let number = budget.join { [eventLoop] in
            eventLoop.execute { this.value.decide(.askedBack) }
        }
        member = number
        return number
    }

    private func releaseSlot(_ id: UInt64) {
        guard let member, places.remove(id) != nil else { return }
        budget?.release(member)
    }

    /// Reports a connection's phase to the observer; nil when it is closed.
    private func observe(_ id: UInt64, _ phase: HTTP2ConnectionPhase?) {
        let old = phases[id]
        phases[id] = phase
        observer?.connectionChanged(from: old, to: phase)
    }

    /// Returns the worth of a dial that failed: a proxy that rejects us is not asked again at once.
    private static func worth(of failure: HTTP2ConnectionFailure) -> ConnectionWorth {
        if case .proxy(let failure) = failure, !failure.isSilent { .refused } else { .silent }
    }

    private static func failure(of error: any Error) -> HTTP2ConnectionFailure {
        if let error = error as? HTTP2ConnectionFailure { return error }
        if let error = error as? ChannelError, case .connectTimeout = error { return .setupTimedOut }
        return .unreachable("\(error)")
    }

    // MARK: - The timer

    private func armTimer() {
        let due = machine.nextDue
        // A timer that is early is set again when it fires: much rarer than requests.
        guard due < timerDue else { return }
        timer?.cancel()
        timerID += 1
        timerDue = due
        let expected = timerID
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: .uptimeNanoseconds(due)) {
            guard self.timerID == expected else { return }
            self.timerDue = .max
            self.decide(.tick(isLoopBusy: self.load.isBusy))
        }
    }
}

extension ConnectionPoolCore: ClientConnectionOwner {
    func nextRequests(connection: UInt64, capacity: Int, into requests: inout [HTTP2Request]) {
        guard machine.isWanted, let mine = connections[connection]?.openStreams else { return }
        let capacity = min(capacity, allowance.streams - mine)
        guard capacity > 0 else { return }
        let share = share(of: connection, mine, capacity)
        if share > 0 {
            source.nextRequests(connection: connection, capacity: share, into: &requests)
            pulled += UInt64(requests.count)
            if requests.count < share { return decide(.satisfied) }
        }
        if share < capacity { spreadLater() }
    }

    /// Returns how many requests a connection may pull, so that open streams stay balanced between connections with
    /// room.
    private func share(of id: UInt64, _ mine: Int, _ capacity: Int) -> Int {
        guard connections.count > 1 else { return capacity }
        var least = Int.max
        for (other, connection) in connections where other != id && connection.openStreams < least {
            if connection.hasRoom { least = connection.openStreams }
        }
        guard least != .max else { return capacity }
        return max(0, min(capacity, least + Self.unevenness - mine))
    }

    /// Lets the other connections pull after the current one has ended its round.
    private func spreadLater() {
        guard !isSpreadScheduled else { return }
        isSpreadScheduled = true
        eventLoop.assumeIsolated().execute { self.spread() }
    }

    private func spread() {
        isSpreadScheduled = false
        var before: UInt64
        repeat {
            before = pulled
            for id in machine.ready where machine.isWanted { connections[id]?.wake() }
        } while machine.isWanted && pulled != before
    }

    func receive(_ responses: [HTTP2Response]) {
        allowance.count(responses)
        source.receive(responses)
    }

    func openStreamsChanged(by difference: Int) {
        gauge.value.add(difference, ordering: .relaxed)
        observer?.openStreamsChanged(by: difference)
    }

    func connectionHeldBack(_ id: UInt64, _ reason: HTTP2HoldBack?) {
        if let reason { observer?.connectionHeldBack(by: reason) }
        decide(.heldBack(id: id, reason != nil))
    }

    func connectionLimitCut(_ id: UInt64, _ isCut: Bool) {
        decide(.limitCut(id: id, isCut))
    }

    func connectionAged(_ id: UInt64) {
        decide(.aged(id: id))
    }

    func connectionReady(_ id: UInt64, facts: HTTP2ConnectionFacts) {
        observe(id, .ready)
        source.connectionChanged(id, .ready(facts))
        decide(.ready(id: id))
    }

    func connectionDraining(_ id: UInt64, reason: HTTP2DrainReason, worth: ConnectionWorth) {
        observe(id, .draining)
        drainReasons[id] = reason.label
        source.connectionChanged(id, .draining(reason))
        decide(.draining(id: id, worth: worth))
    }

    func connectionEnded(_ id: UInt64, failure: HTTP2ConnectionFailure?, worth: ConnectionWorth) {
        ended(id, failure: failure, worth: worth)
    }

    func keep(_ resumptions: [TLSResumption]) {
        self.resumptions.add(resumptions)
    }
}
