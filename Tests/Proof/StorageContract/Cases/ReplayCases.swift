import GatewayModel
import GatewayStorage
import Testing

/// An event is counted once (R179).
enum ReplayCases {
    static let all = [
        sources, afterMidnight, afterWindow, brands, consumers, namedDevices, namedTokens, formerOwners, merged,
        mergedBoth,
    ]

    static let consumers = ContractCase("one id for two consumers is two events, in one turn and across a restart") {
        (f) async throws in
        let ids = ["e", "0190f3c2-7f0e-7cc0-8000-3b2a73afe97c"]
        for id in ids {
            let events = ["u-1", "u-2"].map { f.message($0, id: id) }
            let first = try await f.accept(events[0], events[1], events[0])
            let known = try [first[0].acceptedEvent.messageID, first[1].acceptedEvent.messageID]
            #expect(try known[0] != known[1] && first[2].duplicateEvent.event.messageID == known[0])
            _ = try await f.restart()
            for place in 0...1 {
                #expect(try await f.accept(events[place])[0].duplicateEvent.event.messageID == known[place])
            }
        }
        // A name and an id that meet in another place are another event.
        var other = f.message("u-1", id: "2")
        other.source = "u"
        try await f.accepted(other)
        try await f.accepted(f.message("u-1", id: "u-2"))
        #expect(try await f.unread("u-1") == 4)
        #expect(try await f.unread("u-2") == 2)
        // Ids of all consumers end with their hours.
        f.wait(seconds: 6 * 86_400)
        #expect(try await f.runHousekeeping(.eventIDs(keepHours: [f.brand: 72])) == 6)
        #expect(try await f.accepted(f.message("u-2", id: "e")).sequence == 3)
    }

    static let namedDevices = ContractCase("an event for named devices is one message and one push to each") {
        (f) async throws in
        for device in ["d-1", "d-2", "d-3"] { try await f.register(device, of: "u-1") }
        let known = try await f.registrations("u-1")
        func event(_ place: Int) -> AgentEvent {
            var event = f.message("u-1", in: "c-1", id: "e")
            event.registration = known[place].id
            return event
        }
        let first = try await f.accepted(event(0))
        #expect(first.deliveries == 1 && first.unread == 1)
        for replays in [[(0, 0), (1, 1), (1, 0)], [(0, 0), (1, 0)]] {
            for (place, pushes) in replays {
                let (again, _) = try await f.accept(event(place))[0].duplicateEvent
                #expect(again.messageID == first.messageID && again.unread == 1 && again.deliveries == pushes)
            }
            _ = try await f.restart()
        }
        let devices = try await f.deliveries().map(\.device.rawValue)
        #expect(Set(devices) == ["d-1", "d-2"] && devices.count == 2)
        #expect(try await f.messages("u-1", in: "c-1").count == 1)
        // The same token, registered again, is the same device.
        _ = try await f.change(f.unregister("u-1", device: "d-1", .all))
        let again = try await f.register("d-1", of: "u-1").registration
        #expect(again.id != known[0].id && again.token == known[0].token)
        var renewed = event(0)
        renewed.registration = again.id
        #expect(try await f.accept(renewed)[0].duplicateEvent.event.deliveries == 0)
        // What was read is not pushed any more.
        try await f.accepted(f.readEvent("u-1", in: "c-1", .sequence(1), id: "r"))
        #expect(try await f.accept(event(2))[0].duplicateEvent.event.deliveries == 0)
        let tokens = [known[1].token, "none", again.token]
        let found = try await f.store.registrations(brand: f.brand, tokens: tokens, pushType: .apns)
        #expect(found.map(\.device.rawValue) == ["d-2", "d-1"])
        #expect(try await f.store.registrations(brand: f.brand, tokens: tokens, pushType: .fcm).isEmpty)
    }

