import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Window machine", .timeLimit(.minutes(10)))
struct WindowMachineTests {
    /// A machine with a clock of the test; the actions as texts.
    private struct Steps {
        var machine: WindowMachine
        var now = Duration.seconds(100)

        init(_ options: WindowOptions = WindowOptions(), policy: RetryPolicy = .standard) {
            machine = WindowMachine(options, policy: policy, sendPolicy: .standard)
        }

        /// Opens the window and its first connection; returns the actions of `ready`.
        mutating func ready(_ conversations: [String: (last: Int, read: Int)], unread: Int = 0) -> [String] {
            if machine.phase == .idle { #expect(Self.texts(machine.open()) == ["state opening", "connect 1"]) }
            #expect(machine.connected(machine.connection, at: now) == [])
            return receive(WindowFrames.ready(conversations, unread: unread))
        }

        mutating func receive(_ frame: JSONValue) -> [String] {
            let text = String(decoding: frame.data, as: UTF8.self)
            return Self.texts(machine.received(.text(text), machine.connection, at: now, spread: 0))
        }

        mutating func close(_ code: Int?, _ reason: String) -> [String] {
            Self.texts(machine.received(.closed(code: code, reason: reason), machine.connection, at: now, spread: 0))
        }

        mutating func lose() -> [String] { Self.texts(machine.lost(machine.connection, at: now, spread: 0)) }

        mutating func pass(_ duration: Duration) -> [String] {
            now += duration
            return Self.texts(machine.timePassed(at: now, spread: 0))
        }

        mutating func send(_ clientID: String, _ text: String = "hi") -> [String] {
            let message = OutgoingMessage(clientID: clientID, conversationID: "c", text: text)
            return Self.texts(machine.send(message, at: now))
        }

        /// The next connection, `ready` in it, and the actions of that.
        mutating func reconnect(_ conversations: [String: (last: Int, read: Int)], after wait: Duration) -> [String] {
            #expect(pass(wait) == ["connect \(machine.connection)"])
            return ready(conversations)
        }

        static func texts(_ actions: [WindowMachine.Action]) -> [String] { actions.map { text($0) } }

        private static func text(_ action: WindowMachine.Action) -> String {
            switch action {
            case .connect(let number): "connect \(number)"
            case .send(let frame): text(frame)
            case .ping(let number): "ping \(number)"
            case .disconnect: "disconnect"
            case .renewToken: "renew"
            case .rejectToken(let error, let mayRenew):
                "reject \(error.code) \(error.reason ?? "-")\(mayRenew ? " renew" : "")"
            case .endSession: "end session"
            case .emit(let event): text(event)
            case .unread(let count): "unread \(count)"
            case .read(let conversation, let upTo, let unread): "mark \(conversation)#\(upTo) unread \(unread)"
            case .sent(let id, let stored): "stored \(id) \(stored.messageID)#\(stored.sequence)"
            case .failed(let id, let error): "failed \(id) \(error.code)"
            }
        }

        private static func text(_ frame: WindowClientFrame) -> String {
            switch frame {
            case .resume(let list): "resume " + list.map { "\($0.id)>\($0.afterSequence)" }.joined(separator: ",")
            case .acknowledge(let conversation, let upTo): "ack \(conversation)#\(upTo)"
            case .send(let message): "send \(message.clientID)"
            case .typing(let conversation): "typing \(conversation)"
            case .reauthenticate(let token): "reauthenticate \(token)"
            }
        }

        private static func text(_ event: WindowEvent) -> String {
            switch event {
            case .stateChanged(let state): "state \(state.rawValue)"
            case .message(let message): "message \(message.conversationID ?? "-")#\(message.sequence ?? 0)"
            case .read(let conversation, let upTo, _): "read \(conversation)#\(upTo)"
            case .resolved(let conversation, let byConsumer): "resolved \(conversation) \(byConsumer)"
            case .typing(let conversation, let byConsumer): "typing \(conversation) \(byConsumer)"
            case .error(let error): "error \(error.code)"
            case .closed(let error): "closed\(error.map { " \($0.code)" } ?? "")"
            }
        }
    }

    // MARK: Downloads and acknowledgements

