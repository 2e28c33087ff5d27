import GuardedHTTP
import Testing

@Suite("Addresses")
struct AddressKindTests {
    @Test(
        "each address has the kind of the registries, also within IPv6",
        arguments: [
            ("8.8.8.8", AddressKind.global), ("172.15.255.255", .global), ("172.32.0.0", .global),
            ("100.63.255.255", .global), ("100.128.0.0", .global), ("192.167.255.255", .global),
            ("11.0.0.0", .global), ("223.255.255.255", .global), ("169.253.255.255", .global),
            ("127.0.0.1", .loopback), ("127.255.255.254", .loopback), ("::1", .loopback),
            ("10.0.0.1", .privateNetwork), ("172.16.0.1", .privateNetwork), ("172.31.255.255", .privateNetwork),
            ("192.168.1.1", .privateNetwork), ("100.64.0.1", .privateNetwork), ("100.127.255.255", .privateNetwork),
            ("fc00::1", .privateNetwork), ("fdff::1", .privateNetwork), ("64:ff9b:1::a00:1", .privateNetwork),
            ("0.0.0.0", .special), ("0.1.2.3", .special), ("169.254.169.254", .special), ("192.0.0.8", .special),
            ("192.0.2.1", .special), ("192.88.99.1", .special), ("198.18.0.1", .special), ("198.19.255.255", .special),
            ("198.51.100.1", .special), ("203.0.113.1", .special), ("224.0.0.1", .special), ("239.1.1.1", .special),
            ("240.0.0.1", .special), ("255.255.255.255", .special),
            ("2606:4700::1111", .global), ("2a00:1450::1", .global), ("3ffe::1", .global),
            ("::", .special), ("::2", .special), ("::10.0.0.1", .special), ("fe80::1", .special),
            ("febf::1", .special), ("fec0::1", .special), ("ff02::1", .special), ("2001:db8::1", .special),
            ("2001::1", .special), ("2001:1ff::1", .special), ("2001:200::1", .global), ("3fff::1", .special),
            ("3fff:fff::1", .special), ("3fff:1000::1", .global), ("100::1", .special), ("5f00::1", .special),
            ("4000::1", .special), ("1fff::1", .special),
            ("::ffff:10.0.0.1", .privateNetwork), ("::ffff:127.0.0.1", .loopback), ("::ffff:169.254.169.254", .special),
            ("::ffff:8.8.8.8", .global), ("64:ff9b::10.0.0.1", .privateNetwork), ("64:ff9b::8.8.8.8", .global),
            ("64:ff9b::169.254.169.254", .special), ("2002:0a00:0001::1", .privateNetwork),
            ("2002:7f00:0001::", .loopback), ("2002:a9fe:a9fe::1", .special), ("2002:808:808::1", .global),
        ]
    )
    func kinds(text: String, kind: AddressKind) throws {
        #expect(AddressKind(try #require(InternetAddress(text))) == kind)
    }

    @Test(
        "only the canonical forms are addresses",
        arguments: ["2130706433", "0x7f000001", "127.1", "0177.0.0.1", "1.2.3.4.5", "1.2.3", "fe80::1%eth0", "", "::g"]
    )
    func forms(text: String) { #expect(InternetAddress(text) == nil) }

    @Test("an address is formatted as it can be parsed", arguments: ["1.2.3.4", "255.0.0.1", "2001:db8::1", "::1"])
    func text(text: String) { #expect(InternetAddress(text)?.description == text) }
}