    static let namedTokens = ContractCase("an event for a token is the consumer's who has its device in that turn") {
        (f) async throws in
        for device in ["d-1", "d-2"] { try await f.register(device, of: "u-1") }
        let token = "token-of-d-1"
        func event(
            _ id: String,
            _ text: String = "token-of-d-1",
            _ pushType: PushType = .apns,
            app: AppID? = nil
        ) -> AgentEvent {
            var event = f.message("", in: "c-1", id: id)
            event.token = AgentEvent.TokenName(text: text, pushType: pushType, app: app)
            return event
        }
        let first = try await f.accepted(event("e-1", app: f.app))
        #expect(first.deliveries == 1 && first.unread == 1)
        for replays in [[(token, 0), ("token-of-d-2", 1)], [(token, 0), ("token-of-d-2", 0)]] {
            for (token, pushes) in replays {
                let again = try await f.accept(event("e-1", token))[0].duplicateEvent.event
                #expect(again.messageID == first.messageID && again.deliveries == pushes)
            }
            _ = try await f.restart()
        }
        // Of another app or transport, and one that nobody has.
        let none = AppID(trusted: "none")
        let others = [event("e-2", app: none), event("e-2", token, .fcm), event("e-2", "token-of-d-9")]
        for other in others { #expect(try await f.accept(other) == [.rejected(.unknownToken)]) }

        // The device moves to another consumer in the turn of the event.
        let moved = f.request([event("e-3")])
        let turn = try await f.commit { turn in
            turn.changes = [.register(f.device("d-1", of: "u-2"))]
            turn.accepts = [moved]
        }
        #expect(try #require(turn.accepts.first?.first).acceptedEvent.deliveries == 1)
        #expect(try await f.messages("u-2", in: "c-1").count == 1)
        #expect(try await f.messages("u-1", in: "c-1").count == 1)
        // Its token moves to another device, which only wants proactive pushes.
        try await f.register(f.device("d-3", of: "u-3", token: token, receives: .proactive))
        #expect(try await f.accept(event("e-4")) == [.rejected(.notReceived)])
        var proactive = event("e-4")
        (proactive.type, proactive.kind) = (.proactiveMessage, .proactive)
        #expect(try await f.accepted(proactive).deliveries == 1)
        #expect(try await f.unread("u-2") == 1)
        _ = try await f.change(f.unregister("u-3", device: "d-3", .all))
        #expect(try await f.accept(proactive) == [.rejected(.unknownToken)])
        // Its provider reported it as malformed.
        let row = try #require(try await f.claim().rows.first { $0.token == "token-of-d-2" })
        let verdict = OutcomeRecord.TokenEffect.quarantine(token: row.token)
        let failed = PushOutcome.rejected(token: .quarantine)
        try await f.outcome(f.record(row, .finished(.failed, nil), failed, status: 400, token: verdict))
        #expect(try await f.accept(event("e-5", row.token)) == [.rejected(.notReceived)])
        // Nothing of another brand's.
        let other = try await f.makeOtherBrand()
        let foreign = f.request([event("e-5", "token-of-d-2")], brand: other)
        let results = try await f.commit { $0.accepts = [foreign] }.accepts
        #expect(results == [[.rejected(.unknownToken)]])
        _ = try await f.store.deleteBrand(f.brand, audit: nil)
        #expect(try await f.accept(event("e-6", "token-of-d-2")) == [.rejected(.unknownBrand)])
    }

    static let formerOwners = ContractCase("an event for a token is never that of a consumer who had it before") {
        (f) async throws in
        func event(_ id: String) -> AgentEvent {
            var event = f.message("", id: id)
            event.token = AgentEvent.TokenName(text: "token-of-d-1", pushType: .apns)
            return event
        }
        // After an erasure the numbers of the rows are given again.
        for consumer in ["u-1", "u-2", "u-3"] {
            try await f.register("d-1", of: consumer)
            #expect(try await f.accepted(event("e-1")).unread == 1)
            #expect(try await f.unread(consumer) == 1)
            if consumer != "u-3" { #expect(try await ErasureCases.erase(f, consumer).count == 1) }
        }
        // After a merge it is the other consumer's, and after its end nobody's.
        try await f.openAnonymous(1, "a-1", device: "d-1")
        try await f.register("d-1", of: "a-1")
        #expect(try await f.accepted(event("e-2")).unread == 1)
        try await f.open(f.session(2, "u-4", device: "d-1"), anonymous: 1)
        #expect(try await f.accepted(event("e-3")).unread == 2)
        #expect(try await f.unread("u-3") == 1)
        _ = try await f.store.deleteApp(brand: f.brand, app: f.app, audit: nil)
        #expect(try await f.accept(event("e-4")) == [.rejected(.unknownToken)])
    }

    static let merged = ContractCase("an event of a merged consumer is a replay under either name, across a restart") {
        (f) async throws in
        try await f.openAnonymous(1, "a-1", device: "d-1")
        let first = try await f.accepted(f.message("a-1", in: "c-a", id: "e"))
        let read = f.readEvent("a-1", in: "c-a", .sequence(1), id: "r")
        try await f.accepted(read)
        try await f.accepted(f.message("u-1", in: "c-u"))
        try await f.open(f.session(2, device: "d-1"), anonymous: 1)
        for life in 1...2 {
            for name in ["a-1", "u-1"] {
                let (event, _) = try await f.accept(f.message(name, in: "c-a", id: "e"))[0].duplicateEvent
                #expect(event.messageID == first.messageID && event.sequence == 1 && event.unread == 1, "\(life)")
                let again = f.readEvent(name, in: "c-a", .sequence(1), id: "r")
                #expect(try await f.accept(again)[0].duplicateEvent.event.messageID == nil)
            }
            _ = try await f.restart()
        }
        // One that came under the old name after the merge, too.
        let later = try await f.accepted(f.message("a-1", in: "c-a", id: "later"))
        for name in ["u-1", "a-1"] {
            let (event, _) = try await f.accept(f.message(name, in: "c-a", id: "later"))[0].duplicateEvent
            #expect(event.messageID == later.messageID)
        }
        #expect(try await f.unread("u-1") == 2)
        // Another consumer's is another event.
        #expect(try await f.accepted(f.message("u-2", in: "c-a", id: "e")).sequence == 1)
    }

    static let mergedBoth = ContractCase("where both have an event of one id, a replay is that of the name it has") {
        (f) async throws in
        try await f.openAnonymous(1, "a-1", device: "d-1")
        let theirs = try await f.accepted(f.message("a-1", in: "c-a", id: "e"))
        let own = try await f.accepted(f.message("u-1", in: "c-u", id: "e"))
        try await f.open(f.session(2, device: "d-1"), anonymous: 1)
        #expect(try await f.unread("u-1") == 2)
        for _ in 1...2 {
            let (first, _) = try await f.accept(f.message("a-1", in: "c-a", id: "e"))[0].duplicateEvent
            #expect(first.messageID == theirs.messageID && first.unread == 2)
            let (second, _) = try await f.accept(f.message("u-1", in: "c-u", id: "e"))[0].duplicateEvent
            #expect(second.messageID == own.messageID && second.unread == 2)
            _ = try await f.restart()
        }
    }

    static let sources = ContractCase("one id from two sources is two events") { (f) async throws in
        try await f.accepted(f.message("u-1", id: "e"))
        var other = f.message("u-1", id: "e")
        other.source = "/crm"
        #expect(try await f.accepted(other).sequence == 2)
        #expect(try await f.accept(other)[0].duplicateEvent.event.sequence == 2)
    }

    static let brands = ContractCase("one id in two brands is two events") { (f) async throws in
        let other = try await f.makeOtherBrand()
        try await f.accepted(f.message("u-1", id: "e"))
        let request = f.request([f.message("u-1", id: "e")], brand: other)
        let result = try await f.commit { $0.accepts = [request] }
        #expect(try result.accepts[0][0].acceptedEvent.sequence == 1)
    }

    static let afterMidnight = ContractCase("an id is stored for the whole window, across midnights") {
        (f) async throws in
        let first = try await f.accepted(f.message("u-1", id: "e"))
        for _ in 0..<12 {
            f.wait(seconds: 6 * 3600 - 1)
            #expect(try await f.accept(f.message("u-1", id: "e"))[0].duplicateEvent.event.messageID == first.messageID)
        }
        // A clock that was set back does not delete stored ids.
        f.wait(seconds: -9 * 86_400)
        #expect(try await f.accept(f.message("u-1", id: "e"))[0].duplicateEvent.event.messageID == first.messageID)
        #expect(try await f.unread("u-1") == 1)
    }

    static let afterWindow = ContractCase("long after the window an id may be used again") { (f) async throws in
        try await f.accepted(f.message("u-1", id: "e"))
        f.wait(seconds: 10 * 86_400)
        #expect(try await f.accepted(f.message("u-1", id: "e")).sequence == 2)
        #expect(try await f.accept(f.message("u-1", id: "e"))[0].duplicateEvent.event.sequence == 2)
    }
}
