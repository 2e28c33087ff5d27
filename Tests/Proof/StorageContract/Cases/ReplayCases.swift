import GatewayModel
import GatewayStorage
import Testing

/// An event is counted once (R179).
enum ReplayCases {
    static let all = [withinTurn, acrossTurns, otherBody, sources, afterMidnight, afterWindow, withoutMessage, brands]

    static let withinTurn = ContractCase("a replay within a turn counts once and returns the first one's ids") {
        (f) async throws in
        try await f.register("d-1", of: "u-1")
        let requests = [
            f.request([f.message("u-1", id: "e"), f.message("u-1", id: "e")]), f.request([f.message("u-1", id: "e")]),
        ]
        let result = try await f.commit { $0.accepts = requests }
        let first = try result.accepts[0][0].acceptedEvent
        #expect(first.deliveries == 1)
        for replay in [result.accepts[0][1], result.accepts[1][0]] {
            let (event, bodyDiffers) = try replay.duplicateEvent
            #expect(event.messageID == first.messageID && event.sequence == 1 && event.deliveries == 0)
            #expect(event.conversation == first.conversation && event.unread == 1 && !bodyDiffers)
        }
        #expect(try await f.deliveries().count == 1)
        #expect(try await f.unread("u-1") == 1)
    }

    static let acrossTurns = ContractCase("a replay in a later turn, or after a restart, counts nothing") {
        (f) async throws in
        let first = try await f.accepted(f.message("u-1", in: nil, id: "e"))
        try await f.accepted(f.message("u-1", in: "c-2"))
        for life in 0..<2 {
            if life == 1 { _ = try await f.restart() }
            let (event, _) = try await f.accept(f.message("u-1", in: nil, id: "e"))[0].duplicateEvent
            #expect(event.messageID == first.messageID && event.conversation == first.conversation)
            #expect(event.sequence == 1 && event.unread == 2)
        }
        #expect(try await f.unread("u-1") == 2)
    }

    static let otherBody = ContractCase("a replay with another body is reported and counts nothing") {
        (f) async throws in
        let first = try await f.accepted(f.message("u-1", id: "e"))
        var replay = f.message("u-2", in: "c-2", id: "e", text: "something else")
        replay.bodyHash = 2
        let (event, bodyDiffers) = try await f.accept(replay)[0].duplicateEvent
        #expect(bodyDiffers && event.messageID == first.messageID && event.conversation?.rawValue == "c-1")
        #expect(event.unread == 1)
        #expect(try await f.unread("u-2") == 0)
        #expect(try await f.store.consumer(brand: f.brand, id: ConsumerID(trusted: "u-2")) == nil)
    }

    static let sources = ContractCase("one id from two sources is two events") { (f) async throws in
        try await f.accepted(f.message("u-1", id: "e"))
        var other = f.message("u-1", id: "e")
        other.source = "/crm"
        #expect(try await f.accepted(other).sequence == 2)
        #expect(try await f.accept(other)[0].duplicateEvent.event.sequence == 2)
    }

    static let brands = ContractCase("one id in two brands is two events") { (f) async throws in
        let other = BrandID(trusted: "other")
        try await f.makeBrand(other, app: f.app)
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

    static let withoutMessage = ContractCase("a replayed read or resolve does nothing again") { (f) async throws in
        try await f.accepted(f.message("u-1"))
        var read = f.readEvent("u-1", in: "c-1", .sequence(1))
        let resolve = f.event(.conversationResolved, "u-1", in: "c-1")
        try await f.accepted(read)
        try await f.accepted(resolve)
        try await f.accepted(f.message("u-1"))
        read.readTarget = .sequence(2)
        read.bodyHash = 2
        let (event, bodyDiffers) = try await f.accept(read)[0].duplicateEvent
        #expect(event.messageID == nil && event.unread == 1 && bodyDiffers)
        _ = try await f.accept(resolve)[0].duplicateEvent
        #expect(try await f.accepted(f.message("u-1", in: nil)).conversation?.rawValue == "c-1")
    }
}