    @Test("R96 trap 6: nothing is acknowledged before the window is open and the messages are downloaded")
    func download() {
        var steps = Steps()
        #expect(steps.ready(["c": (3, 1)], unread: 2) == ["resume c>1", "unread 2"])
        #expect(steps.receive(WindowFrames.message("c", 2)) == ["message c#2"])
        #expect(steps.receive(WindowFrames.message("c", 3)) == ["message c#3", "state ready", "ack c#3"])
        #expect(steps.receive(WindowFrames.read("c", 3, unread: 0)) == ["mark c#3 unread 0", "read c#3"])
        #expect(steps.receive(WindowFrames.message("c", 4)) == ["message c#4", "ack c#4"])
    }

    @Test("R96: without new messages the window is ready at once")
    func nothingNew() {
        var steps = Steps()
        #expect(steps.ready(["c": (3, 3)]) == ["resume ", "unread 0", "state ready"])
    }

    @Test("R96: messages that were removed since are awaited for two seconds")
    func removed() {
        var steps = Steps()
        #expect(steps.ready(["c": (5, 1)], unread: 4) == ["resume c>1", "unread 4"])
        #expect(steps.receive(WindowFrames.message("c", 2)) == ["message c#2"])
        #expect(steps.pass(.seconds(1)) == [])
        #expect(steps.pass(.seconds(1)) == ["state ready", "ack c#2"])
        #expect(steps.receive(WindowFrames.message("c", 6)) == ["message c#6", "ack c#6"])
        // All of them: also if nothing came.
        var empty = Steps()
        #expect(empty.ready(["c": (5, 1)], unread: 4) == ["resume c>1", "unread 4"])
        #expect(empty.pass(.seconds(2)) == ["state ready"])
        #expect(empty.receive(WindowFrames.message("c", 6)) == ["message c#6"])
        #expect(empty.pass(.seconds(10)) == ["ack c#6"])
    }

    @Test("the app acknowledges itself if it wants to; also then only when the window is ready")
    func manual() {
        var steps = Steps(WindowOptions(afterSequences: ["c": 2], acknowledgesAutomatically: false))
        #expect(steps.ready(["c": (4, 1)], unread: 3) == ["resume c>2", "unread 3"])
        #expect(steps.receive(WindowFrames.message("c", 3)) == ["message c#3"])
        #expect(Steps.texts(steps.machine.acknowledge("c", upTo: 3, at: steps.now)) == [])
        #expect(steps.receive(WindowFrames.message("c", 4)) == ["message c#4", "state ready", "ack c#3"])
        // Nothing is acknowledged that has not come.
        #expect(Steps.texts(steps.machine.acknowledge("c", upTo: 9, at: steps.now)) == ["ack c#4"])
        #expect(Steps.texts(steps.machine.acknowledge("c", upTo: 2, at: steps.now)) == [])
    }

    @Test("a later connection continues with what is missing, and acknowledges again what is not confirmed")
    func resumption() {
        var steps = Steps()
        #expect(steps.ready(["c": (2, 1)]) == ["resume c>1", "unread 0"])
        #expect(steps.receive(WindowFrames.message("c", 2)) == ["message c#2", "state ready", "ack c#2"])
        #expect(steps.lose() == ["disconnect", "state reconnecting"])
        #expect(steps.reconnect(["c": (4, 1)], after: .seconds(1)) == ["resume c>2", "unread 0"])
        #expect(steps.receive(WindowFrames.message("c", 2)) == [])
        #expect(steps.receive(WindowFrames.message("c", 3)) == ["message c#3"])
        #expect(steps.receive(WindowFrames.message("c", 4)) == ["message c#4", "state ready", "ack c#4"])
    }

    @Test("live messages before those of a late resume: none is lost, and none comes twice")
    func lateResume() {
        var steps = Steps()
        #expect(steps.ready(["c": (3, 1)]) == ["resume c>1", "unread 0"])
        #expect(steps.receive(WindowFrames.message("c", 4)) == ["message c#4"])
        #expect(steps.receive(WindowFrames.message("c", 2)) == ["message c#2"])
        #expect(steps.lose() == ["disconnect"])
        #expect(steps.reconnect(["c": (4, 1)], after: .seconds(1)) == ["resume c>2", "unread 0"])
        #expect(steps.receive(WindowFrames.message("c", 3)) == ["message c#3"])
        #expect(steps.receive(WindowFrames.message("c", 4)) == ["state ready", "ack c#4"])
    }

