import GatewayModel
import GatewayStorage
import Messaging
import Testing

@Suite("A window's state machine")
struct WindowMachineTests {
    @Test("opens, reads the counts, sends ready, and only then handles earlier frames")
    func opening() {
        var steps = Steps()
        #expect(steps.run { $0.opened(now: $1) } == ["run open"])
        #expect(!steps.machine.wantsReading)
        #expect(steps.says(.ack(Steps.conversation("c"), upToSequence: 3)) == [])
        // The session may have ended before the window was registered at the hub, which would have reported it.
        #expect(steps.identified() == ["run recheck 4409", "run ready"])
        #expect(steps.ready([:]) == ["ready", "run ack c#3"])
        #expect(steps.machine.wantsReading)
        #expect(steps.completed(.failed(.notFound, "")) == ["error not_found ack"])
    }

    @Test("closes with the token's error, or when an operation that it needs fails")
    func rejections() {
        var steps = Steps()
        _ = steps.run { $0.opened(now: $1) }
        #expect(steps.completed(.refused(.tokenMissing)) == ["close 4401 token_missing", "leave"])
        #expect(steps.run { machine, _ in machine.receivedClose(code: 4401) } == ["cut client"])
        var other = Steps()
        _ = other.run { $0.opened(now: $1) }
        _ = other.identified()
        #expect(other.completed(.failed(.overloaded, "")) == ["close 1013 overloaded: unavailable", "leave"])
        #expect(other.pass(5) == ["cut gone"])
    }

    @Test("sends the messages that ready does not count, after the client's time to resume")
    func eventsWhileOpening() {
        var steps = Steps()
        _ = steps.run { $0.opened(now: $1) }
        _ = steps.identified()
        #expect(steps.receive(.message(Steps.message("c", 4)), .message(Steps.message("c", 5))) == [])
        // A message since the window was registered may be in the counts too; nobody else reports it.
        #expect(steps.ready(["c": 4]) == ["ready"])
        #expect(steps.receive(.message(Steps.message("c", 6))) == [])
        #expect(steps.pass(1) == ["c#4", "c#5", "c#6"])
        #expect(steps.receive(.message(Steps.message("c", 7))) == ["c#7"])
    }

