/// The state machine of one client connection: when streams may open, when they have failed, when the connection ends.
///
/// A pure value: time comes in as nanoseconds of a monotonic clock, effects go out as actions, which the handler
/// executes in order. Requests are identified by the number of their record, which the state machine assigns.
struct ClientConnectionMachine {
    /// An input of the state machine.
    enum Event: Equatable {
        /// TLS is established and `h2` negotiated.
        case secured
        /// The peer's SETTINGS, with the current MAX_CONCURRENT_STREAMS.
        case settings(maxConcurrentStreams: UInt32)
        /// Bytes arrived.
        case read
        /// HEADERS went out for all streams up to this id.
        case sent(upTo: Int32)
        /// nghttp2 dropped a request before it was sent.
        case notSent(record: Int)
        /// The response is complete before the request's body is sent.
        case endedEarly(record: Int, status: Int)
        /// The stream closed; a status only with a complete response.
        case closed(record: Int, errorCode: UInt32, status: Int?)
        case goAway(lastStreamID: Int32, errorCode: HTTP2ErrorCode, reason: String?)
        /// A timer fired, perhaps early or late.
        case tick
        /// The pool needs fewer connections, or another one.
        case retire(HTTP2DrainReason)
        /// The pool requires the connection to end by the deadline.
        case shutdown(deadline: UInt64)
        /// nghttp2 neither expects nor sends anything any more.
        case finished
        /// The socket closed, or TLS or HTTP/2 failed.
        case lost(HTTP2ConnectionFailure)
    }

    /// An action for the handler.
    enum Action: Equatable {
        /// The first SETTINGS arrived: requests may be pulled.
        case ready
        /// Complete the request and free the record: with its response, or with a failure.
        case complete(record: Int, HTTP2RequestFailure?)
        /// Send RST_STREAM.
        case reset(stream: Int32, HTTP2ErrorCode)
        case ping
        /// The peer lowered its stream limit; with false, the limit is back at its highest value.
        case limitCut(Bool)
        /// The connection reached its age limit: the pool retires it when another is ready.
        case aged
        /// Pull no more requests; notify the pool.
        case draining(HTTP2DrainReason)
        /// Send GOAWAY and close_notify, then wait for the peer's end.
        case sendGoAway
        /// Close the socket; with the failure if the end was not graceful.
        case close(HTTP2ConnectionFailure?)
    }

    private enum Phase: Equatable {
        case settingUp
        case ready
        case draining
        case closing
        case closed
    }

    private struct Stream {
        var id: Int32
        var deadline: UInt64
        /// The number of responses on the connection when the request was pulled.
        var responsesBefore: UInt64
    }

    /// Timeouts and limits as plain numbers.
    struct Limits {
        var setupDeadline: UInt64
        var pingInterval: UInt64
        var pingTimeout: UInt64
        var idleTimeout: UInt64
        var ageLimit: UInt64
        /// The longest time that the connection stays in use beyond its age limit.
        var replacementTimeout: UInt64
        var closeTimeout: UInt64
        var maximumStreams: Int
        var oneStreamUntilAccepted: Bool
        var lastStreamID: Int32
    }

    /// A connection that the source asks to replace within this time after it is ready counts as a failed dial, in
    /// nanoseconds: 5 s.
    private static let blamedEarly: UInt64 = 5_000_000_000

    private let limits: Limits
    private var phase = Phase.settingUp
    private var isSecured = false
    /// Records by number; `nil` is free.
    private var streams: [Stream?] = []
    private var free: [Int] = []
    private(set) var openStreams = 0
    private var peerLimit = 0
    /// The highest stream limit of the peer so far, and whether the peer has lowered it.
    private var fullLimit = 0
    private var isLimitCut = false
    private var isAccepted = false
    private var nextStreamID: Int32 = 1
    private var lastSentStreamID: Int32 = 0
    /// An estimate of body sizes, so that pulled requests are not stuck behind the peer's window.
    private var bodyEstimate = 1024
    private var lastRead: UInt64
    private var pingDeadline: UInt64?
    private var idleSince: UInt64
    private var ageDeadline = UInt64.max
    private var isAged = false
    private var endDeadline = UInt64.max
    /// A lower bound of the earliest deadline of open streams; computed again when it passes.
    private var earliestDeadline = UInt64.max
    private var goAwayFailure: HTTP2ConnectionFailure?
    /// The result of the connection for the back-off: without a response that shows that the peer serves us it counts
    /// as a failed dial.
    ///
    /// A connection that was to be replaced soon after it was opened also counts as failed: the next one might be too.
    var worth: ConnectionWorth {
        if isServed, !isBlamedEarly { return .served }
        return isSilent && responses == 0 ? .silent : .refused
    }
    private var isServed = false
    /// Whether the connection ends because nothing arrived in time.
    private var isSilent = false
    private var isBlamedEarly = false
    private var readyAt: UInt64 = 0
    /// The number of responses so far.
    private var responses: UInt64 = 0

