import NIOCore
import Testing

@testable import GuardedHTTP

@Suite("An address policy")
struct AddressPolicyTests {
    private func passes(
        _ text: String,
        _ isLoopback: Bool,
        port: UInt16 = 443,
        _ policy: AddressPolicy
    ) throws -> Bool {
        let address = try #require(InternetAddress(text))
        do {
            try policy.check(address, port: port, isLoopback: isLoopback)
            return true
        } catch { return false }
    }

    @Test(
        "allows a loopback name to resolve to this host only, and other names elsewhere only",
        arguments: [
            // The address, whether the name is a loopback name; allowed by default, with private networks, with
            // loopback.
            ("8.8.8.8", false, true, true, true), ("8.8.8.8", true, false, false, false),
            ("127.0.0.1", true, false, false, true), ("127.0.0.1", false, false, false, false),
            ("::1", true, false, false, true), ("::ffff:127.0.0.1", true, false, false, true),
            ("10.0.0.1", false, false, true, false), ("10.0.0.1", true, false, false, false),
            ("fd00::1", false, false, true, false), ("169.254.169.254", false, false, false, false),
            ("169.254.169.254", true, false, false, false), ("0.0.0.0", true, false, false, false),
            ("::", true, false, false, false), ("fe80::1", false, false, false, false),
        ]
    )
    func judges(_ text: String, _ isLoopback: Bool, _ byDefault: Bool, _ near: Bool, _ here: Bool) throws {
        #expect(try passes(text, isLoopback, AddressPolicy()) == byDefault)
        #expect(try passes(text, isLoopback, AddressPolicy(allowsPrivate: true)) == near)
        #expect(try passes(text, isLoopback, AddressPolicy(allowsLoopback: true)) == here)
    }

    @Test("blocks the gateway's own ports on every address of this host, and on no other host")
    func ownPorts() throws {
        let own = try ["10.1.2.3", "203.0.114.7", "2606:4700::7"].map { try #require(InternetAddress($0)) }
        let ports = OwnPorts { Set(own) }
        ports.add(8080)
        // The system chooses: the port is not known yet.
        ports.add(0)
        let policy = AddressPolicy(allowsPrivate: true, allowsLoopback: true, ownPorts: ports)
        for (text, isLoopback) in [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("10.1.2.3", false),
            ("::ffff:10.1.2.3", false), ("203.0.114.7", false), ("2606:4700::7", false),
        ] {
            #expect(try !passes(text, isLoopback, port: 8080, policy), "\(text)")
            #expect(try passes(text, isLoopback, port: 8081, policy), "\(text)")
        }
        #expect(try passes("10.1.2.4", false, port: 8080, policy) && passes("8.8.8.8", false, port: 8080, policy))
        ports.add(9100)
        #expect(try !passes("127.0.0.1", true, port: 9100, policy))
    }

    @Test("counts every address as this host's while the network interfaces cannot be read")
    func unknownInterfaces() throws {
        let ports = OwnPorts { nil }
        ports.add(8080)
        let policy = AddressPolicy(allowsPrivate: true, ownPorts: ports)
        #expect(try !passes("8.8.8.8", false, port: 8080, policy) && passes("8.8.8.8", false, port: 443, policy))
    }

    @Test("detects this host by the addresses of its network interfaces")
    func interfaces() throws {
        let ports = OwnPorts()
        ports.add(8080)
        let texts = try System.enumerateDevices().compactMap { $0.address?.ipAddress }
        let own = texts.compactMap { InternetAddress($0) }
        #expect(own.contains(.v4(0x7F00_0001)))
        #expect(own.allSatisfy { ports.contains(8080, at: $0) && !ports.contains(8081, at: $0) })
        #expect(!ports.contains(8080, at: .v4(0x0808_0808)))
    }
}
