import GatewayModel
import Testing

@testable import IdentityProviders

@Suite("Sign-ins that were begun")
struct PendingLoginsTests {
    private static func login(_ number: Int, of owner: String = "a", at seconds: UInt64 = 0) -> PendingLogin {
        PendingLogin(
            stateHash: [UInt8(number & 255), UInt8(number >> 8)],
            cookieHash: [],
            nonce: "n",
            verifier: "v",
            redirectURI: "r",
            next: "/console",
            owner: owner,
            startedAt: Timestamp(milliseconds: 0),
            started: seconds * 1_000_000_000
        )
    }

    private static func isThere(_ logins: PendingLogins, _ number: Int, at seconds: UInt64 = 0) -> Bool {
        var copy = logins
        return copy.take(login(number).stateHash, now: seconds * 1_000_000_000) != nil
    }

    @Test("each is taken once, and not after ten minutes")
    func once() {
        var logins = PendingLogins()
        logins.add(Self.login(1))
        logins.add(Self.login(2, at: 5))
        #expect(Self.isThere(logins, 1, at: 599) && !Self.isThere(logins, 1, at: 600))
        #expect(Self.isThere(logins, 2, at: 604) && !Self.isThere(logins, 2, at: 605))
        #expect(logins.take(Self.login(1).stateHash, now: 0) == Self.login(1))
        #expect(logins.take(Self.login(1).stateHash, now: 0) == nil)
        #expect(logins.take([9], now: 0) == nil)
        // One that was begun a moment later may be added before it.
        logins.add(Self.login(3, at: 4))
        #expect(Self.isThere(logins, 3, at: 4) && Self.isThere(logins, 2, at: 4))
    }

    @Test("an address loses its own oldest one beyond its share, and others lose none")
    func share() {
        var logins = PendingLogins()
        logins.add(Self.login(0, of: "b"))
        for number in 1...PendingLogins.capacityPerOwner + 2 { logins.add(Self.login(number)) }
        #expect(!Self.isThere(logins, 1) && !Self.isThere(logins, 2) && Self.isThere(logins, 3))
        #expect(Self.isThere(logins, 0))
    }

    @Test("when there are too many, the address with the most loses its oldest one")
    func capacity() {
        var logins = PendingLogins()
        logins.add(Self.login(0, of: "single"))
        for number in 1...3 { logins.add(Self.login(number, of: "three")) }
        for number in 4..<PendingLogins.capacity { logins.add(Self.login(number, of: "\(number)")) }
        logins.add(Self.login(5000, of: "new"))
        #expect(!Self.isThere(logins, 1))
        for number in [0, 2, 3, 4, PendingLogins.capacity - 1, 5000] { #expect(Self.isThere(logins, number)) }
    }
}