    init(limits: Limits, now: UInt64) {
        self.limits = limits
        lastRead = now
        idleSince = now
        isAccepted = !limits.oneStreamUntilAccepted
    }

    // MARK: - Admission

    /// The current limit of simultaneously open streams.
    ///
    /// 90 % of the peer's limit, since the peer may count a closed stream a little longer than we do; 0 means wait
    /// (ProviderFacts page, F6, RFC 9113 section 5.1.2).
    var streamLimit: Int {
        guard peerLimit > 0 else { return 0 }
        guard isAccepted else { return 1 }
        return min(limits.maximumStreams, max(1, peerLimit * 9 / 10))
    }

    /// Returns how many requests may be pulled now, with `window` bytes of the connection's send window left after the
    /// bodies that wait for it.
    ///
    /// The last one may fit only in part: a peer sends WINDOW_UPDATE when half of its window is used (nghttp2 does), so
    /// a window that is never fully used carries only half as much.
    func capacity(window: Int, isWritable: Bool) -> Int {
        guard phase == .ready, isWritable, window > 0 else { return 0 }
        let room = min(streamLimit - openStreams, (window + bodyEstimate - 1) / bodyEstimate)
        let ids = Int(limits.lastStreamID) - Int(nextStreamID)
        return max(0, min(room, ids < 0 ? 0 : ids / 2 + 1))
    }

    /// Returns what prevents requests from being pulled, the peer's stream limit or the send window; nil if nothing
    /// does.
    ///
    /// Nil while the first stream waits for its response, or while the peer allows no stream: another connection would
    /// wait for the same.
    func heldBack(window: Int) -> HTTP2HoldBack? {
        guard phase == .ready, isAccepted, streamLimit > 0, capacity(window: window, isWritable: true) == 0 else {
            return nil
        }
        return openStreams >= streamLimit ? .streams : .window
    }

    /// Gives a pulled request a record number.
    ///
    /// The caller follows with `submitted` or `.notSent`.
    mutating func admit(bodyBytes: Int, timeout: UInt64, now: UInt64) -> Int {
        let deadline = now &+ min(timeout, 1 << 62)
        earliestDeadline = min(earliestDeadline, deadline)
        bodyEstimate = max(64, (bodyEstimate * 7 + bodyBytes) / 8)
        openStreams += 1
        let stream = Stream(id: .max, deadline: deadline, responsesBefore: responses)
        if let record = free.popLast() {
            streams[record] = stream
            return record
        }
        streams.append(stream)
        return streams.count - 1
    }

    /// Records the stream id of an admitted request.
    mutating func submitted(record: Int, stream: Int32) {
        streams[record]?.id = stream
        nextStreamID = stream > Int32.max - 2 ? .max : stream + 2
    }

    // MARK: - Events

    mutating func handle(_ event: Event, now: UInt64, into actions: inout [Action]) {
        guard phase != .closed else { return }
        switch event {
        case .secured:
            isSecured = true
        case .settings(let limit):
            noteLimit(Int(limit), &actions)
            guard phase == .settingUp else { return }
            phase = .ready
            readyAt = now
            idleSince = now
            ageDeadline = now &+ limits.ageLimit
            actions.append(.ready)
        case .read:
            // Any bytes prove that the peer is alive.
            lastRead = now
            pingDeadline = nil
        case .sent(let stream):
            lastSentStreamID = max(lastSentStreamID, stream)
        case .notSent(let record):
            end(record, .unprocessed(goAwayFailure == nil ? .malformed : goAwayReason), now, &actions)
        case .endedEarly(let record, let status):
            guard let stream = stream(record) else { return }
            actions.append(.reset(stream: stream.id, .noError))
            accept(status)
            end(record, nil, now, &actions)
        case .closed(let record, let errorCode, let status):
            closed(record, HTTP2ErrorCode(rawValue: errorCode), status, now, &actions)
        case .goAway(let last, let code, let reason):
            goAway(last, code, reason, now, &actions)
        case .tick:
            tick(now, &actions)
        case .retire(let reason):
            guard phase == .ready else { return }
            isBlamedEarly = reason == .blamed && now < readyAt &+ Self.blamedEarly
            drain(reason, &actions)
        case .shutdown(let deadline):
            shutdown(deadline, now, &actions)
        case .finished:
            finished(now, &actions)
        case .lost(let failure):
            lost(failure, now, &actions)
        }
        drainIfExhausted(now, &actions)
        endIfDrained(now, &actions)
    }

