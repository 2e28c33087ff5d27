import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Testing

@Suite("A push is correct at the moment of sending")
struct TruthTests {
    @Test("the badge is the current unread count, not that of the commit")
    func badgeOfNow() throws {
        var script = MachineScript()
        let first = try script.row(sequence: 1, unread: 1)
        script.turn(owned: [first])
        let second = try script.row(device: 2, sequence: 2, unread: 2)
        script.turn(owned: [second], unread: [ConsumerKey(1): 2])
        #expect(script.take().map(\.badge) == [2, 2])
    }

    @Test("a silent message leaves the badge alone")
    func silent() throws {
        var script = MachineScript()
        let row = try script.row(silent: true)
        script.turn(owned: [row])
        #expect(script.take().map(\.badge) == [nil])
    }

    @Test("R195: a push to a device that was logged out of agents' messages carries no badge")
    func noAgentBadge() throws {
        var script = MachineScript()
        var stored = try script.row(device: 1)
        stored.receivesAgents = false
        let waiting = try script.row(device: 2)
        let loggedOut = try script.row(device: 3)
        let other = try script.row(device: 4)
        script.turn(owned: [stored, waiting, loggedOut, other])
        script.turn(registrations: [2, 3].map { .narrowed(ConsumerKey(1), RegistrationID($0)) })
        #expect(script.take().map(\.badge) == [nil, nil, nil, 1])
    }

    @Test("rows that a commit ended do not leave")
    func ended() throws {
        var script = MachineScript()
        let gone = try script.row(sequence: 1)
        let alsoGone = try script.row(sequence: 2)
        let other = try script.row(device: 2, consumer: 2)
        script.turn(owned: [gone, alsoGone, other])
        script.turn(withdrawn: [gone, alsoGone])
        #expect(script.take().map(\.delivery) == [other.id])
        #expect(script.machine.rowCount == 1)
    }

    @Test("a token that another push proved dead ends the device's waiting rows")
    func deadToken() throws {
        var script = MachineScript()
        let first = try script.row(sequence: 1)
        let second = try script.row(sequence: 2)
        script.turn(owned: [first, second])
        _ = script.take()
        script.respond(first.id, .unregistered(since: script.now), status: 410)
        let plan = script.machine.beginTurn(now: script.now)
        // The others are requeued, and the store ends them in the same commit.
        #expect(plan.outcomes.map(\.token) == [.drop(token: "token-1", since: script.now), .none])
        script.commit(plan)
        #expect(script.take().isEmpty)
        #expect(script.machine.rowCount == 0)
    }

    @Test("read messages are not sent, unread ones are, with the new badge")
    func read() throws {
        var script = MachineScript()
        let first = try script.row(sequence: 1, unread: 2)
        let second = try script.row(sequence: 2, unread: 2)
        script.turn(owned: [first, second])
        script.turn(unread: [ConsumerKey(1): 1], withdrawn: [first])
        let jobs = script.take()
        #expect(jobs.map(\.delivery) == [second.id])
        #expect(jobs.map(\.badge) == [1])
    }

    @Test("an expired row is not sent and finishes as expired")
    func expired() throws {
        var script = MachineScript()
        let short = try script.row(ttlSeconds: 10)
        let long = try script.row(sequence: 2)
        script.turn(owned: [short, long])
        script.now = script.now.adding(seconds: 10)
        #expect(script.take().map(\.delivery) == [long.id])
        #expect(script.turn().outcomes.map(\.disposition) == [.finished(.expired, nil)])
    }

    @Test("a token that changes while rows wait is the one that is used")
    func rotatedToken() throws {
        var script = MachineScript()
        let row = try script.row()
        script.turn(owned: [row])
        let registration = DeviceRegistration(
            id: RegistrationID(1),
            brand: BrandID(trusted: "brand"),
            app: AppID(trusted: "app"),
            device: DeviceID(trusted: "d"),
            consumer: ConsumerID(trusted: "u1"),
            lane: MachineScript.lane,
            token: "rotated",
            pushType: .apns,
            environment: .production,
            platform: .ios,
            locale: nil,
            timeZone: nil,
            osVersion: nil,
            appVersion: nil,
            receives: .all,
            state: .active,
            registeredAt: script.now,
            createdAt: script.now
        )
        script.turn(registrations: [.registered(ConsumerKey(1), registration)])
        #expect(script.take().map(\.token) == ["rotated"])
    }
}
