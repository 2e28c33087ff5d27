import GuardedHTTP
import NIOCore
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Shares per address")
struct AddressShareTests {
    private static func shares(
        proxies: [String] = ["127.0.0.0/8", "::1"],
        clock: TestClock = TestClock(),
        log: CapturedLog = CapturedLog()
    ) throws -> AddressShares {
        let ranges = try proxies.map { try #require(AddressRange($0)) }
        return AddressShares(ServerLimits(trustedProxies: ranges), clock: clock, logger: log.logger)
    }

    @Test("owners that hold nothing are not stored")
    func bounded() {
        var shares = Shares<Int>()
        for owner in 0..<1000 {
            shares.take(2, of: owner)
            shares.release(of: owner)
        }
        #expect(shares.count == 1000 && shares[7] == 1)
        for owner in 0..<1000 { shares.release(of: owner) }
        #expect(shares.count == 0 && shares[7] == 0)
    }

    @Test("an address gets its slots and no more, and none of another's")
    func slots() throws {
        var slots = SlotShares(limit: 10, perAddress: 4)
        let one = AddressShare(try #require(InternetAddress("203.0.113.9")))
        let other = AddressShare(try #require(InternetAddress("203.0.113.10")))
        for _ in 0..<4 { #expect(slots.take(one) == nil) }
        #expect(slots.take(one) == .address)
        for _ in 0..<4 { #expect(slots.take(other) == nil) }
        for _ in 0..<2 { #expect(slots.take(nil) == nil) }
        #expect(slots.take(nil) == .full && slots.rejection(of: one) == .full)
        slots.release(one, nil)
        #expect(slots.taken == 9 && slots.take(other) == .address)
        #expect(slots.take(one) == nil)
    }

    @Test("a slot is released once")
    func once() throws {
        let slots = SharedSlots(limit: 2, perAddress: 1)
        let address = AddressShare(try #require(InternetAddress("::2")))
        let slot = try slots.take(address)
        let other = try slots.take(nil)
        slot.release()
        slot.release()
        let again = try slots.take(address)
        #expect(throws: SlotRejection.full) { try slots.check(nil) }
        again.release()
        other.release()
        try slots.check(address)
    }

    @Test("IPv6 addresses of one site count as one, and an IPv4 address counts as itself in every notation")
    func networks() throws {
        func share(_ name: String) throws -> AddressShare { AddressShare(try #require(InternetAddress(name))) }
        #expect(try share("2001:db8::1") == share("2001:db8::ffff:1:2:3"))
        #expect(try share("2001:db8::1") != share("2001:db8:0:1::1"))
        #expect(try share("::ffff:203.0.113.9") == share("203.0.113.9"))
        #expect(try share("203.0.113.8") != share("203.0.113.9"))
    }

    @Test("the address of a connection's end is read from its structure", arguments: ["203.0.113.9", "2001:db8::a:1"])
    func ends(_ name: String) throws {
        let end = try SocketAddress(ipAddress: name, port: 443)
        #expect(InternetAddress(end)?.description == name && InternetAddress(end) == InternetAddress(name))
        #expect(InternetAddress(try SocketAddress(unixDomainSocketPath: "/tmp/socket")) == nil)
        #expect(InternetAddress(nil as SocketAddress?) == nil)
    }

    @Test("connections of this host and of trusted proxies have no share, others have one")
    func peers() throws {
        let shares = try Self.shares(proxies: ["10.0.0.0/8"])
        for peer in ["127.0.0.1", "127.9.9.9", "::1", "10.1.2.3", "::ffff:10.1.2.3"] {
            #expect(shares.share(ofPeer: InternetAddress(peer)) == nil, "\(peer)")
        }
        #expect(shares.share(ofPeer: nil) == nil)
        #expect(shares.share(ofPeer: InternetAddress("203.0.113.9"))?.part(of: 256) == 256)
    }

    @Test(
        "a request counts for its client, and for its proxy, with half, when the proxy names no client",
        arguments: [
            // A caller on this host, without a proxy.
            ("127.0.0.1", [], false, ["127.0.0.0/8", "::1"], nil, 0),
            ("127.0.0.1", [], true, ["127.0.0.0/8", "::1"], "127.0.0.1", 64),
            ("127.0.0.1", ["203.0.113.9"], true, ["127.0.0.0/8", "::1"], "203.0.113.9", 128),
            ("127.0.0.1", ["unknown"], true, ["127.0.0.0/8", "::1"], "127.0.0.1", 64),
            ("127.0.0.1", [], false, ["127.0.0.1"], "127.0.0.1", 64),
            ("127.0.0.1", [], true, ["10.0.0.0/8"], "127.0.0.1", 64),
            // A proxy on another host.
            ("10.1.2.3", [], false, ["10.0.0.0/8"], "10.1.2.3", 64),
            ("::ffff:10.1.2.3", [], false, ["10.0.0.0/8"], "10.1.2.3", 64),
            ("10.1.2.3", ["203.0.113.9"], false, ["10.0.0.0/8"], "203.0.113.9", 128),
            // A client with a trusted address that a proxy names.
            ("10.1.2.3", ["10.4.4.4"], false, ["10.0.0.0/8"], "10.4.4.4", 128),
            // A header from an untrusted address is ignored.
            ("198.51.100.1", ["203.0.113.9"], true, ["10.0.0.0/8"], "198.51.100.1", 128),
        ] as [(String, [String], Bool, [String], String?, Int)]
    )
    func requests(
        _ peer: String,
        _ forwarded: [String],
        _ isProxied: Bool,
        _ proxies: [String],
        _ expected: String?,
        _ part: Int
    ) throws {
        let shares = try Self.shares(proxies: proxies)
        let ranges = try proxies.map { try #require(AddressRange($0)) }
        let client = ClientAddress(
            peer: InternetAddress(peer),
            forwarded: forwarded,
            isProxied: isProxied,
            proxies: ranges
        )
        let share = shares.share(of: client, peer: InternetAddress(peer))
        #expect(share?.network == expected.flatMap { InternetAddress($0) })
        #expect(share?.part(of: 128) ?? 0 == part)
    }

    @Test("a warning of a proxy that names no client is logged once in ten minutes; none for a proxy that does")
    func warning() throws {
        let (clock, log) = (TestClock(), CapturedLog())
        let shares = try Self.shares(proxies: ["10.0.0.0/8"], clock: clock, log: log)
        func lines() -> Int { log.text.split(separator: "\n").count { $0.contains("names no client") } }
        let proxy = InternetAddress.v4(0x0A01_0203)
        for client in [InternetAddress.v4(0xCB00_7109), .v4(0x0A04_0404)] {
            #expect(shares.share(of: .remote(client), peer: proxy)?.isUnnamedProxy == false)
        }
        #expect(lines() == 0)
        for _ in 0..<3 { #expect(shares.share(of: .remote(proxy), peer: proxy)?.isUnnamedProxy == true) }
        #expect(lines() == 1 && log.text.contains("10.1.2.3"))
        clock.advance(seconds: 601)
        for _ in 0..<3 { _ = shares.share(of: .remote(proxy), peer: proxy) }
        #expect(lines() == 2)
    }
}