    /// The time of the next `tick`, `UInt64.max` for never.
    var nextDue: UInt64 {
        switch phase {
        case .settingUp: min(limits.setupDeadline, endDeadline)
        case .ready, .draining:
            min(
                min(earliestDeadline, endDeadline),
                min(
                    pingDeadline ?? (lastRead &+ limits.pingInterval),
                    phase == .ready ? min(ageDeadline, idleDue) : .max
                )
            )
        case .closing: endDeadline
        case .closed: .max
        }
    }

    private var idleDue: UInt64 {
        openStreams == 0 ? idleSince &+ limits.idleTimeout : .max
    }

    private var goAwayReason: HTTP2RequestFailure.Reason {
        if case .goAway(let code, _) = goAwayFailure { .goAway(code) } else { .goAway(.noError) }
    }

    private func stream(_ record: Int) -> Stream? {
        record < streams.count ? streams[record] : nil
    }

    private mutating func end(
        _ record: Int,
        _ failure: HTTP2RequestFailure?,
        _ now: UInt64,
        _ actions: inout [Action]
    ) {
        guard stream(record) != nil else { return }
        streams[record] = nil
        free.append(record)
        openStreams -= 1
        if openStreams == 0 {
            idleSince = now
            earliestDeadline = .max
        }
        actions.append(.complete(record: record, failure))
    }

    private mutating func noteLimit(_ limit: Int, _ actions: inout [Action]) {
        let isLower = limit < peerLimit
        peerLimit = limit
        if limit >= fullLimit {
            fullLimit = limit
            if isLimitCut { actions.append(.limitCut(false)) }
            isLimitCut = false
        } else if isLower {
            // Each time again: the pool's wait starts from the last one.
            isLimitCut = true
            actions.append(.limitCut(true))
        }
    }

    private mutating func accept(_ status: Int) {
        responses += 1
        // Any malformed request gets 400: a peer that rejects everything that we send, and then closes the connection,
        // must not be dialled again without a wait.
        if status != 400 { isServed = true }
        // APNs responds 403 until it has seen a valid provider token (ProviderFacts page, A2).
        if status != 403 { isAccepted = true }
    }

    private mutating func closed(
        _ record: Int,
        _ code: HTTP2ErrorCode,
        _ status: Int?,
        _ now: UInt64,
        _ actions: inout [Action]
    ) {
        guard let stream = stream(record) else { return }
        if let status {
            accept(status)
            end(record, nil, now, &actions)
        } else if code == .refusedStream {
            end(record, .unprocessed(goAwayFailure == nil ? .reset(code) : goAwayReason), now, &actions)
        } else if stream.id > lastSentStreamID {
            end(record, .unprocessed(.reset(code)), now, &actions)
        } else if code == .noError {
            end(record, .unknown(.malformed), now, &actions)
        } else {
            end(record, .unknown(.reset(code)), now, &actions)
        }
    }

    private mutating func goAway(
        _ last: Int32,
        _ code: HTTP2ErrorCode,
        _ reason: String?,
        _ now: UInt64,
        _ actions: inout [Action]
    ) {
        goAwayFailure = .goAway(code, reason: reason)
        for record in streams.indices {
            if let stream = streams[record], stream.id > last {
                end(record, .unprocessed(.goAway(code)), now, &actions)
            }
        }
        switch phase {
        case .settingUp: fail(.goAway(code, reason: reason), now, &actions)
        case .ready: drain(.goAway(code, reason: reason), &actions)
        case .draining, .closing, .closed: break
        }
    }

    private mutating func drain(_ reason: HTTP2DrainReason, _ actions: inout [Action]) {
        phase = .draining
        actions.append(.draining(reason))
    }

    private mutating func drainIfExhausted(_ now: UInt64, _ actions: inout [Action]) {
        guard phase == .ready, nextStreamID > limits.lastStreamID else { return }
        drain(.streamIDsExhausted, &actions)
    }

    private mutating func endIfDrained(_ now: UInt64, _ actions: inout [Action]) {
        guard phase == .draining, openStreams == 0 else { return }
        phase = .closing
        endDeadline = now &+ limits.closeTimeout
        actions.append(.sendGoAway)
    }

