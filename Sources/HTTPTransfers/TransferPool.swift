internal import CCurl

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The connections and running transfers of one client: a multi handle of libcurl; used by the thread only.
final class TransferPool {
    /// The time after which a pool without transfers is closed, with its connections.
    private static let idleMilliseconds: Int64 = 60_000

    private let core: TransferClientCore
    private let multi: UnsafeMutableRawPointer
    private let epoll: Int32
    private var exchanges: [ObjectIdentifier: Exchange] = [:]
    /// The time of libcurl's next timer.
    private var timer: Int64?
    /// The time from which the pool counts as idle; nil while it has transfers.
    private var idleAt: Int64?

    /// The next time at which something is due.
    var deadline: Int64? { [timer, idleAt].compactMap { $0 }.min() }

    init?(_ core: TransferClientCore, epoll: Int32) {
        guard let multi = curl_multi_init() else { return nil }
        self.core = core
        self.multi = multi
        self.epoll = epoll
        // The pool is closed, and libcurl with it, before it is released.
        let this = Unmanaged.passUnretained(self).toOpaque()
        switchboard_curl_multi_set_callbacks(multi, onSocket, onTimer, this)
        switchboard_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(core.maxIdleConnections, 1))
    }

    /// Closes all connections; the pool is not used any more.
    func close() { curl_multi_cleanup(multi) }

    /// Starts a transfer, or ends it with an error.
    func start(_ transfer: Transfer) {
        idleAt = nil
        do throws(TransferFailure) {
            let exchange = try Exchange(transfer)
            guard curl_multi_add_handle(multi, exchange.easy) == CURLM_OK else { throw TransferFailure(.unavailable) }
            exchanges[ObjectIdentifier(transfer)] = exchange
        } catch {
            transfer.finish(.failure(error))
            core.ended()
            startIdling()
        }
    }

    func resume(_ transfer: Transfer) {
        guard let exchange = exchanges[ObjectIdentifier(transfer)] else { return }
        curl_easy_pause(exchange.easy, CURLPAUSE_CONT)
    }

    func cancel(_ transfer: Transfer) { end(ObjectIdentifier(transfer), CURLE_ABORTED_BY_CALLBACK) }

    /// Makes the pool idle with the end of its last transfer.
    func closeWhenIdle(isCancelling: Bool) {
        isClosing = true
        if isCancelling {
            for (id, exchange) in exchanges {
                exchange.transfer.finish(.failure(TransferFailure(.cancelled, mayHaveSent: true)))
                end(id, CURLE_ABORTED_BY_CALLBACK)
            }
        }
        startIdling()
    }

    private var isClosing = false

    /// Whether the pool has been without transfers for its time.
    func isIdle(at now: Int64) -> Bool { idleAt.map { $0 <= now } ?? false }

    /// Lets libcurl act on a socket that is ready.
    func act(on socket: Int32, events: UInt32) {
        var mask: Int32 = 0
        if events & EPOLLIN.rawValue != 0 { mask |= CURL_CSELECT_IN }
        if events & EPOLLOUT.rawValue != 0 { mask |= CURL_CSELECT_OUT }
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { mask |= CURL_CSELECT_ERR }
        act(socket, mask)
    }

    /// Lets libcurl act on its timer if it is due.
    func act(at now: Int64) {
        guard let timer, timer <= now else { return }
        self.timer = nil
        act(CURL_SOCKET_TIMEOUT, 0)
    }

    private func act(_ socket: Int32, _ mask: Int32) {
        var count: Int32 = 0
        curl_multi_socket_action(multi, socket, mask, &count)
        while let message = curl_multi_info_read(multi, &count) {
            var result = CURLE_OK
            guard let easy = switchboard_curl_message_ended(message, &result) else { continue }
            if let exchange = Exchange.of(easy) { end(ObjectIdentifier(exchange.transfer), result) }
        }
    }

    private func end(_ id: ObjectIdentifier, _ result: CURLcode) {
        guard let exchange = exchanges.removeValue(forKey: id) else { return }
        curl_multi_remove_handle(multi, exchange.easy)
        exchange.transfer.finish(exchange.end(result))
        core.ended()
        startIdling()
    }

    private func startIdling() {
        guard exchanges.isEmpty else { return }
        idleAt = isClosing ? 0 : MonotonicTime.now + Self.idleMilliseconds
    }

    // Called by libcurl.

    fileprivate func schedule(_ milliseconds: Int) {
        timer = milliseconds < 0 ? nil : MonotonicTime.now + Int64(milliseconds)
    }

    fileprivate func watch(_ socket: Int32, _ what: Int32) {
        var event = epoll_event()
        guard what != CURL_POLL_REMOVE else {
            epoll_ctl(epoll, EPOLL_CTL_DEL, socket, &event)
            return
        }
        if what & CURL_POLL_IN != 0 { event.events |= EPOLLIN.rawValue }
        if what & CURL_POLL_OUT != 0 { event.events |= EPOLLOUT.rawValue }
        event.data.u64 = UInt64(core.id) << 32 | UInt64(UInt32(bitPattern: socket))
        if epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event) != 0 {
            epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event)
        }
    }

    /// Returns the client and the socket of an event.
    static func source(_ data: UInt64) -> (id: UInt32, socket: Int32) {
        (UInt32(data >> 32), Int32(truncatingIfNeeded: data))
    }
}

private let onSocket: curl_socket_callback = { _, socket, what, context, _ in
    guard let context else { return -1 }
    Unmanaged<TransferPool>.fromOpaque(context).takeUnretainedValue().watch(socket, what)
    return 0
}

private let onTimer: curl_multi_timer_callback = { _, milliseconds, context in
    guard let context else { return -1 }
    Unmanaged<TransferPool>.fromOpaque(context).takeUnretainedValue().schedule(milliseconds)
    return 0
}