    @Test("acknowledgements of many conversations keep to the pace that the gateway accepts")
    func pace() {
        var steps = Steps()
        var conversations: [String: (last: Int, read: Int)] = [:]
        for number in 100..<400 { conversations["c\(number)"] = (last: 2, read: 1) }
        #expect(steps.ready(conversations).count == 2)
        var acknowledgements = 0
        for number in 100..<400 {
            let actions = steps.receive(WindowFrames.message("c\(number)", 2))
            acknowledgements += actions.count(where: { $0.hasPrefix("ack") })
        }
        #expect(acknowledgements == WindowPace.burst)
        for _ in 0..<400 {
            let wait = (steps.machine.nextDeadline ?? steps.now) - steps.now
            acknowledgements += steps.pass(max(wait, .zero)).count(where: { $0.hasPrefix("ack") })
            if acknowledgements == 300 { break }
        }
        #expect(acknowledgements == 300)
        #expect(steps.now - .seconds(100) >= .seconds(4))
    }

    @Test("after a restore of the gateway's data lower sequences are new ones")
    func restored() {
        var steps = Steps(WindowOptions(afterSequences: ["c": 20]))
        #expect(steps.ready(["c": (5, 5)]) == ["resume ", "unread 0", "state ready"])
        #expect(steps.receive(WindowFrames.message("c", 6)) == ["message c#6", "ack c#6"])
    }

    @Test("ids are compared by their bytes")
    func identifiers() {
        var steps = Steps()
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        #expect(ByteText(composed) != ByteText(decomposed))
        #expect(steps.receive(.null) == [])
        #expect(steps.ready([:]) == ["resume ", "unread 0", "state ready"])
        #expect(steps.receive(WindowFrames.message(composed, 7)).count == 2)
        #expect(steps.receive(WindowFrames.message(decomposed, 1)).count == 2)
    }

    @Test("resume names at most 500 conversations, and fits into a message")
    func resumeSize() {
        var stored: [String: Int] = [:]
        for number in 0..<700 { stored[String(repeating: "\"", count: 250) + "\(number)"] = 1 }
        var positions = WindowPositions(stored: stored)
        let list = positions.begin([], hasMore: true)
        #expect((50...500).contains(list.count))
        #expect(WindowClientFrame.resume(list).text.utf8.count <= WindowClientFrame.maxBytes)
        #expect(positions.begin([], hasMore: false) == [])
    }

    // MARK: Messages of the consumer

    @Test("messages go one after the other, and again after a lost connection, with the same id")
    func sending() {
        var steps = Steps()
        #expect(steps.send("early") == ["failed early cancelled"])
        _ = steps.ready([:])
        #expect(steps.send("a") == ["send a"])
        #expect(steps.send("b") == [])
        #expect(steps.lose() == ["disconnect", "state reconnecting"])
        #expect(steps.send("c") == [])
        #expect(steps.reconnect([:], after: .seconds(1)) == ["resume ", "unread 0", "state ready", "send a"])
        #expect(steps.receive(WindowFrames.sent("a", "m-1", 1)) == ["stored a m-1#1", "send b"])
        #expect(steps.receive(WindowFrames.error("conflict", ref: "b")) == ["failed b conflict", "send c"])
        #expect(steps.receive(WindowFrames.sent("a", "m-1", 1)) == [])
        // Its own message comes with a later connection, and is not reported.
        #expect(steps.receive(WindowFrames.message("c", 1, id: "m-1")) == ["ack c#1"])
    }

    @Test("a message that the gateway cannot take now is repeated after 1, 2, 4, 8 and 16 s, before those behind it")
    func repeated() {
        var steps = Steps()
        _ = steps.ready([:])
        #expect(steps.send("a") == ["send a"])
        #expect(steps.send("b") == [])
        for seconds in [1, 2, 4, 8, 16] {
            #expect(steps.receive(WindowFrames.error("rate_limited", ref: "a")) == [])
            #expect(steps.pass(.milliseconds(seconds * 1000 - 1)) == [])
            #expect(steps.pass(.milliseconds(1)) == ["send a"])
        }
        #expect(steps.receive(WindowFrames.error("rate_limited", ref: "a")) == ["failed a rateLimited", "send b"])
    }