    private mutating func tick(_ now: UInt64, _ actions: inout [Action]) {
        switch phase {
        case .settingUp:
            if now >= endDeadline {
                close(nil, now, &actions)
            } else if now >= limits.setupDeadline {
                isSilent = true
                fail(.setupTimedOut, now, &actions)
            }
        case .ready, .draining:
            if let pingDeadline, now >= pingDeadline {
                isSilent = true
                return fail(.pingUnanswered, now, &actions)
            }
            expire(now, &actions)
            if now >= endDeadline {
                for record in streams.indices { abandon(record, .shutdown, now, &actions) }
                return
            }
            if pingDeadline == nil, now >= lastRead &+ limits.pingInterval {
                pingDeadline = now &+ limits.pingTimeout
                actions.append(.ping)
            }
            guard phase == .ready else { return }
            if now >= ageDeadline {
                age(now, &actions)
            } else if now >= idleDue {
                drain(.idle, &actions)
            }
        case .closing:
            if now >= endDeadline { close(nil, now, &actions) }
        case .closed:
            break
        }
    }

    private mutating func age(_ now: UInt64, _ actions: inout [Action]) {
        // Usually the pool retires it first; but if the peer accepts no new connections, this one must not live for
        // ever.
        guard !isAged else { return drain(.age, &actions) }
        isAged = true
        ageDeadline = now &+ limits.replacementTimeout
        actions.append(.aged)
    }

    /// Fails requests past their deadline, and drains the connection when it had no response at all meanwhile: the peer
    /// is alive, or PING would have failed, but it does not serve this connection any more (ProviderFacts page, F1).
    private mutating func expire(_ now: UInt64, _ actions: inout [Action]) {
        guard now >= earliestDeadline else { return }
        earliestDeadline = .max
        var isUnresponsive = false
        for record in streams.indices {
            guard let stream = streams[record] else { continue }
            if now >= stream.deadline {
                if stream.responsesBefore == responses { isUnresponsive = true }
                abandon(record, .deadline, now, &actions)
            } else {
                earliestDeadline = min(earliestDeadline, stream.deadline)
            }
        }
        guard isUnresponsive, phase == .ready else { return }
        isSilent = true
        drain(.unresponsive, &actions)
    }

    private mutating func abandon(
        _ record: Int,
        _ reason: HTTP2RequestFailure.Reason,
        _ now: UInt64,
        _ actions: inout [Action]
    ) {
        guard let stream = stream(record) else { return }
        let isSent = stream.id <= lastSentStreamID
        if stream.id != .max { actions.append(.reset(stream: stream.id, .cancel)) }
        end(record, isSent ? .unknown(reason) : .unprocessed(reason), now, &actions)
    }

    private mutating func shutdown(_ deadline: UInt64, _ now: UInt64, _ actions: inout [Action]) {
        switch phase {
        case .settingUp: close(nil, now, &actions)
        case .ready, .draining:
            endDeadline = min(endDeadline, deadline)
            if phase == .ready { drain(.shutdown, &actions) }
        case .closing: endDeadline = min(endDeadline, max(now, deadline))
        case .closed: break
        }
    }

    private mutating func finished(_ now: UInt64, _ actions: inout [Action]) {
        switch phase {
        // nghttp2 ended the session: the peer violated the protocol, and our GOAWAY with the error is queued.
        case .settingUp, .ready: fail(.broken("session ended"), now, &actions)
        case .draining: fail(goAwayFailure ?? .broken("session ended"), now, &actions)
        case .closing, .closed: break
        }
    }

    private mutating func lost(_ failure: HTTP2ConnectionFailure, _ now: UInt64, _ actions: inout [Action]) {
        switch phase {
        case .closing: close(nil, now, &actions)
        case .draining where openStreams == 0: close(nil, now, &actions)
        case .ready where failure == .closedByPeer && openStreams == 0: close(nil, now, &actions)
        default: fail(goAwayFailure ?? failure, now, &actions)
        }
    }

    private mutating func fail(_ failure: HTTP2ConnectionFailure, _ now: UInt64, _ actions: inout [Action]) {
        for record in streams.indices {
            guard let stream = streams[record] else { continue }
            let isSent = stream.id <= lastSentStreamID
            end(record, isSent ? .unknown(.connectionLost) : .unprocessed(.connectionLost), now, &actions)
        }
        close(failure, now, &actions)
    }

    private mutating func close(_ failure: HTTP2ConnectionFailure?, _ now: UInt64, _ actions: inout [Action]) {
        phase = .closed
        actions.append(.close(failure))
    }
}
