package import Logging
package import NIOCore
package import NIOPosix
internal import Synchronization

/// The way out to one target: dials on demand, lets its connections pull requests from the source, replaces those that drain.
///
/// It opens more connections while streams or send windows are what holds it back, and closes them when they are not needed
/// any more; all of it runs on one event loop. The pool keeps its source alive while it is not shut down.
package final class HTTP2ConnectionPool: Sendable {
    /// The loop that the source is called on.
    package let eventLoop: any EventLoop

    private let core: NIOLoopBoundBox<ConnectionPoolCore>
    private let gauge: StreamGauge
    private let isWakeScheduled = Atomic<Bool>(false)

    /// Makes a pool; nothing is dialled before `wake()`.
    ///
    /// Any thread.
    ///
    /// - Parameters:
    ///   - target: Where to connect to.
    ///   - tls: Trust and own certificate, shared with other pools.
    ///   - configuration: Limits.
    ///   - eventLoop: One loop of a `MultiThreadedEventLoopGroup`.
    ///   - source: Where requests come from.
    ///   - makeResolver: Makes what finds the target's addresses for one connection, which goes to one of these and nowhere
    ///     else; nil asks the system.
    ///   - budget: How many connections all pools together may have; nil sets no limit.
    ///   - observer: Counts what connections do.
    ///   - logger: Only `debug` and `trace` are written.
    package init(
        target: HTTP2Target,
        tls: TLSClientContext,
        configuration: HTTP2ConnectionConfiguration = HTTP2ConnectionConfiguration(),
        eventLoop: any EventLoop,
        source: any HTTP2RequestSource,
        makeResolver: (@Sendable (any EventLoop) -> any Resolver & Sendable)? = nil,
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
                budget: budget,
                gauge: gauge,
                observer: observer,
                logger: logger
            ),
            eventLoop: eventLoop
        )
    }

    /// Requests that were pulled and are not answered yet, as of the last turn of the loop.
    ///
    /// Any thread.
    package var openStreams: Int {
        gauge.value.load(ordering: .relaxed)
    }

    /// Says that the source has something.
    ///
    /// Any thread; many calls before the loop turns count as one.
    package func wake() {
        guard !isWakeScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        eventLoop.execute { [self] in
            isWakeScheduled.store(false, ordering: .releasing)
            core.value.wake()
        }
    }

    /// Lets the open streams of a connection finish and sends no more on it; another takes its place when one is wanted.
    ///
    /// On the pool's event loop, also from the source's methods. Soon after the connection was made this counts as a failed
    /// dial, so that a peer that blames each one is not dialled in a storm.
    ///
    /// - Parameter connection: Its number; one that has ended is left alone.
    package func replace(connection: UInt64) {
        core.value.replace(connection)
    }

    /// Takes no more requests, lets open streams finish until the deadline, says goodbye and closes.
    ///
    /// Any thread.
    ///
    /// Streams still open at the deadline are answered as unknown. What the source still holds is the source's own.
    ///
    /// - Parameter deadline: By then the last stream is given up.
    /// - Returns: Succeeds when all connections are closed; never fails. Calling twice is allowed.
    package func shutdown(deadline: NIODeadline) -> EventLoopFuture<Void> {
        let promise = eventLoop.makePromise(of: Void.self)
        eventLoop.execute { [self] in
            core.value.shutdown(deadline: deadline.uptimeNanoseconds, promise: promise)
        }
        return promise.futureResult
    }
}