    @Test("the number of messages that wait is bounded; a message that was given up is not sent")
    func bounded() {
        var steps = Steps()
        _ = steps.machine.open()
        for number in 0..<WindowMachine.maxOutgoing { #expect(steps.send("m\(number)") == []) }
        #expect(steps.send("more") == ["failed more tooManyCalls"])
        steps.machine.cancelSend("m0")
        #expect(steps.ready([:]).last == "send m1")
    }

    @Test("a message that the gateway closes the window for does not come again")
    func poison() {
        for (code, text) in [(4400, "invalid_request: not JSON"), (1009, "payload_too_large"), (1002, "")] {
            var steps = Steps()
            _ = steps.ready([:])
            _ = steps.send("a")
            #expect(
                steps.close(code, text) == ["failed a invalidRequest", "disconnect", "state reconnecting"]
            )
            #expect(steps.reconnect([:], after: .seconds(1)) == ["resume ", "unread 0", "state ready"])
        }
        let control = OutgoingMessage(clientID: "a\u{7}", conversationID: "c", text: "x")
        let long = OutgoingMessage(clientID: "a", conversationID: "c", text: String(repeating: "\"", count: 40_000))
        #expect(throws: SwitchboardError.self) { try control.check() }
        #expect(throws: SwitchboardError.self) { try long.check() }
    }

    @Test("typing is sent once a second for a conversation, and not kept for a later connection")
    func typing() {
        var steps = Steps()
        _ = steps.machine.open()
        #expect(Steps.texts(steps.machine.typing("c", at: steps.now)) == [])
        _ = steps.ready([:])
        #expect(Steps.texts(steps.machine.typing("c", at: steps.now)) == ["typing c"])
        steps.now += .milliseconds(999)
        #expect(Steps.texts(steps.machine.typing("c", at: steps.now)) == [])
        #expect(Steps.texts(steps.machine.typing("d", at: steps.now)) == ["typing d"])
        steps.now += .seconds(1)
        #expect(Steps.texts(steps.machine.typing("d", at: steps.now)) == ["typing d"])
    }

    // MARK: The connection

    @Test("R99: closing disconnects at once, and every call that waits has an outcome")
    func closing() {
        var steps = Steps()
        _ = steps.ready([:])
        _ = steps.send("a")
        _ = steps.send("b")
        let actions = Steps.texts(steps.machine.close(nil))
        #expect(actions == ["disconnect", "failed a cancelled", "failed b cancelled", "closed"])
        #expect(steps.machine.nextDeadline == nil)
        #expect(steps.receive(WindowFrames.message("c", 1)) == [])
        #expect(steps.lose() == [])
        #expect(Steps.texts(steps.machine.close(nil)) == [])
    }

    @Test("R66: the waits are 1, 2, 4, 8 and 16 s, each up to a half longer; then 16 s until the window is closed")
    func backOff() {
        var steps = Steps()
        _ = steps.machine.open()
        let away = SwitchboardError(.connectivity, "away")
        for seconds in [1, 2, 4, 8, 16, 16, 16] {
            let number = steps.machine.connection
            #expect(steps.machine.connectFailed(away, number, at: steps.now, spread: 0) == [])
            #expect(steps.machine.nextDeadline == steps.now + .seconds(seconds))
            #expect(steps.pass(.seconds(seconds)) == ["connect \(number + 1)"])
        }
        let number = steps.machine.connection
        _ = steps.machine.connectFailed(away, number, at: steps.now, spread: 1)
        #expect(steps.machine.nextDeadline == steps.now + .seconds(24))
        _ = steps.pass(.seconds(24))
        // A connection that lasts begins with the first wait again, and one that does not last with the next one.
        _ = steps.ready([:])
        #expect(steps.lose() == ["disconnect", "state reconnecting"])
        #expect(steps.pass(.seconds(16)) == ["connect \(number + 2)"])
        _ = steps.ready([:])
        _ = steps.pass(.seconds(10))
        #expect(steps.lose() == ["disconnect", "state reconnecting"])
        #expect(steps.machine.nextDeadline == steps.now + .seconds(1))
    }