    @Test("resumes page by page, then sends the messages since then, without gap or repetition")
    func resuming() {
        var steps = Steps.open(["c": 21, "d": 2])
        #expect(
            steps.says(
                .resume([
                    .init(conversation: Steps.conversation("c"), afterSequence: 0),
                    .init(conversation: Steps.conversation("d"), afterSequence: 2),
                ])
            ) == ["run page c>0"]
        )
        #expect(steps.receive(.message(Steps.message("c", 22)), .message(Steps.message("d", 3))) == [])
        #expect(steps.receive(.read(Steps.conversation("c"), upToSequence: 1, unread: 0)) == [])
        #expect(steps.page("c", 1...20) == (1...20).map { "c#\($0)" } + ["run page c>20"])
        #expect(steps.page("c", 21...22) == ["c#21", "c#22", "run page d>2"])
        #expect(steps.receive(.message(Steps.message("c", 23))) == [])
        #expect(steps.page("d", nil) == ["d#3", "read c#1", "c#23"])
        #expect(steps.receive(.message(Steps.message("c", 24))) == ["c#24"])
    }

    @Test("sends LivePerson's clients the time, and their request is not the first frame")
    func clock() {
        var steps = Steps.open(["c": 1])
        let time = steps.now.date.milliseconds
        #expect(steps.says(.clock(id: "7")) == ["clock 7 \(time)"])
        let position = ClientFrame.Resumption(conversation: Steps.conversation("c"), afterSequence: 0)
        #expect(steps.says(.resume([position])) == ["run page c>0"])
        var early = Steps()
        _ = early.run { $0.opened(now: $1) }
        #expect(early.says(.clock(id: "8")) == [])
        _ = early.identified()
        #expect(early.ready([:]) == ["ready", "clock 8 \(time)"])
    }

    @Test("reads again from the store when too many changes waited")
    func tooManyEvents() {
        var steps = Steps.open(["c": 0])
        _ = steps.says(.resume([.init(conversation: Steps.conversation("c"), afterSequence: 0)]))
        for sequence in 1...300 {
            let isQuiet = steps.receive(.message(Steps.message("c", Int64(sequence)))) == []
            #expect(isQuiet)
        }
        // The page that was being read at that time may have missed them.
        #expect(steps.page("c", nil) == ["run page c>0"])
        var sent: [String] = []
        for start in stride(from: Int64(1), through: 281, by: 20) {
            sent += steps.page("c", start...(start + 19)).filter { !$0.hasPrefix("run") }
        }
        sent += steps.page("c", nil)
        #expect(sent == (1...300).map { "c#\($0)" })
    }

    @Test("a late first resume gets the missing messages and none twice")
    func lateResume() {
        var steps = Steps.open(["c": 3])
        _ = steps.pass(1)
        #expect(steps.receive(.message(Steps.message("c", 4)), .message(Steps.message("c", 5))) == ["c#4", "c#5"])
        #expect(
            steps.says(.resume([.init(conversation: Steps.conversation("c"), afterSequence: 1)])) == ["run page c>1"]
        )
        #expect(steps.page("c", 2...5) == ["c#2", "c#3"])
        #expect(steps.receive(.message(Steps.message("c", 6))) == ["c#6"])
        #expect(steps.says(.resume([])) == ["error conflict resume"])
    }

    @Test("holds changes, reads and pages back while the client reads nothing, and finally closes")
    func slowClient() {
        var steps = Steps.settled()
        steps.isReading = false
        for sequence in 1...32 { _ = steps.receive(.message(Steps.message("c", Int64(sequence)))) }
        #expect(!steps.machine.wantsReading)
        #expect(steps.receive(.message(Steps.message("c", 33))) == [])
        #expect(steps.takes(1) == ["c#33"])
        #expect(steps.receive(.message(Steps.message("c", 34))) == [])
        for sequence in 35...400 { _ = steps.receive(.message(Steps.message("c", Int64(sequence)))) }
        #expect(steps.takes(32) == ["run page c>33"])
        #expect(steps.machine.wantsReading)
        let sent = steps.page("c", 34...53)
        #expect(sent == (34...53).map { "c#\($0)" } + ["run page c>53"])
        #expect(steps.pass(14.9) == [])
        #expect(steps.pass(0.2) == ["close 1013 overloaded: slow_reader", "leave"])
    }

    @Test("sends each message once to a slow client with many waiting, also those of earlier changes")
    func slowAfterReady() {
        var steps = Steps.open(["c": 4])
        steps.isReading = false
        for sequence in 5...200 { _ = steps.receive(.message(Steps.message("c", Int64(sequence)))) }
        var sent = steps.pass(1)
        #expect(sent == (5...36).map { "c#\($0)" })
        for sequence in 201...400 { _ = steps.receive(.message(Steps.message("c", Int64(sequence)))) }
        steps.isReading = true
        sent += steps.takes(32)
        while sent.last?.hasPrefix("run page c>") == true {
            let after = Int64(sent.removeLast().dropFirst("run page c>".count)) ?? 0
            sent += steps.page("c", after == 400 ? nil : (after + 1)...min(after + 20, 400))
        }
        #expect(sent == (5...400).map { "c#\($0)" })
    }

    @Test("does not repeat the window's own messages when they are read from the store")
    func ownMessages() {
        var steps = Steps.open(["c": 21])
        let message = ClientMessage(
            clientID: ClientID(trusted: "k"),
            conversation: Steps.conversation("c"),
            text: "x",
            data: nil
        )
        _ = steps.says(.resume([.init(conversation: Steps.conversation("c"), afterSequence: 0)]))
        #expect(steps.says(.send(message)) == [])
        #expect(steps.page("c", 1...20) == (1...20).map { "c#\($0)" } + ["run send k"])
        let sent = steps.completed(.sent(messageID: MessageID(high: 1, low: 22), sequence: 22))
        #expect(sent == ["sent k", "run page c>20"])
        #expect(steps.page("c", 21...23) == ["c#21", "c#23"])
        #expect(steps.receive(.message(Steps.message("c", 24))) == ["c#24"])
    }

    @Test("passes typing on in order with the rest, and forwards others' typing only when it can be sent at once")
    func typing() {
        var steps = Steps.settled()
        let (message, c) = (Steps.message("c", 1), Steps.conversation("c"))
        #expect(steps.says(.ack(c, upToSequence: 1)) == ["run ack c#1"])
        #expect(steps.says(.typing(c)) == [])
        #expect(steps.completed(.done) == ["run typing c"])
        #expect(steps.completed(.failed(.notFound, "")) == ["error not_found typing"])
        #expect(steps.receive(.typing(c, byConsumer: false)) == ["typing c agent"])
        steps.isReading = false
        for _ in 1...31 { _ = steps.receive(.message(message)) }
        #expect(steps.receive(.typing(c, byConsumer: true)) == ["typing c consumer"])
        #expect(steps.receive(.typing(c, byConsumer: true)) == [])
        #expect(steps.takes(32) == [])
        var opening = Steps()
        _ = opening.run { $0.opened(now: $1) }
        _ = opening.identified()
        #expect(opening.receive(.typing(c, byConsumer: false)) == [])
        #expect(opening.ready([:]) == ["ready"])
        #expect(opening.receive(.typing(c, byConsumer: false)) == ["typing c agent"])
    }

    @Test("runs one operation at a time, and checks its session first")
    func operations() {
        var steps = Steps.settled()
        #expect(steps.says(.ack(Steps.conversation("c"), upToSequence: 1)) == ["run ack c#1"])
        #expect(steps.says(.ack(Steps.conversation("c"), upToSequence: 2)) == [])
        #expect(steps.run { $0.recheck(.loggedOut, now: $1) } == [])
        #expect(steps.completed(.done) == ["run recheck 4409"])
        #expect(steps.completed(.done) == ["run ack c#2"])
        #expect(steps.run { $0.recheck(.loggedOut, now: $1) } == [])
        #expect(steps.completed(.done) == ["run recheck 4409"])
        #expect(steps.completed(.refused(.loggedOut)) == ["close 4409 logged_out", "leave"])
        #expect(steps.receive(.message(Steps.message("c", 1))) == [])
    }

    @Test("announces the expiry of its token, closes at it, and stays open with a new token of the same consumer")
    func tokens() {
        var steps = Steps.open(lifeSeconds: 50)
        #expect(steps.pass(1) == ["expiring 49"])
        #expect(steps.pass(1) == [])
        #expect(steps.says(.reauthenticate(token: "t")) == ["run reauthenticate"])
        #expect(steps.completed(.identified(steps.identity(lifeSeconds: 90))) == ["run recheck 4409"])
        #expect(steps.completed(.done) == [])
        #expect(steps.pass(25) == [])
        #expect(steps.stirs() == [])
        #expect(steps.pass(6) == ["expiring 59"])
        #expect(steps.pass(25) == ["ping"])
        _ = steps.stirs()
        #expect(steps.pass(29) == [])
        _ = steps.stirs()
        #expect(steps.pass(5) == ["close 4401 token_expired", "leave"])
        var other = Steps.settled()
        _ = other.says(.reauthenticate(token: "t"))
        #expect(other.completed(.identified(other.identity("u-2"))) == ["close 4403 forbidden", "leave"])
    }

    @Test(
        "R100: pings at half of the idle timeout and closes the connection at its end, unless the client sent something"
    )
    func idle() {
        var steps = Steps.settled()
        #expect(steps.pass(29) == [])
        #expect(steps.pass(1) == ["ping"])
        #expect(steps.stirs() == [])
        #expect(steps.pass(30) == ["ping"])
        #expect(steps.pass(29.9) == [])
        #expect(steps.pass(0.1) == ["cut idle", "leave"])
        #expect(steps.machine.nextDeadline(now: steps.now) == nil)
    }

    @Test("windows last heard at about the same time are pinged together, by the timer of the last ping")
    func pingedTogether() {
        var (first, second) = (Steps.settled(), Steps.settled())
        #expect(first.pass(20.010) == [] && second.pass(20.240) == [])
        #expect(first.stirs() == [] && second.stirs() == [])
        let ping = first.machine.nextDeadline(now: first.now)
        #expect(ping == first.now.steady - 10_000_000 + 30_000_000_000)
        #expect(ping == second.machine.nextDeadline(now: second.now))
        #expect(first.pass(29.989) == [])
        #expect(first.pass(0.001) == ["ping"])
        let end = first.machine.nextDeadline(now: first.now)
        #expect(first.pass(0.002) == [])
        #expect(first.stirs() == [])
        #expect(first.machine.nextDeadline(now: first.now) == end)
    }

    @Test("accepts frames up to the rate limit")
    func frameLimit() {
        var steps = Steps.settled()
        for _ in 1..<250 { #expect(steps.stirs() == []) }
        #expect(steps.stirs() == ["close 1008 rate_limited", "leave"])
        var patient = Steps.settled()
        for _ in 1...1000 {
            _ = patient.pass(0.02)
            #expect(patient.stirs() == [])
        }
    }

    @Test("runs acknowledgements before the close, once for each conversation, and counts as open until then")
    func acknowledgedBeforeTheEnd() {
        var steps = Steps.settled()
        let (c, d) = (Steps.conversation("c"), Steps.conversation("d"))
        #expect(steps.says(.ack(c, upToSequence: 1)) == ["run ack c#1"])
        for sequence in 2...4 { #expect(steps.says(.ack(c, upToSequence: Int64(sequence))) == []) }
        #expect(steps.says(.ack(d, upToSequence: 9)) == [])
        #expect(steps.says(.typing(d)) == [])
        #expect(steps.run { machine, _ in machine.receivedClose(code: 1000) } == ["answer 1000"])
        #expect(steps.completed(.done) == ["run ack c#4"])
        #expect(steps.run { machine, _ in machine.lost() } == [])
        #expect(steps.completed(.failed(.overloaded, "")) == ["run ack d#9"])
        #expect(steps.completed(.done) == ["leave"])
        #expect(steps.run { machine, _ in machine.lost() } == [])
        // A connection that breaks while a page is being read.
        var cut = Steps.open(["c": 3])
        _ = cut.says(.resume([.init(conversation: c, afterSequence: 0)]))
        #expect(cut.says(.ack(c, upToSequence: 2)) == [])
        #expect(cut.run { machine, _ in machine.lost() } == ["cut gone"])
        #expect(cut.page("c", 1...3) == ["run ack c#2"])
        #expect(cut.completed(.done) == ["leave"])
        // A consumer who may not see the messages has not read them.
        var refused = Steps.settled()
        _ = refused.run { $0.recheck(.loggedOut, now: $1) }
        #expect(refused.says(.ack(c, upToSequence: 1)) == [])
        #expect(refused.completed(.refused(.loggedOut)) == ["close 4409 logged_out", "leave"])
    }

    @Test("a wrong resume may be repeated, and one check of the session is enough for all ends before it")
    func corrections() {
        var steps = Steps.open(["c": 2])
        let wrong = WindowError(.invalidRequest, "", ref: "resume")
        #expect(steps.says(.wrong(wrong)) == ["error invalid_request resume"])
        let resume = ClientFrame.resume([.init(conversation: Steps.conversation("c"), afterSequence: 0)])
        #expect(steps.says(resume) == ["run page c>0"])
        #expect(steps.run { $0.recheck(.revoked, now: $1) } == [])
        #expect(steps.run { $0.recheck(.loggedOut, now: $1) } == [])
        #expect(steps.page("c", 1...2) == ["c#1", "c#2", "run recheck 4409"])
        #expect(steps.completed(.done) == [])
    }

    @Test("a resume from an earlier sequence than is being read gets the messages in between")
    func resumeWhileReading() {
        var steps = Steps.open(["c": 5])
        for sequence in 6...305 { _ = steps.receive(.message(Steps.message("c", Int64(sequence)))) }
        var sent = steps.says(.resume([.init(conversation: Steps.conversation("c"), afterSequence: 0)]))
        while sent.last?.hasPrefix("run page c>") == true {
            let after = Int64(sent.removeLast().dropFirst("run page c>".count)) ?? 0
            sent += steps.page("c", after == 305 ? nil : (after + 1)...min(after + 20, 305))
        }
        #expect(sent == (1...305).map { "c#\($0)" })
        // Also while a page from a later sequence is being read.
        var late = Steps.open(["c": 5])
        late.isReading = false
        for sequence in 6...37 { _ = late.receive(.message(Steps.message("c", Int64(sequence)))) }
        _ = late.pass(1)
        for sequence in 38...400 { _ = late.receive(.message(Steps.message("c", Int64(sequence)))) }
        late.isReading = true
        #expect(late.takes(32) == ["run page c>37"])
        #expect(late.says(.resume([.init(conversation: Steps.conversation("c"), afterSequence: 3)])) == [])
        #expect(late.page("c", 38...57) == ["run page c>3"])
        #expect(late.page("c", 4...23) == ["c#4", "c#5", "run page c>23"])
    }

    @Test("time in which the client was not read from does not count as idle, and no more than that")
    func idleWhileCongested() {
        var steps = Steps.settled()
        #expect(steps.pass(20) == [])
        steps.isReading = false
        for sequence in 1...32 { _ = steps.receive(.message(Steps.message("c", Int64(sequence)))) }
        #expect(steps.pass(10) == [])
        steps.isReading = true
        #expect(steps.takes(32) == [])
        #expect(steps.pass(9) == [])
        #expect(steps.pass(1) == ["ping"])
    }

    @Test("sends bye when the gateway stops")
    func goingAway() {
        var steps = Steps.settled()
        #expect(steps.run { $0.fail(.goingAway, now: $1) } == ["bye going_away", "close 1001 going_away", "leave"])
        #expect(steps.run { machine, _ in machine.receivedClose(code: 1001) } == ["cut client"])
    }
}
