import Foundation
import GatewayModel
import GatewayStorage
import GuardedHTTP
import Outbound
import Synchronization
import TestSupport
import Testing

@Suite("Webhooks and their receivers", .timeLimit(.minutes(10)))
struct WebhookServiceTests {
    private func url(_ receiver: ReceiverProcess, _ path: String = "/hook") -> String {
        "http://127.0.0.1:\(receiver.port)\(path)"
    }

    @Test("items are posted in order, in batches of at most 100, signed, each once")
    func inOrder() async throws {
        try await WebhookFixture().run { fixture in
            let receiver = try await ReceiverProcess.start([], keys: [WebhookFixture.key], in: fixture.directory)
            try await fixture.makeBrand(url: url(receiver))
            try await fixture.open(1)
            try await fixture.until("the first", isPatient: true) { receiver.requests.count == 1 }
            try await fixture.open(250)
            try await fixture.until("all", isPatient: true) { try await fixture.state().mark == 251 }
            try await fixture.until("what it says of them", isPatient: true) {
                receiver.requests.flatMap(\.positions).count >= 251
            }
            let requests = receiver.requests
            #expect(requests.flatMap(\.positions) == Array(1...251))
            #expect(requests.allSatisfy { $0.positions.count <= 100 && $0.signed == [0] && $0.given == 1 && !$0.gap })
            #expect(Set(requests.map(\.id)).count == requests.count)
            #expect(
                Set(requests.map { "\($0.path) \($0.brand) \($0.host)" }) == ["/hook acme 127.0.0.1:\(receiver.port)"]
            )
        }
    }

    @Test(
        "after an error a receiver gets the same batch again under the same id",
        arguments: ["500", "302", "404", "503:2", "close", "garbage", "429"]
    )
    func again(behaviour: String) async throws {
        try await WebhookFixture().run { fixture in
            let behaviours = [behaviour, behaviour]
            let receiver = try await ReceiverProcess.start(
                behaviours,
                keys: [WebhookFixture.key],
                in: fixture.directory
            )
            try await fixture.makeBrand(url: url(receiver))
            try await fixture.open(3)
            try await fixture.until("the first try", isPatient: true) { try await fixture.state().attempts == 1 }
            // New items wait for the next batch.
            try await fixture.open(2)
            try await fixture.until("the end") { try await fixture.state().mark == 5 }
            let requests = try await receiver.requests(4)
            #expect(requests.map(\.positions) == [[1, 2, 3], [1, 2, 3], [1, 2, 3], [4, 5]])
            #expect(Set(requests.prefix(3).map(\.id)).count == 1 && requests[3].id != requests[0].id)
            #expect(requests.allSatisfy { $0.path == "/hook" }, "a redirect is not followed")
            #expect(try await fixture.state().lastError == nil)
        }
    }

    @Test("a response with a large body counts by its status")
    func large() async throws {
        try await WebhookFixture().run { fixture in
            let receiver = try await ReceiverProcess.start(["big"], keys: [WebhookFixture.key], in: fixture.directory)
            try await fixture.makeBrand(url: url(receiver))
            try await fixture.open(1)
            try await fixture.until("the mark", isPatient: true) { try await fixture.state().mark == 1 }
            _ = try await receiver.requests(1)
        }
    }

    @Test("a receiver that hangs, or responds byte by byte, delays no other and times out after 15 s")
    func slow() async throws {
        try await WebhookFixture().run { fixture in
            let hanging = try await ReceiverProcess.start(["hang"], keys: [WebhookFixture.key], in: fixture.directory)
            let dripping = try await ReceiverProcess.start(["drip"], keys: [WebhookFixture.key], in: fixture.directory)
            let good = try await ReceiverProcess.start([], keys: [WebhookFixture.key], in: fixture.directory)
            try await fixture.makeBrand("hanging", url: url(hanging))
            try await fixture.makeBrand("dripping", url: url(dripping))
            try await fixture.makeBrand("good", url: url(good))
            for brand in ["hanging", "dripping", "good"] { try await fixture.open(1, brand: brand) }
            try await fixture.until("both have it", isPatient: true) {
                hanging.requests.count == 1 && dripping.requests.count == 1
            }
            try await fixture.open(1, brand: "good")
            try await fixture.until("the good one", isPatient: true) { try await fixture.state("good").mark == 2 }
            #expect(try await fixture.state("hanging").attempts == 0)
            try await fixture.until("the given up", isPatient: true) {
                try await fixture.state("hanging").lastError == "timeout"
            }
            try await fixture.until("the second try") { try await fixture.state("hanging").mark == 1 }
            #expect(Set(try await hanging.requests(2).map(\.id)).count == 1)
            // Its head arrived in full within the timeout: that is a response.
            try await fixture.until("the dripping one") { try await fixture.state("dripping").mark == 1 }
        }
    }

    @Test("410 switches it off until the settings are set again")
    func gone() async throws {
        try await WebhookFixture().run { fixture in
            let receiver = try await ReceiverProcess.start(["410"], keys: [WebhookFixture.key], in: fixture.directory)
            try await fixture.makeBrand(url: url(receiver))
            try await fixture.open(1)
            try await fixture.until("off", isPatient: true) { try await fixture.state().isSwitchedOff }
            fixture.clock.advance(seconds: 100_000)
            fixture.service.changed()
            try await fixture.open(1)
            #expect(try await fixture.state().mark == 0)
            var brand = try #require(try await fixture.store.brands().first)
            brand.webhook?.url = url(receiver, "/new")
            #expect(try await fixture.store.updateBrand(brand, audit: nil))
            fixture.set(url: url(receiver, "/new"))
            try await fixture.until("all", isPatient: true) { try await fixture.state().mark == 2 }
            let requests = try await receiver.requests(3)
            #expect(requests.map(\.path) == ["/hook", "/new", "/new"])
            #expect(requests[0].id == requests[1].id)
        }
    }

    @Test(
        "new settings are tried at once, also where the old ones failed after the store had the new ones",
        arguments: ["410", "500"]
    )
    func lateDirectory(behaviour: String) async throws {
        try await WebhookFixture().run { fixture in
            let receiver = try await ReceiverProcess.start(
                [behaviour],
                keys: [WebhookFixture.key],
                in: fixture.directory
            )
            try await fixture.makeBrand(url: url(receiver))
            var brand = try #require(try await fixture.store.brands().first)
            brand.webhook?.url = url(receiver, "/new")
            #expect(try await fixture.store.updateBrand(brand, audit: nil))
            try await fixture.open(1)
            try await fixture.until("the failure", isPatient: true) { try await fixture.state().attempts == 1 }
            fixture.set(url: url(receiver, "/new"))
            try await fixture.until("the post", isPatient: true) { try await fixture.state().mark == 1 }
            #expect(try await receiver.requests(2).map(\.path) == ["/hook", "/new"])
            let state = try await fixture.state()
            #expect(!state.isSwitchedOff && state.attempts == 0)
        }
    }

    @Test("both secrets sign during a rotation")
    func rotation() async throws {
        try await WebhookFixture().run { fixture in
            let other = [UInt8](repeating: 9, count: 24)
            let receiver = try await ReceiverProcess.start(
                [],
                keys: [WebhookFixture.key, other],
                in: fixture.directory
            )
            try await fixture.makeBrand(url: url(receiver), keys: [other, WebhookFixture.key])
            try await fixture.open(1)
            try await fixture.until("it", isPatient: true) { try await fixture.state().mark == 1 }
            let request = try #require(try await receiver.requests(1).first)
            #expect(request.signed == [0, 1] && request.given == 2)
        }
    }

    @Test("unwanted types are skipped; a replay posts stored items again and reports a gap")
    func replay() async throws {
        try await WebhookFixture().run { fixture in
            let receiver = try await ReceiverProcess.start([], keys: [WebhookFixture.key], in: fixture.directory)
            try await fixture.makeBrand(url: url(receiver))
            try await fixture.open(4)
            try await fixture.until("all", isPatient: true) { try await fixture.state().mark == 4 }
            let acme = BrandID(trusted: "acme")
            let before = fixture.clock.now.adding(seconds: 1)
            let old = HousekeepingBatch(
                work: .outbound(before: [acme: before], acknowledgedBefore: before),
                now: fixture.clock.now,
                limit: 2
            )
            #expect(try await fixture.store.runHousekeeping(old).removed == 2)
            _ = try await fixture.store.replayWebhook(brand: acme, after: 0, audit: nil)
            fixture.service.changed()
            try await fixture.until("the replay", isPatient: true) { try await fixture.state().mark == 4 }
            let requests = try await receiver.requests(2)
            #expect(requests.map(\.positions) == [[1, 2, 3, 4], [3, 4]] && requests.map(\.gap) == [false, true])
            fixture.set(url: url(receiver), types: [.messageTapped])
            try await fixture.open(1200)
            try await fixture.until("passed over", isPatient: true) { try await fixture.state().mark == 1204 }
            #expect(receiver.requests.count == 2)
        }
    }

    @Test("the batch decided before a crash is posted after it")
    func afterCrash() async throws {
        let fixture = try WebhookFixture()
        let receiver = try await ReceiverProcess.start([], keys: [WebhookFixture.key], in: fixture.directory)
        // A process that decided on a batch, posted it and did not get the response.
        try await fixture.makeBrand(url: url(receiver))
        try await fixture.open(3)
        var state = try await fixture.state()
        state.batchThrough = 2
        #expect(try await fixture.store.putWebhookState(state, of: OutboundReceiver(brand: BrandID(trusted: "acme"))))
        try await fixture.run { fixture in
            try await fixture.until("all", isPatient: true) { try await fixture.state().mark == 3 }
            let requests = try await receiver.requests(2)
            #expect(requests.map(\.positions) == [[1, 2], [3]])
        }
    }

    @Test(
        "no connection is opened to a name that resolves to this host or to a private network",
        arguments: ["127.0.0.1", "10.0.0.1"]
    )
    func guarded(address: String) async throws {
        let resolver = TestResolver(["93.184.216.34", address])
        try await WebhookFixture(resolver: resolver).run { fixture in
            let receiver = try await ReceiverProcess.start([], keys: [WebhookFixture.key], in: fixture.directory)
            try await fixture.makeBrand(url: "https://innocent.example:\(receiver.port)/")
            try await fixture.open(1)
            try await fixture.until("it", isPatient: true) {
                try await fixture.state().lastError == "forbidden_address"
            }
            #expect(receiver.requests.isEmpty && resolver.asked.withLock { $0 } == ["innocent.example"])
        }
    }

    @Test("the connection goes to the checked address, under the name in the settings")
    func pinned() async throws {
        let resolver = TestResolver(["127.0.0.1"])
        try await WebhookFixture(resolver: resolver).run { fixture in
            let receiver = try await ReceiverProcess.start([], keys: [WebhookFixture.key], in: fixture.directory)
            // A name that the system's resolver cannot resolve.
            try await fixture.makeBrand(url: "http://nowhere-at-all.localhost:\(receiver.port)/hook")
            try await fixture.open(1)
            try await fixture.until("it", isPatient: true) { try await fixture.state().mark == 1 }
            #expect(try await receiver.requests(1).map(\.host) == ["nowhere-at-all.localhost:\(receiver.port)"])
            #expect(resolver.asked.withLock { $0 }.count == 1)
        }
    }

    @Test("a removed webhook ends its task, and one that is set again continues")
    func comesAndGoes() async throws {
        try await WebhookFixture().run { fixture in
            let receiver = try await ReceiverProcess.start([], keys: [WebhookFixture.key], in: fixture.directory)
            try await fixture.makeBrand(url: url(receiver))
            try await fixture.open(1)
            try await fixture.until("it", isPatient: true) { try await fixture.state().mark == 1 }
            fixture.webhooks.entries.withLock { $0 = [:] }
            fixture.service.changed()
            try await fixture.open(1)
            fixture.set(url: url(receiver))
            try await fixture.until("the second", isPatient: true) { try await fixture.state().mark == 2 }
            #expect(try await receiver.requests(2).map(\.positions) == [[1], [2]])
        }
    }
}
