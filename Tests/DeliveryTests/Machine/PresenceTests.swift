import Delivery
import GatewayModel
import GatewayStorage
import Testing

@Suite("Presence: the open messaging windows")
struct PresenceTests {
    private static let brand = BrandID(trusted: "brand")
    private static let device = DeviceID(trusted: "d1")

    private static func name(_ consumer: String) -> ConsumerName {
        ConsumerName(brand: brand, consumer: ConsumerID(trusted: consumer))
    }

    @Test("a window that closed holds until a turn takes its release, and several of one consumer are one release")
    func release() {
        var presence = Presence()
        let (first, second) = (Self.name("u1"), Self.name("u2"))
        for name in [first, first, second] { presence.open(name, device: nil) }
        for name in [second, first, first] { presence.close(name, device: nil) }
        let before = presence.windows
        #expect(before.holds(first, device: Self.device) && before.holds(second, device: Self.device))
        #expect(presence.takeReleases(atMost: 1) == [second])
        #expect(!presence.windows.contains(second) && presence.windows.holds(first, device: Self.device))
        presence.putBack([second])
        #expect(presence.takeReleases(atMost: 9) == [second, first])
        #expect(presence.windows.isEmpty && !presence.hasReleases)
        // The turn keeps the windows that it began with.
        #expect(before.contains(second))
    }

    @Test("a window that opens again before its release continues to hold")
    func reopened() {
        var presence = Presence()
        let name = Self.name("u1")
        presence.open(name, device: Self.device)
        presence.close(name, device: Self.device)
        presence.open(name, device: nil)
        #expect(presence.takeReleases(atMost: 9) == [name])
        #expect(presence.windows.holds(name, device: Self.device))
        presence.set(perDevice: [Self.brand], pushing: [])
        // Nothing younger may leave before the held rows.
        #expect(presence.windows.holds(name, device: Self.device))
        #expect(presence.takeReleases(atMost: 9) == [name])
        #expect(!presence.windows.holds(name, device: Self.device))
        // Closing a window that was never opened does nothing.
        presence.close(Self.name("u2"), device: nil)
        presence.close(name, device: nil)
        presence.close(name, device: nil)
        #expect(presence.takeReleases(atMost: 9) == [Self.name("u2"), name] && presence.windows.isEmpty)
    }

    @Test("windows hold for the consumer, for their device only, or for nobody, by the brand's setting")
    func settings() {
        var presence = Presence()
        let (name, other) = (Self.name("u1"), DeviceID(trusted: "d2"))
        presence.open(name, device: Self.device)
        func held() -> [Bool] { [Self.device, other].map { presence.windows.holds(name, device: $0) } }
        #expect(held() == [true, true])
        presence.set(perDevice: [Self.brand], pushing: [])
        #expect(held() == [true, true] && presence.takeReleases(atMost: 9) == [name])
        #expect(held() == [true, false])
        presence.set(perDevice: [Self.brand], pushing: [Self.brand])
        #expect(held() == [true, false] && presence.takeReleases(atMost: 9) == [name])
        #expect(held() == [false, false])
        #expect(presence.windows.contains(name))
        presence.set(perDevice: [], pushing: [])
        #expect(held() == [true, true] && !presence.hasReleases)
    }

    @Test("a change that is reverted before its releases continues to hold, and releases nothing that must stay")
    func takenBack() {
        var presence = Presence()
        let names = ["u2", "u1", "u3"].map { Self.name($0) }
        for name in names { presence.open(name, device: nil) }
        presence.set(perDevice: [], pushing: [Self.brand])
        #expect(presence.takeReleases(atMost: 1) == [Self.name("u1")])
        #expect(!presence.windows.holds(Self.name("u1"), device: Self.device))
        #expect(names.filter { presence.windows.holds($0, device: Self.device) } == [names[0], names[2]])
        presence.set(perDevice: [], pushing: [])
        #expect(presence.takeReleases(atMost: 9) == [Self.name("u2"), Self.name("u3")])
        for name in names { #expect(presence.windows.holds(name, device: Self.device)) }
    }
}
