import Testing

@testable import HTTP2Connections
@testable import PushProviders

@Suite struct ConnectionWatchTests {
    private let facts = HTTP2ConnectionFacts(tlsVersion: "TLSv1.3", isResumed: false, maxConcurrentStreams: 1000)

    @Test("the end of a draining connection says nothing about the one in use", arguments: [true, false])
    func overlap(endsInFailure: Bool) {
        var watch = ConnectionWatch()
        watch.changed(.connecting)
        watch.changed(.ready(facts))
        watch.changed(.draining(.age))
        #expect(watch.state == .idle)
        watch.changed(.connecting)
        watch.changed(endsInFailure ? .failed(.pingUnanswered) : .closed)
        #expect(watch.state == .connecting)
        watch.changed(.ready(facts))
        #expect(watch.state == .ready)
        watch.changed(.failed(.closedByPeer))
        #expect(watch.state == .failed(.closedByPeer))
    }

    @Test("without a draining one, the end is the end of the one in use")
    func ends() {
        var watch = ConnectionWatch()
        watch.changed(.connecting)
        watch.changed(.failed(.setupTimedOut))
        #expect(watch.state == .failed(.setupTimedOut))
        watch.changed(.connecting)
        watch.changed(.ready(facts))
        watch.changed(.closed)
        #expect(watch.state == .idle)
    }
}
