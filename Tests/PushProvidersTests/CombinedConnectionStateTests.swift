import Testing

@testable import HTTP2Connections
@testable import PushProviders

@Suite struct CombinedConnectionStateTests {
    private let facts = HTTP2ConnectionFacts(tlsVersion: "TLSv1.3", isResumed: false, maxConcurrentStreams: 1000)

    @Test("the end of a draining connection does not change the state of the one in use", arguments: [true, false])
    func overlap(endsInFailure: Bool) {
        var watch = CombinedConnectionState()
        watch.changed(1, .connecting)
        watch.changed(1, .ready(facts))
        watch.changed(1, .draining(.age))
        #expect(watch.state == .idle)
        watch.changed(2, .connecting)
        watch.changed(1, endsInFailure ? .failed(.pingUnanswered) : .closed)
        #expect(watch.state == .connecting)
        watch.changed(2, .ready(facts))
        #expect(watch.state == .ready)
        watch.changed(2, .failed(.closedByPeer))
        #expect(watch.state == .failed(.closedByPeer))
    }

    @Test("without a draining connection, the end is that of the one in use")
    func ends() {
        var watch = CombinedConnectionState()
        watch.changed(1, .connecting)
        watch.changed(1, .failed(.setupTimedOut))
        #expect(watch.state == .failed(.setupTimedOut))
        watch.changed(2, .connecting)
        watch.changed(2, .ready(facts))
        watch.changed(2, .closed)
        #expect(watch.state == .idle)
    }

    @Test("while one takes requests, the states of the others do not matter")
    func several() {
        var watch = CombinedConnectionState()
        watch.changed(1, .connecting)
        watch.changed(1, .ready(facts))
        watch.changed(2, .connecting)
        watch.changed(3, .connecting)
        watch.changed(2, .failed(.setupTimedOut))
        #expect(watch.state == .ready)
        watch.changed(3, .ready(facts))
        watch.changed(1, .draining(.spare))
        #expect(watch.state == .ready)
        watch.changed(3, .failed(.closedByPeer))
        #expect(watch.state == .failed(.closedByPeer))
        watch.changed(1, .closed)
        #expect(watch.state == .failed(.closedByPeer))
    }
}
