import NIOCore
import Telemetry
import Testing

@testable import GatewayHTTP

@Suite("Connection timeouts")
struct ConnectionWatchTests {
    private var watch = ConnectionWatch(limit: .seconds(30), start: .seconds(30))

    private static func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    private mutating func look(_ seconds: Int64, buffered: Int = 0, awaited: Bool = true) -> ConnectionWatch.Verdict {
        watch.look(now: Self.at(seconds), buffered: buffered, isPeerAwaited: awaited)
    }

    @Test("an idle connection is not checked")
    mutating func idle() {
        #expect(look(1000) == .rest)
        watch.bytesArrived(now: Self.at(1000))
        watch.headArrived(now: Self.at(1000))
        watch.requestArrived()
        #expect(look(5000) == .rest)
    }

    @Test("the time of a request runs from its first byte through head and body, whatever arrives in between")
    mutating func oneDeadline() {
        watch.bytesArrived(now: Self.at(100))
        #expect(look(129) == .lookAgain)
        watch.bytesArrived(now: Self.at(129))
        #expect(look(130) == .cut(.slowHead))
        watch.headArrived(now: Self.at(129))
        watch.bytesArrived(now: Self.at(129))
        #expect(look(129) == .lookAgain)
        #expect(look(130) == .cut(.slowBody))
    }

    @Test("a head, and the first byte of a body, have a shorter time than the whole")
    mutating func start() {
        watch = ConnectionWatch(limit: .seconds(30), start: .seconds(10))
        watch.bytesArrived(now: Self.at(100))
        #expect(look(109) == .lookAgain)
        #expect(look(110) == .cut(.slowHead))
        watch.headArrived(now: Self.at(109))
        #expect(look(109) == .lookAgain)
        #expect(look(110) == .cut(.slowBody))
        watch.bodyBegan()
        #expect(look(129) == .lookAgain)
        #expect(look(130) == .cut(.slowBody))
        watch.requestArrived()
        // The first byte of the next request has its own time.
        watch.headArrived(now: Self.at(200))
        #expect(look(210) == .cut(.slowBody))
    }

    @Test("each request has its own time, also one that arrived in the same bytes as the one before")
    mutating func next() {
        watch.bytesArrived(now: Self.at(100))
        watch.headArrived(now: Self.at(100))
        watch.requestArrived()
        watch.headArrived(now: Self.at(120))
        #expect(look(149) == .lookAgain)
        #expect(look(150) == .cut(.slowBody))
    }

    @Test("time in which the gateway does not read does not count against the caller")
    mutating func ownDelay() {
        watch.bytesArrived(now: Self.at(100))
        watch.headArrived(now: Self.at(100))
        #expect(look(200, awaited: false) == .lookAgain)
        #expect(look(229) == .lookAgain)
        #expect(look(230) == .cut(.slowBody))
    }

    @Test("a peer that does not close after the last response is disconnected after the same time")
    mutating func parting() {
        watch.bytesArrived(now: Self.at(100))
        watch.requestArrived()
        watch.ended(now: Self.at(110))
        watch.bytesArrived(now: Self.at(139))
        #expect(look(139) == .lookAgain)
        #expect(look(140) == .part)
    }

    @Test("a peer that still receives its last response is not disconnected")
    mutating func lastAnswer() {
        watch.bytesArrived(now: Self.at(100))
        watch.requestArrived()
        watch.wrote(bytes: 1000)
        watch.ended(now: Self.at(110))
        #expect(look(120, buffered: 900) == .lookAgain)
        #expect(look(145, buffered: 500) == .lookAgain)
        #expect(look(170, buffered: 0) == .lookAgain)
        #expect(look(174, buffered: 0) == .lookAgain)
        #expect(look(175, buffered: 0) == .part)
    }

    @Test("a response with progress is not cut off, one without progress is")
    mutating func answers() {
        watch.wrote(bytes: 1000)
        #expect(look(0, buffered: 1000) == .lookAgain)
        #expect(look(29, buffered: 999) == .lookAgain)
        #expect(look(58, buffered: 999) == .lookAgain)
        // As much was written as was taken: there is progress, though as much waits as before.
        watch.wrote(bytes: 10)
        #expect(look(60, buffered: 999) == .lookAgain)
        #expect(look(89, buffered: 999) == .lookAgain)
        #expect(look(90, buffered: 999) == .cut(.slowReader))
        #expect(look(91, buffered: 0) == .rest)
        #expect(look(92, buffered: 5) == .lookAgain)
    }
}
