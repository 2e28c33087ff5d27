import ProcessHarness
import Testing

@testable import switchboard_proof

/// The crash harness must detect violations: each guarantee is violated once here.
@Suite("The crash harness's verdict")
struct CrashVerdictTests {
    private let phone = Device(consumer: 0, isAndroid: false)

    /// Two messages to one phone, both delivered, in order, none read; the gateway was killed once at time 100.
    private func evidence() -> Evidence {
        var record = ResponseRecord()
        record.posted = 2
        record.accepted = 2
        record.devices = ["t": phone]
        record.messages = (1...2).map {
            .init(event: "e-\($0)", id: "m-\($0)", consumer: 0, sequence: $0, counts: true, devices: [phone])
        }
        let killed = Ending(
            exit: .init(status: 9, isSignal: true),
            nextStart: 100,
            unfinished: [row(1)],
            secondsToReady: 0.1
        )
        return Evidence(
            record: record,
            pushes: [push(1, at: 50, badge: 1), push(2, at: 150, badge: 2)],
            refused: 0,
            endings: [killed],
            log: [:],
            unread: [0: 2],
            lastExit: .init(status: 0, isSignal: false)
        )
    }

    private func row(_ message: Int) -> UnfinishedRows.Row { .init(message: "m-\(message)", device: phone.id) }

    private func push(_ message: Int, at time: Double, badge: Int) -> PushDrain.Push {
        .init(number: Int(time), time: time, token: "t", message: "m-\(message)", badge: badge)
    }

    private func broken(_ evidence: Evidence, _ ending: CrashSettings.Ending = .kill) -> [String] {
        Verdict(evidence, ending: ending).lines.filter { !$0.holds }.map(\.name)
    }

    @Test("a correct run passes")
    func holds() {
        #expect(broken(evidence()).isEmpty)
    }

    @Test("a push that did not arrive is lost, unless it was withdrawn for a known reason")
    func lost() {
        var evidence = evidence()
        evidence.pushes.removeLast()
        #expect(broken(evidence) == ["lost"])
        evidence.log[row(2)] = .init(state: "accepted", suppressedBy: nil)
        #expect(broken(evidence) == ["lost"], "the gateway's word is not enough")
        evidence.log[row(2)] = .init(state: "cancelled", suppressedBy: "read")
        #expect(broken(evidence) == ["lost"], "nobody read it")
        evidence.record.reads[0] = [.init(upTo: 2, begin: 60, end: 61)]
        evidence.unread[0] = 0
        #expect(broken(evidence).isEmpty)
    }

    @Test("only pushes in flight may arrive twice")
    func duplicated() {
        var evidence = evidence()
        evidence.pushes.append(push(1, at: 160, badge: 2))
        #expect(broken(evidence).isEmpty, "it arrived before the kill and had no outcome")
        evidence.pushes.append(push(2, at: 170, badge: 2))
        #expect(broken(evidence) == ["duplicated", "duplicated without having been in flight"])
    }

    @Test("a wrong unread count, a gap and a contradictory response are detected")
    func counts() {
        var wrong = evidence()
        wrong.unread[0] = 3
        #expect(broken(wrong) == ["unread errors"])
        var gap = evidence()
        gap.record.messages[1].sequence = 3
        #expect(broken(gap) == ["gaps in sequences"])
        var contradiction = evidence()
        contradiction.record.contradictions = ["it said otherwise"]
        #expect(broken(contradiction) == ["responses that contradict earlier ones"])
        var unanswered = evidence()
        unanswered.record.accepted = 1
        #expect(broken(unanswered) == ["events accepted (202 seen)"])
    }

    @Test("a badge may decrease once for each read, and not before it")
    func badges() {
        var evidence = evidence()
        evidence.pushes[1].badge = 0
        #expect(broken(evidence) == ["badge decreases without a read"])
        evidence.record.reads[0] = [.init(upTo: 0, begin: 160, end: 161)]
        #expect(broken(evidence) == ["badge decreases without a read"], "the read came later")
        evidence.record.reads[0] = [.init(upTo: 0, begin: 140, end: 141)]
        #expect(broken(evidence).isEmpty)
    }

    @Test("a push after the logout's response is detected, except one that was in flight")
    func logout() {
        var evidence = evidence()
        evidence.record.goneTokens["t"] = 149.9
        #expect(broken(evidence).isEmpty)
        evidence.record.goneTokens["t"] = 149
        #expect(broken(evidence) == ["pushes to a token after its logout's response"])
    }

    @Test("a SIGTERM that does not exit with 0 is detected")
    func exits() {
        var evidence = evidence()
        #expect(broken(evidence, .term) == ["stops that did not exit with 0"])
        evidence.endings[0].exit = .init(status: 0, isSignal: false)
        #expect(broken(evidence, .term).isEmpty)
        evidence.lastExit = .init(status: 11, isSignal: true)
        #expect(broken(evidence, .term) == ["last stop that did not exit with 0"])
    }
}
