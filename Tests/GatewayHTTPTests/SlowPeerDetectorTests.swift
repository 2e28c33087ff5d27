import NIOCore
import Telemetry
import Testing

@testable import GatewayHTTP

@Suite("Connection timeouts")
struct SlowPeerDetectorTests {
    private var watch = SlowPeerDetector(limit: .seconds(30), start: .seconds(30))

    private static func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    private mutating func check(_ seconds: Int64, buffered: Int = 0, awaited: Bool = true) -> SlowPeerDetector.Verdict {
        watch.check(now: Self.at(seconds), buffered: buffered, isPeerAwaited: awaited)
    }

    @Test("an idle connection is not checked")
    mutating func idle() {
        #expect(check(1000) == .idle)
        watch.bytesArrived(now: Self.at(1000))
        watch.headArrived(now: Self.at(1000))
        watch.requestArrived()
        #expect(check(5000) == .idle)
    }

    @Test("a TLS handshake has the time of a head, from the accept on; the first request after it has its own")
    mutating func handshake() {
        watch.handshakeBegan(now: Self.at(100))
        watch.bytesArrived(now: Self.at(120))
        #expect(check(129) == .checkAgain)
        #expect(check(130) == .cut(.slowHandshake))
        watch.handshakeEnded()
        #expect(check(130) == .idle)
        watch.bytesArrived(now: Self.at(200))
        watch.handshakeEnded()
        #expect(check(229) == .checkAgain)
        #expect(check(230) == .cut(.slowHead))
    }

    @Test("the time of a request runs from its first byte through head and body, whatever arrives in between")
    mutating func oneDeadline() {
        watch.bytesArrived(now: Self.at(100))
        #expect(check(129) == .checkAgain)
        watch.bytesArrived(now: Self.at(129))
        #expect(check(130) == .cut(.slowHead))
        watch.headArrived(now: Self.at(129))
        watch.bytesArrived(now: Self.at(129))
        #expect(check(129) == .checkAgain)
        #expect(check(130) == .cut(.slowBody))
    }

    @Test("a head, and the first byte of a body, have a shorter time than the whole")
    mutating func start() {
        watch = SlowPeerDetector(limit: .seconds(30), start: .seconds(10))
        watch.bytesArrived(now: Self.at(100))
        #expect(check(109) == .checkAgain)
        #expect(check(110) == .cut(.slowHead))
        watch.headArrived(now: Self.at(109))
        #expect(check(109) == .checkAgain)
        #expect(check(110) == .cut(.slowBody))
        watch.bodyBegan()
        #expect(check(129) == .checkAgain)
        #expect(check(130) == .cut(.slowBody))
        watch.requestArrived()
        // The first byte of the next request has its own time.
        watch.headArrived(now: Self.at(200))
        #expect(check(210) == .cut(.slowBody))
    }

    @Test("each request has its own time, also one that arrived in the same bytes as the one before")
    mutating func next() {
        watch.bytesArrived(now: Self.at(100))
        watch.headArrived(now: Self.at(100))
        watch.requestArrived()
        watch.headArrived(now: Self.at(120))
        #expect(check(149) == .checkAgain)
        #expect(check(150) == .cut(.slowBody))
    }

    @Test("time in which the gateway does not read does not count against the caller")
    mutating func ownDelay() {
        watch.bytesArrived(now: Self.at(100))
        watch.headArrived(now: Self.at(100))
        #expect(check(200, awaited: false) == .checkAgain)
        #expect(check(229) == .checkAgain)
        #expect(check(230) == .cut(.slowBody))
    }

    @Test("a peer that does not close after the last response is disconnected after the same time")
    mutating func parting() {
        watch.bytesArrived(now: Self.at(100))
        watch.requestArrived()
        watch.ended(now: Self.at(110))
        watch.bytesArrived(now: Self.at(139))
        #expect(check(139) == .checkAgain)
        #expect(check(140) == .close)
    }

    @Test("a peer that still receives its last response is not disconnected")
    mutating func lastAnswer() {
        watch.bytesArrived(now: Self.at(100))
        watch.requestArrived()
        watch.wrote(bytes: 1000)
        watch.ended(now: Self.at(110))
        #expect(check(120, buffered: 900) == .checkAgain)
        #expect(check(145, buffered: 500) == .checkAgain)
        #expect(check(170, buffered: 0) == .checkAgain)
        #expect(check(174, buffered: 0) == .checkAgain)
        #expect(check(175, buffered: 0) == .close)
    }

    @Test("a response with progress is not cut off, one without progress is")
    mutating func responses() {
        watch.wrote(bytes: 1000)
        #expect(check(0, buffered: 1000) == .checkAgain)
        #expect(check(29, buffered: 999) == .checkAgain)
        #expect(check(58, buffered: 999) == .checkAgain)
        // As much was written as was taken: there is progress, though as much waits as before.
        watch.wrote(bytes: 10)
        #expect(check(60, buffered: 999) == .checkAgain)
        #expect(check(89, buffered: 999) == .checkAgain)
        #expect(check(90, buffered: 999) == .cut(.slowReader))
        #expect(check(91, buffered: 0) == .idle)
        #expect(check(92, buffered: 5) == .checkAgain)
    }
}
