import NIOCore
import PushSimulator

extension Fault {
    /// All faults, in the order of the table.
    static let catalogue: [Fault] = wire + untrusted + independent

    private static func simulator(_ rules: RuleEvery...) -> Peer {
        .simulator(SimulatorConfiguration(), rules: rules.map(\.rule))
    }

    private static func simulator(_ change: (inout SimulatorConfiguration) -> Void) -> Peer {
        var configuration = SimulatorConfiguration()
        change(&configuration)
        return .simulator(configuration, rules: [])
    }

    private static let wire = [
        Fault(
            name: "goaway",
            title: "GOAWAY every 100 requests, from that request on unprocessed",
            peer: simulator(.every(100, RuleAction(goAway: .init(coversRequest: false)))),
            expectation: .once
        ),
        Fault(
            name: "goaway-graceful",
            title: "GOAWAY every 100 requests with the highest stream id",
            peer: simulator(.every(100, RuleAction(goAway: .init(lastStreamID: .max)))),
            expectation: .once
        ),
        Fault(
            name: "refused-stream",
            title: "REFUSED_STREAM for 10 % of the requests",
            peer: simulator(.every(10, RuleAction(resetCode: 7))),
            expectation: .once
        ),
        Fault(
            name: "stream-limit",
            title: "SETTINGS down to 1 stream and back, again and again",
            peer: simulator(
                .every(50, RuleAction(maxStreams: 1)),
                .every(20, RuleAction(maxStreams: 1000))
            ),
            expectation: .once
        ),
        Fault(
            name: "late-windows",
            title: "flow control windows of 300 bytes, updated 20 ms later",
            peer: simulator { configuration in
                configuration.streamWindow = 300
                configuration.windowUpdateDelayMilliseconds = 20
            },
            expectation: .once
        ),
        Fault(
            name: "distance",
            title: "a round trip of 80 ms",
            peer: simulator { $0.roundTripMilliseconds = 80 },
            expectation: .once
        ),
        Fault(
            name: "reset-mid-body",
            title: "connection reset in the middle of a body, every 50 KB",
            peer: simulator { $0.resetAfterBodyBytes = 50_100 },
            expectation: .atLeastOnce
        ),
        Fault(
            name: "tls-cut",
            title: "half a response, then TCP FIN without TLS close_notify, every 500",
            peer: simulator(.every(500, RuleAction(truncates: true))),
            expectation: .atLeastOnce
        ),
        Fault(
            name: "drop",
            title: "connection reset instead of a response, every 500",
            peer: simulator(.every(500, RuleAction(drops: true))),
            expectation: .atLeastOnce
        ),
        Fault(
            name: "silent-stream",
            title: "no response to 1 of 50 requests",
            peer: simulator(.every(50, RuleAction(isSilent: true))),
            expectation: .atLeastOnce,
            requestTimeout: .seconds(2)
        ),
        Fault(
            name: "silent-peer",
            title: "the peer goes silent every 500 requests, no PING ACK",
            peer: simulator(.every(500, RuleAction(mutes: true))),
            expectation: .atLeastOnce,
            requestTimeout: .seconds(2),
            pingInterval: .milliseconds(300)
        ),
        Fault(
            name: "slow-answers",
            title: "responses of one byte per 50 ms after 500 requests",
            peer: simulator(.every(500, RuleAction(dribbleMilliseconds: 50))),
            expectation: .atLeastOnce,
            requestTimeout: .seconds(2)
        ),
    ]

    private static let untrusted = [
        Fault(
            name: "other-host",
            title: "certificate for another host",
            peer: simulator { $0.certificate = .otherHost },
            expectation: .refused("certificate")
        ),
        Fault(
            name: "expired",
            title: "certificate that has expired",
            peer: simulator { $0.certificate = .expired },
            expectation: .refused("expired")
        ),
        Fault(
            name: "self-signed",
            title: "self-signed certificate",
            peer: simulator { $0.certificate = .selfSigned },
            expectation: .refused("certificate")
        ),
        Fault(
            name: "http1",
            title: "Node https: HTTP/1.1 only",
            peer: .node(.http1),
            expectation: .refused("HTTP/2")
        ),
    ]

    private static let independent = [
        Fault(
            name: "node-goaway",
            title: "Node http2: GOAWAY every 100 requests",
            peer: .node(.goAway),
            expectation: .once
        ),
        Fault(
            name: "node-refused-stream",
            title: "Node http2: REFUSED_STREAM for 10 % of the requests",
            peer: .node(.refusedStream),
            expectation: .once
        ),
    ]
}

/// A rule for every n-th push.
private struct RuleEvery {
    var rule: SimulatorRule

    static func every(_ count: Int, _ action: RuleAction) -> RuleEvery {
        RuleEvery(rule: SimulatorRule(match: .init(everyNth: count), action: action))
    }
}