    @Test("without repetitions the first loss closes the window")
    func noRepetition() {
        var steps = Steps(policy: .none)
        _ = steps.ready([:])
        #expect(steps.lose() == ["disconnect", "closed connectivity"])
    }

    @Test(
        "trap 4 trap 34: close codes: another token, another credential, no session, or a new connection",
        arguments: [
            (4401, "token_expired", "reject tokenExpired token_expired renew"),
            (4401, "token_missing", "reject tokenExpired token_missing renew"),
            (4401, "", "reject tokenExpired  renew"), (4407, "", "reject tokenExpired  renew"),
            (4403, "token_invalid: bad_signature", "reject authenticationFailed bad_signature"),
            (4403, "token_invalid: revoked", "reject authenticationFailed revoked"),
            (4403, "", "reject authenticationFailed "), (4403, "forbidden", "closed forbidden"),
            (4409, "logged_out", "end session"), (1013, "overloaded: slow_reader", "wait"),
            (1001, "going_away", "wait"), (1008, "rate_limited", "wait"), (1000, "", "wait"), (4999, "?", "wait"),
            (0, "", "wait"),
        ]
    )
    func closeCodes(code: Int, text: String, result: String) {
        var steps = Steps()
        _ = steps.ready([:])
        let actions = steps.close(code == 0 ? nil : code, text)
        #expect(actions.first == "disconnect")
        if result == "wait" {
            #expect(actions == ["disconnect", "state reconnecting"])
            #expect(steps.pass(.seconds(1)) == ["connect 2"])
        } else {
            #expect(actions.last == result)
            #expect(steps.machine.nextDeadline == nil)
        }
    }

    @Test("an expired token is renewed once before the window is ready again; then the app must give a credential")
    func renewal() {
        var steps = Steps()
        _ = steps.ready([:])
        #expect(steps.receive(["type": "tokenExpiring", "inSeconds": 60]) == ["renew"])
        #expect(Steps.texts(steps.machine.renewed("t-2")) == ["reauthenticate t-2"])
        #expect(steps.close(4401, "token_expired").last == "reject tokenExpired token_expired renew")
        #expect(Steps.texts(steps.machine.credentialReplaced(isFresh: false)) == ["connect 2"])
        #expect(steps.machine.connected(2, at: steps.now) == [])
        #expect(steps.close(4401, "token_expired").last == "reject tokenExpired token_expired")
        #expect(steps.machine.nextDeadline == nil)
        #expect(Steps.texts(steps.machine.credentialReplaced(isFresh: true)) == ["connect 3"])
        #expect(steps.ready([:]) == ["resume ", "unread 0", "state ready"])
        #expect(Steps.texts(steps.machine.credentialReplaced(isFresh: true)) == [])
    }

    @Test(
        "the end of a connection as URLSession states it: a close frame, one without a code, or none",
        arguments: [
            (0, nil), (1006, nil), (1005, .closed(code: nil, reason: "gone")),
            (4401, .closed(code: 4401, reason: "gone")),
        ] as [(Int, WindowInput?)]
    )
    func end(code: Int, input: WindowInput?) {
        #expect(WindowInput(closeCode: code, reason: Data("gone".utf8)) == input)
    }

    @Test("errors of the token: the app's turn, a repetition, or the end")
    func tokenErrors() {
        let cases: [(SwitchboardError.Code, WindowMachine.Phase)] = [
            (.tokenExpired, .needsCredential), (.authenticationFailed, .needsCredential), (.unauthorized, .closed),
            (.notAuthorized, .closed), (.sessionEnded, .waiting(until: .seconds(101))),
            (.overloaded, .waiting(until: .seconds(101))),
        ]
        for (code, phase) in cases {
            var steps = Steps()
            _ = steps.machine.open()
            _ = steps.machine.connectFailed(SwitchboardError(code, ""), 1, at: steps.now, spread: 0)
            #expect(steps.machine.phase == phase)
        }
    }

