import GatewayModel
import GatewayStorage
import Testing

/// Anonymous consumers that log in with an identifier (R30).
enum MergeCases {
    static let all = [
        proofs, late, candidates, never, logged, big, byBackend, refused, ownTimes, crowded, namesakes, namesakesAtRest,
        namesakesWritten,
    ]

    private static func merges(_ opening: SessionOpening) -> [String] { opening.merged.map(\.id.rawValue) }

    static let proofs = ContractCase("only the token of an anonymous session that did not end proves who is merged") {
        (f) async throws in
        let other = try await f.makeOtherBrand()
        try await f.makeCredential("key-1")
        // Knowing the device has no effect, even where the other's registration is on it.
        try await f.openAnonymous(1, "a-1", device: "d-1")
        try await f.register("d-1", of: "a-1")
        #expect(try await merges(f.open(f.session(101, device: "d-1"))).isEmpty)
        // An unknown token, one of a consumer with an identifier, another brand's.
        try await f.open(f.session(2, "u-9", device: "d-1"))
        try await f.change(f.anonymous("a-3", brand: other))
        var theirs = f.session(3, "a-3", device: "d-1")
        theirs.brand = other
        try await f.open(theirs)
        // Of ended sessions: by a logout, by a remote logout, by the end of its credential, by the consumer's erasure.
        for byte in UInt8(4)...7 { try await f.change(f.anonymous("a-\(byte)")) }
        for byte in [UInt8(4), 5, 7] { try await f.open(f.session(byte, "a-\(byte)", device: "d-1")) }
        try await f.open(f.session(6, "a-6", device: "d-1", credential: "key-1"))
        try await f.change(.endSession(tokenHash: f.session(4).tokenHash, unregister: .none))
        try await f.change(f.remoteLogout("a-5", device: "d-1", .none))
        _ = try await f.store.revokeCredential(brand: f.brand, id: "key-1", now: f.now, audit: nil)
        try await f.change(f.erasure("a-7"))
        // A consumer that has got an identifier since.
        try await f.openAnonymous(8, "a-8", device: "d-1")
        try await f.change(f.identified("a-8"))
        for byte in [UInt8(2), 3, 4, 5, 6, 7, 8, 99] {
            let opening = try await f.open(f.session(byte + 100, device: "d-1"), anonymous: byte)
            #expect(merges(opening).isEmpty && opening.consumer.rawValue == "u-1", "token \(byte)")
        }
        for byte in [UInt8(2), 3, 8] { #expect(try await f.hasSession(byte)) }
        // A login without an identifier merges nobody.
        try await f.change(f.anonymous("a-9"))
        #expect(try await merges(f.open(f.session(9, "a-9", device: "d-1"), anonymous: 1)).isEmpty)
        // The token itself does, once, on any device, and also where the login names none.
        #expect(try await merges(f.open(f.session(10), anonymous: 1)) == ["a-1"])
        #expect(try await !f.hasSession(1))
        #expect(try await merges(f.open(f.session(11, "u-2"), anonymous: 1)).isEmpty)
    }

    static let late = ContractCase("an anonymous session's token proves a merge for some days after its expiry") {
        (f) async throws in
        let day: Int64 = 86_400
        for byte in UInt8(1)...6 {
            try await f.change(f.anonymous("a-\(byte)"))
            let terms = LoginTerms(anonymousMergeDays: byte == 6 ? 0 : 2)
            try await f.change(.openSession(f.session(byte, "a-\(byte)", device: "d-\(byte)", seconds: 60), terms))
        }
        func merged(_ byte: UInt8, by login: UInt8, after seconds: Int64, days: Int64 = 2) async throws -> [String] {
            f.wait(seconds: seconds)
            // The session that a pass removed was no longer proof.
            _ = try await f.runHousekeeping(.sessions, limit: 1)
            var terms = LoginTerms(anonymousMergeDays: days)
            terms.anonymousToken = f.session(byte).tokenHash
            let change = StoreChange.openSession(f.session(login, "u-\(byte)", device: "d-\(byte)"), terms)
            return try await merges(f.change(change).opening)
        }
        #expect(try await merged(1, by: 11, after: 30, days: 0) == ["a-1"])
        // The brand's present setting applies.
        #expect(try await merged(2, by: 12, after: 31, days: 0) == [])
        #expect(try await merged(2, by: 13, after: 0, days: 1) == ["a-2"])
        #expect(try await merged(3, by: 14, after: 2 * day - 1) == ["a-3"])
        #expect(try await f.hasSession(4))
        #expect(try await merged(4, by: 15, after: 1) == [])
        // It is not stored for longer; but in any case for a day.
        #expect(try await merged(5, by: 16, after: 0, days: 30) == [])
        for byte in UInt8(4)...6 { #expect(try await !f.hasSession(byte)) }
    }

    static let candidates = ContractCase(
        "where a brand merges by device, its latest session and registrations name the consumers"
    ) {
        (f) async throws in
        try await f.openAnonymous(1, "a-1", device: "d-1")
        try await f.register("d-1", of: "a-1")
        f.wait(seconds: 1)
        try await f.openAnonymous(2, "a-2", device: "d-1")
        f.wait(seconds: 1)
        // An older session of the device, with nothing else.
        try await f.openAnonymous(3, "a-3", device: "d-2")
        f.wait(seconds: 1)
        try await f.openAnonymous(4, "a-4", device: "d-2")
        f.wait(seconds: 7200)
        #expect(try await merges(f.open(f.session(11, device: "d-1"), merging: .device)) == ["a-1", "a-2"])
        // A presented token counts in addition.
        let opening = try await f.open(f.session(12, "u-2", device: "d-2"), anonymous: 3, merging: .device)
        #expect(Set(merges(opening)) == ["a-3", "a-4"])
        // Registrations and sessions that a logout has ended belong to nobody.
        try await f.openAnonymous(5, "a-5", device: "d-5")
        try await f.register("d-5", of: "a-5")
        try await f.change(.endSession(tokenHash: f.session(5).tokenHash, unregister: .all))
        #expect(try await merges(f.open(f.session(13, "u-3", device: "d-5"), merging: .device)).isEmpty)
        // A session that is kept only as proof does not name its device's consumer a day after its expiry.
        try await f.openAnonymous(6, "a-6", device: "d-6")
        f.wait(seconds: 3600 + 86_401)
        #expect(try await merges(f.open(f.session(14, "u-4", device: "d-6"), merging: .device)).isEmpty)
        #expect(try await merges(f.open(f.session(15, "u-4", device: "d-6"), anonymous: 6)) == ["a-6"])
    }

    static let never = ContractCase("no consumer with an identifier, another device or another brand is merged") {
        (f) async throws in
        let other = try await f.makeOtherBrand()
        try await f.register("d-1", of: "u-9")
        try await f.open(f.session(1, "u-9", device: "d-1"))
        try await f.openAnonymous(2, "a-2", device: "d-2")
        try await f.openAnonymous(3, "a-3", device: nil)
        try await f.change(f.anonymous("a-4", brand: other))
        var theirs = f.session(4, "a-4", device: "d-1")
        theirs.brand = other
        try await f.open(theirs)
        var their = f.device("d-1", of: "a-4")
        their.brand = other
        try await f.register(their)
        // A consumer that has got an identifier since.
        try await f.openAnonymous(5, "a-5", device: "d-5")
        try await f.change(f.identified("a-5"))
        for (byte, device) in [(UInt8(11), "d-1" as String?), (12, nil), (13, "d-5")] {
            #expect(try await merges(f.open(f.session(byte, device: device), merging: .device)).isEmpty)
        }
        // An anonymous login merges nobody.
        try await f.change(f.anonymous("a-6"))
        #expect(try await merges(f.open(f.session(14, "a-6", device: "d-2"), merging: .device)).isEmpty)
        for byte in UInt8(1)...5 { #expect(try await f.hasSession(byte)) }
        #expect(try await f.registrations("u-9").count == 1)
    }

    static let logged = ContractCase("a merged consumer's deliveries are listed, reported and retried as the other's") {
        (f) async throws in
        try await f.openAnonymous(1, "a-1", device: "d-1")
        try await f.register("d-1", of: "a-1")
        try await f.register("d-2", of: "u-1")
        f.giveSlots(9)
        let theirs = try await f.ownedRow(f.message("a-1", in: "c-a"))
        try await f.outcome(f.response(theirs, .rejected(token: .keep), status: 400, reason: "BadTopic"))
        let own = try await f.ownedRow(f.message("u-1", in: "c-u"))
        try await f.outcome(f.response(own))
        try await f.open(f.session(2, device: "d-1"), anonymous: 1)
        let waiting = try await f.owned(f.message("u-1", in: "c-u")).map(\.id)
        for name in ["u-1", "a-1"] {
            var query = DeliveryQuery(brand: f.brand, limit: 500)
            query.consumer = ConsumerID(trusted: name)
            let found = try await f.store.deliveries(query).items
            #expect(found.map(\.id) == (waiting + [own.id, theirs.id]).sorted(by: >))
            #expect(found.allSatisfy { $0.consumer.rawValue == "u-1" })
            query.limit = 1
            var ids: [DeliveryID] = []
            repeat {
                let page = try await f.store.deliveries(query)
                ids += page.items.map(\.id)
                query.before = page.next
            } while query.before != nil
            #expect(ids == found.map(\.id))
            query.limit = 500
            let changes = try await f.store.deliveryChanges(query, after: 0)
            #expect(Set(changes.items.map(\.record.id)) == [own.id, theirs.id])
        }
        let retry = RetryRequest(brand: f.brand, delivery: theirs.id, ttlSeconds: 600)
        guard case .retried = try await f.change(.retry(retry)) else { throw Unexpected(what: "not retried") }
        let again = try #require(try await f.claim().rows.first)
        #expect(again.id == theirs.id && again.unread == 3)
        try await f.outcome(f.response(again))
        let receipt = f.receipt("u-1", "d-1", try #require(theirs.message?.id))
        #expect(try await f.change(receipt).recorded == 1)
        #expect(try await f.delivery(theirs.id).record.state == .delivered)
    }

    static let big = ContractCase("a consumer with many messages is merged completely") { (f) async throws in
        try await f.openAnonymous(1, "a-1", device: "d-1")
        try await f.register("d-1", of: "a-1")
        for batch in 0..<5 {
            let request = f.request((0..<200).map { f.message("a-1", in: "c-\(($0 + batch) % 7)") })
            _ = try await f.commit { $0.accepts = [request] }
        }
        try await f.accepted(f.message("u-1", in: "c-u"))
        try await f.open(f.session(2, device: "d-1"), anonymous: 1)
        #expect(try await f.unread("u-1") == 1001)
        let all = try await f.store.messages(
            brand: f.brand,
            consumer: ConsumerID(trusted: "u-1"),
            conversation: nil,
            afterSequence: 0,
            after: nil,
            limit: 2000
        )
        #expect(all?.count == 1001)
        // By its id it is the survivor's too, and of no other brand.
        let first = try #require(all?.first)
        #expect(try await f.store.message(first.id, of: f.brand)?.consumer == ConsumerID(trusted: "u-1"))
        #expect(try await f.store.message(first.id, of: f.brand)?.text == first.text)
        #expect(try await f.store.message(first.id.derived(by: .max), of: f.brand) == nil)
        #expect(try await f.store.message(first.id, of: BrandID(trusted: "another")) == nil)
        #expect(try await f.claim(limit: 2000).rows.count == 1000)
    }
    // MARK: By a back-end

    private static func merge(_ f: ContractFixture, _ from: String, into consumer: String) -> StoreChange {
        var request = MergeRequest(
            brand: f.brand,
            consumer: ConsumerID(trusted: consumer),
            from: ConsumerID(trusted: from)
        )
        request.audit = AuditEntry(
            brand: f.brand,
            at: f.now,
            actor: .admin,
            action: .consumerMerged,
            target: "\(from) -> \(consumer)"
        )
        return .merge(request)
    }

    private static func merged(_ result: StoreChangeResult) throws -> SessionOpening {
        guard case .merged(let opening) = result else { throw Unexpected(what: "\(result)") }
        return opening
    }

    private static func rejection(_ result: StoreChangeResult) throws -> MergeRejection {
        guard case .notMerged(let rejection) = result else { throw Unexpected(what: "\(result)") }
        return rejection
    }

    private static func audited(_ f: ContractFixture) async throws -> [String] {
        try await f.store.audit(AuditQuery(brand: f.brand, limit: 100)).map(\.entry)
            .filter { $0.action == .consumerMerged }.map(\.target)
    }

    static let byBackend = ContractCase("a back-end merges a consumer, known or not, once; everything moves") {
        (f) async throws in
        f.giveSlots(9)
        for (place, name) in ["a-1", "u-2"].enumerated() {
            if name == "a-1" { try await f.change(f.anonymous(name)) }
            let byte = UInt8(place + 1)
            try await f.open(f.session(byte, name, device: "d-\(byte)"))
            let registration = try await f.register("d-\(byte)", of: name).registration.id
            let first = try await f.ownedRow(f.message(name, in: "c-\(byte)"))
            try await f.outcome(f.response(first))
            let offer = try #require(try await f.accepted(f.proactive(name, in: "p-\(byte)")).messageID)
            try await f.accepted(f.message("u-1", in: "c-u"))
            let before = try await f.unread("u-1")

            let result = try await f.commit { $0.changes = [merge(f, name, into: "u-1")] }
            let opening = try merged(result.changes[0])
            let key = try #require(try await f.store.consumer(brand: f.brand, id: ConsumerID(trusted: name))?.key)
            #expect(merges(opening) == [name] && opening.consumer.rawValue == "u-1" && opening.endedSessions == 1)
            #expect(opening.merged.first?.into == key && result.unread[key] == before + 1)
            #expect(try await !f.hasSession(byte))
            #expect(try await f.registrations("u-1").map(\.id).contains(registration))
            #expect(try await f.unread("u-1") == before + 1)
            #expect(try await f.messages("u-1", in: "c-\(byte)").count == 1)
            let pending = try await f.store.pendingProactive(
                brand: f.brand,
                consumer: ConsumerID(trusted: "u-1"),
                before: nil,
                now: f.now,
                limit: 10
            )
            #expect(pending.first?.id == offer)
            #expect(try await f.change(f.tap("u-1", "d-\(byte)", offer)).tapResult.first)
            #expect(try await f.accepted(f.message(name, in: nil)).unread == before + 2)
            // A repetition has the same result, across a restart too.
            _ = try await f.restart()
            let again = try merged(try await f.change(merge(f, name, into: "u-1")))
            #expect(again.merged.isEmpty && again.endedSessions == 0)
            #expect(try await f.unread("u-1") == before + 2)
        }
        #expect(try await audited(f) == ["u-2 -> u-1", "a-1 -> u-1"])
        // A login by the old id is one of the other consumer.
        #expect(try await f.open(f.session(9, "u-2")).consumer.rawValue == "u-1")
    }

    static let refused = ContractCase("an unknown, the same or an already merged consumer is not merged") {
        (f) async throws in
        let other = try await f.makeOtherBrand()
        try await f.change(f.anonymous("a-9", brand: other))
        try await f.change(f.anonymous("a-1"))
        for name in ["u-1", "u-2", "u-3"] { try await f.accepted(f.message(name, in: "c-\(name)")) }
        #expect(try await f.change(merge(f, "u-1", into: "nobody")).isNotFound)
        #expect(try await rejection(f.change(merge(f, "a-9", into: "u-1"))) == .unknown)
        #expect(try await rejection(f.change(merge(f, "nobody", into: "u-1"))) == .unknown)
        #expect(try await rejection(f.change(merge(f, "u-1", into: "u-1"))) == .itself)
        #expect(try await rejection(f.change(merge(f, "u-1", into: "a-1"))) == .intoAnonymous)
        _ = try await f.change(merge(f, "u-2", into: "u-1"))
        #expect(try await rejection(f.change(merge(f, "u-1", into: "u-2"))) == .itself)
        #expect(try await rejection(f.change(merge(f, "u-2", into: "u-3"))) == .elsewhere)
        // In another brand its id leads nowhere.
        #expect(try await f.store.consumer(brand: other, id: ConsumerID(trusted: "u-2")) == nil)
        let erase = f.erasure("u-3")
        _ = try await f.change(erase)
        #expect(try await rejection(f.change(merge(f, "u-3", into: "u-1"))) == .unknown)
        #expect(try await f.change(merge(f, "u-1", into: "u-3")).isNotFound)
        #expect(try await f.unread("u-1") == 2)
        #expect(try await audited(f) == ["u-2 -> u-1"])
    }

    static let ownTimes = ContractCase("merged rows use the quiet hours of their present consumer") {
        (f) async throws in
        let hours = QuietHours.off
        func set(_ hours: QuietHours?, of consumer: String) async throws {
            var change = ProfileChange(brand: f.brand, consumer: ConsumerID(trusted: consumer))
            change.quietHours = .some(hours)
            _ = try await f.change(.changeProfile(change))
        }
        try await f.change(f.anonymous("a-1"))
        try await f.register("d-1", of: "a-1")
        try await f.accepted(f.message("u-1", in: "c-u"))
        try await set(hours, of: "u-1")
        try await f.accepted(f.message("a-1", in: "c-a"))
        let opening = try merged(try await f.change(merge(f, "a-1", into: "u-1")))
        #expect(opening.merged.first?.quietHours == hours)
        #expect(try await f.claim().rows.map { $0.traits?.quietHours } == [hours])
        // The merged one's are deleted with its profile.
        try await f.change(f.anonymous("a-2"))
        try await set(hours, of: "a-2")
        try await set(nil, of: "u-1")
        let second = try merged(try await f.change(merge(f, "a-2", into: "u-1")))
        #expect(second.merged.count == 1 && second.merged.first?.quietHours == nil)
        #expect(try await f.store.consumer(brand: f.brand, id: ConsumerID(trusted: "a-2"))?.quietHours == nil)
    }

    static let crowded = ContractCase("a merge keeps the limit of devices of a consumer, the newest") {
        (f) async throws in
        try await f.change(f.anonymous("a-1"))
        for number in 1...60 { try await f.register("a-\(number)", of: "a-1") }
        f.wait(seconds: 1)
        for number in 1...60 { try await f.register("u-\(number)", of: "u-1") }
        let opening = try merged(try await f.change(merge(f, "a-1", into: "u-1")))
        #expect(opening.endedRegistrations.count == 20)
        let left = try await f.registrations("u-1").map(\.device.rawValue)
        #expect(left.count == 100 && left.count { $0.hasPrefix("u-") } == 60)
    }

    // MARK: Conversations of one id

    static let namesakes = ContractCase("of two conversations of one id that a merge brings together both stay whole") {
        (f) async throws in
        // The longest name is cut to make room.
        let long = String(repeating: "\u{20AC}", count: 85) + "x"
        try await f.openAnonymous(1, "a-1", device: "d-1")
        try await f.register("d-1", of: "a-1")
        for conversation in ["c-1", long, "c-own"] {
            for _ in 1...2 { try await f.accepted(f.message("a-1", in: conversation, text: "theirs")) }
        }
        let tapped = try await f.accepted(f.message("a-1", in: "c-1", text: "theirs"))
        try await f.change(f.read("a-1", "c-1", 1))
        for conversation in ["c-1", long] { try await f.accepted(f.message("u-1", in: conversation, text: "own")) }
        try await f.accepted(f.readEvent("u-1", in: "c-1", .sequence(1)))

        #expect(try await merges(f.open(f.session(2, device: "d-1"), anonymous: 1)) == ["a-1"])
        var renamed: [String] = []
        for life in 1...2 {
            let all = try await f.conversationIDs(of: "u-1")
            renamed = all.filter { !["c-1", long, "c-own"].contains($0) }
            #expect(all.count == 5 && Set(all).count == 5 && renamed.count == 2, "\(life)")
            #expect(renamed.allSatisfy { ConversationID($0) != nil && $0.utf8.count <= 256 && $0.contains("~") })
            #expect(try await f.conversationIDs(of: "a-1") == all)
            #expect(try await f.unread("u-1") == 7)
            #expect(try await f.messages("u-1", in: "c-1").map(\.text) == ["own"])
            #expect(try await f.messages("u-1", in: renamed[0]).map(\.sequence) == [1, 2, 3])
            #expect(try await f.messages("u-1", in: renamed[0]).allSatisfy { $0.text == "theirs" })
            #expect(try await f.messages("u-1", in: renamed[1]).count == 2)
            #expect(try await f.messages("u-1", in: "c-own").count == 2)
            _ = try await f.restart()
        }
        #expect(renamed[0].hasPrefix("c-1~") && renamed[1].hasPrefix("\u{20AC}\u{20AC}"))
        // The id is the conversation of the consumer that stays, whichever name an event has.
        let next = try await f.accepted(f.message("a-1", in: "c-1"))
        #expect(next.sequence == 2 && next.unread == 8 && next.conversation?.rawValue == "c-1")
        let theirs = try await f.accepted(f.message("u-1", in: renamed[0]))
        #expect(theirs.sequence == 4 && theirs.unread == 9)
        let tap = try await f.change(f.tap("u-1", "d-1", try #require(tapped.messageID))).tapResult
        #expect(tap.first)
        try await f.accepted(f.readEvent("u-1", in: renamed[0], .sequence(4)))
        #expect(try await f.unread("u-1") == 6)
        // A second merge finds the ids of the first.
        try await f.change(f.anonymous("a-2"))
        for conversation in ["c-1", renamed[0]] { try await f.accepted(f.message("a-2", in: conversation)) }
        _ = try merged(try await f.change(merge(f, "a-2", into: "u-1")))
        let all = try await f.conversationIDs(of: "u-1")
        #expect(all.count == 7 && Set(all).count == 7)
        #expect(try await f.unread("u-1") == 8)
        _ = try await ErasureCases.erase(f, "u-1")
        while try await f.runHousekeeping(.erasures) > 0 {}
        #expect(try await f.accepted(f.message("u-1", in: "c-1")).sequence == 1)
    }

    static let namesakesAtRest = ContractCase("an archived conversation of one id is that of the consumer that stays") {
        (f) async throws in
        try await f.change(f.anonymous("a-1"))
        for _ in 1...3 { try await f.accepted(f.message("u-1", in: "c-1")) }
        for consumer in ["u-1", "a-1"] { try await f.accepted(f.message(consumer, in: "c-both")) }
        for conversation in ["c-2", "c-3"] { try await f.accepted(f.message("a-1", in: conversation)) }
        let resting = [("u-1", "c-1"), ("u-1", "c-both"), ("a-1", "c-both"), ("a-1", "c-2"), ("a-1", "c-3")]
        for (consumer, conversation) in resting {
            try await f.accepted(f.event(.conversationResolved, consumer, in: conversation))
        }
        f.wait(seconds: 100)
        #expect(try await f.runHousekeeping(.messages(before: [f.brand: f.now])) == 7)
        #expect(try await f.runHousekeeping(.conversations(before: [f.brand: f.now])) == 5)
        // The other way round, too: an archived one meets one with messages.
        try await f.accepted(f.message("a-1", in: "c-1", text: "theirs"))
        try await f.accepted(f.message("u-1", in: "c-2", text: "own"))
        _ = try merged(try await f.change(merge(f, "a-1", into: "u-1")))
        let all = try await f.conversationIDs(of: "u-1")
        #expect(all.count == 2 && all.contains("c-2") && all.contains { $0.hasPrefix("c-1~") })
        _ = try await f.restart()
        // Each continues where its consumer's was.
        #expect(try await f.accepted(f.message("u-1", in: "c-1")).sequence == 4)
        #expect(try await f.accepted(f.message("u-1", in: "c-2")).sequence == 2)
        #expect(try await f.accepted(f.message("a-1", in: "c-3")).sequence == 2)
        #expect(try await f.accepted(f.message("u-1", in: "c-both")).sequence == 2)
        #expect(try await f.unread("u-1") == 6)
    }

    static let namesakesWritten = ContractCase("a message is repeated after its conversation got another id") {
        (f) async throws in
        try await f.change(f.anonymous("a-1"))
        for consumer in ["a-1", "u-1"] { try await f.accepted(f.message(consumer, in: "c-1")) }
        let first = try await f.change(f.words("m-1", "one", of: "a-1")).written
        _ = try merged(try await f.change(merge(f, "a-1", into: "u-1")))
        let again = try await f.change(f.words("m-1", "one")).written
        #expect(again.messageID == first.messageID && again.isRepeated)
        let response = try await f.change(f.words("m-1", "two"))
        guard case .conflict = response else { throw Unexpected(what: "\(response)") }
    }
}
