package import Logging
package import NIOCore
package import NIOPosix
internal import Synchronization
package import TLS

/// The connections to one target: dials on demand, lets connections pull requests from the source, replaces those that
/// drain.
///
/// It opens more connections while streams or send windows are the bottleneck, and closes them when they are not needed
/// any more; all of it runs on one event loop. The pool keeps its source alive while it is not shut down.
package final class HTTP2ConnectionPool: Sendable {
    /// The loop that the source is called on.
    package let eventLoop: any EventLoop

    private let core: NIOLoopBoundBox<ConnectionPoolCore>
    private let gauge: StreamGauge
    private let isWakeScheduled = Atomic<Bool>(false)

    /// Creates a pool; it does not dial before `wake()`.
    ///
    /// Any thread.
    ///
    /// - Parameters:
    ///   - target: The address to connect to.
    ///   - tls: Trust roots and own certificate, shared with other pools.
    ///   - configuration: Limits.
    ///   - eventLoop: One loop of a `MultiThreadedEventLoopGroup`.
    ///   - source: The source of requests.
    ///   - makeResolver: Makes the resolver of one connection, which dials only the addresses that it returns; nil uses
    ///     the system's resolver. With a proxy it resolves the proxy's name.
    ///   - proxy: The proxy through which connections are opened; nil connects directly.
    ///   - budget: The limit of connections of all pools together; nil sets no limit.
    ///   - observer: Receives changes of connections, for metrics.
    ///   - logger: Only `debug` and `trace` are written.
    package init(
        target: HTTP2Target,
        tls: TLSClientContext,
        configuration: HTTP2ConnectionConfiguration = HTTP2ConnectionConfiguration(),
        eventLoop: any EventLoop,
        source: any HTTP2RequestSource,
        makeResolver: (@Sendable (any EventLoop) -> any Resolver & Sendable)? = nil,
        proxy: HTTP2Proxy? = nil,
        budget: HTTP2ConnectionBudget? = nil,
        observer: (any HTTP2PoolObserver)? = nil,
        logger: Logger
    ) {
        self.eventLoop = eventLoop
        let gauge = StreamGauge()
        self.gauge = gauge
        core = NIOLoopBoundBox.makeBoxSendingValue(
            ConnectionPoolCore(
                target: target,
                tls: tls,
                configuration: configuration,
                eventLoop: eventLoop,
                source: source,
                makeResolver: makeResolver,
                proxy: proxy,
                budget: budget,
                gauge: gauge,
                observer: observer,
                logger: logger
            ),
            eventLoop: eventLoop
        )
    }

    /// The number of pulled requests without a response, as of the last tick of the loop.
    ///
    /// Any thread.
    package var openStreams: Int {
        gauge.value.load(ordering: .relaxed)
    }

    /// Notifies the pool that the source has requests.
    ///
    /// Any thread; calls before the next tick of the loop are coalesced.
    package func wake() {
        guard !isWakeScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        eventLoop.execute { [self] in
            isWakeScheduled.store(false, ordering: .releasing)
            core.value.wake()
        }
    }

    /// Drains a connection: its open streams finish, and it takes no more requests.
    ///
    /// Another is dialled when one is
    /// needed.
    ///
    /// On the pool's event loop, also from the source's methods. Soon after the connection was made this counts as a
    /// failed dial, so that a peer whose connections are all replaced is not dialled in a storm.
    ///
    /// - Parameter connection: The connection's number; one that has ended is ignored.
    package func replace(connection: UInt64) {
        core.value.replace(connection)
    }

    /// Takes no more requests, lets open streams finish until the deadline, sends GOAWAY and closes.
    ///
    /// Any thread.
    ///
    /// Streams still open at the deadline fail as unknown. Requests that are still in the source stay there.
    ///
    /// - Parameter deadline: The time when remaining streams fail.
    /// - Returns: A future that succeeds when all connections are closed; never fails. Calling twice is allowed.
    package func shutdown(deadline: NIODeadline) -> EventLoopFuture<Void> {
        let promise = eventLoop.makePromise(of: Void.self)
        eventLoop.execute { [self] in
            core.value.shutdown(deadline: deadline.uptimeNanoseconds, promise: promise)
        }
        return promise.futureResult
    }
}