    @Test("a connection without a pong, or without ready, is given up")
    func halfDead() {
        var steps = Steps()
        _ = steps.ready([:])
        #expect(steps.pass(.seconds(25)) == ["ping 1"])
        #expect(steps.machine.receivedPong(1, at: steps.now) == [])
        #expect(steps.pass(.seconds(25)) == ["ping 1"])
        #expect(steps.machine.nextDeadline == steps.now + .seconds(10))
        #expect(steps.pass(.seconds(10)) == ["disconnect", "state reconnecting"])
        #expect(steps.pass(.seconds(1)) == ["connect 2"])
        #expect(steps.machine.connected(2, at: steps.now) == [])
        #expect(steps.pass(.seconds(30)) == ["disconnect"])
    }

    @Test("unknown and incomplete frames are skipped; a text that is no object ends the connection")
    func frames() {
        var steps = Steps()
        _ = steps.ready([:])
        #expect(steps.receive(["type": "seen", "conversation": "c", "upToSequence": 3]) == [])
        #expect(steps.receive(["type": "message", "conversation": "c"]) == [])
        #expect(steps.receive(["type": "sent", "clientId": "a"]) == [])
        #expect(steps.receive(["type": "bye", "reason": "going_away"]) == [])
        #expect(steps.receive(["type": "resolved", "conversation": "c", "by": "agent"]) == ["resolved c false"])
        #expect(steps.receive(["type": "typing", "conversation": "c", "by": "consumer"]) == ["typing c true"])
        #expect(steps.receive(WindowFrames.error("not_found", ref: "ack")) == ["error notFound"])
        #expect(steps.receive(WindowFrames.error("not_found", ref: "resume")) == [])
        #expect(WindowServerFrame(String(repeating: " ", count: WindowClientFrame.maxBytes) + "{}") == nil)
        let truncated: JSONValue = ["messageId": "m", "text": "a…", "truncated": true]
        #expect(GatewayMessage(truncated)?.isTruncated == true)
        #expect(steps.receive([1]) == ["disconnect", "state reconnecting"])
    }

    @Test("inputs of an earlier connection are ignored")
    func stale() {
        var steps = Steps()
        _ = steps.ready([:])
        _ = steps.lose()
        _ = steps.pass(.seconds(1))
        let text = String(decoding: WindowFrames.ready([:]).data, as: UTF8.self)
        #expect(steps.machine.received(.text(text), 1, at: steps.now, spread: 0) == [])
        #expect(steps.machine.lost(1, at: steps.now, spread: 0) == [])
        #expect(steps.machine.connected(1, at: steps.now) == [])
        #expect(steps.machine.phase == .connecting)
    }
}

/// The frames of the gateway.
enum WindowFrames {
    static func ready(_ conversations: [String: (last: Int, read: Int)], unread: Int = 0) -> JSONValue {
        let items = conversations.sorted { $0.key < $1.key }.map { id, counts in
            JSONValue.object([
                "id": .string(id), "lastSequence": .integer(Int64(counts.last)),
                "readSequence": .integer(Int64(counts.read)),
            ])
        }
        return ["type": "ready", "unread": .integer(Int64(unread)), "conversations": .array(items)]
    }

    static func message(_ conversation: String, _ sequence: Int, id: String? = nil) -> JSONValue {
        [
            "type": "message", "messageId": .string(id ?? "\(conversation)-\(sequence)"), "text": "hi",
            "conversation": .string(conversation), "sequence": .integer(Int64(sequence)), "from": "agent",
            "kind": "agent",
        ]
    }

    static func read(_ conversation: String, _ upTo: Int, unread: Int) -> JSONValue {
        [
            "type": "read", "conversation": .string(conversation), "upToSequence": .integer(Int64(upTo)),
            "unread": .integer(Int64(unread)),
        ]
    }

    static func sent(_ clientID: String, _ messageID: String, _ sequence: Int) -> JSONValue {
        [
            "type": "sent", "clientId": .string(clientID), "messageId": .string(messageID),
            "sequence": .integer(Int64(sequence)),
        ]
    }

    static func error(_ code: String, ref: String) -> JSONValue {
        ["type": "error", "code": .string(code), "detail": "no", "ref": .string(ref)]
    }
}
