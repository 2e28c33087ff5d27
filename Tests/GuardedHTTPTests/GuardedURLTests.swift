import GuardedHTTP
import Testing

@Suite("A URL that a tenant set")
struct GuardedURLTests {
    @Test(
        "is written again from its parts",
        arguments: [
            ("https://hooks.example.com/a?b=c", "https://hooks.example.com/a?b=c"),
            ("HTTPS://Hooks.Example.COM", "https://hooks.example.com"),
            ("https://hooks.example.com:8443?x", "https://hooks.example.com:8443/?x"),
            ("https://8.8.8.8/x", "https://8.8.8.8/x"),
            ("https://[2606:4700:0:0:0:0:0:1111]:1/x", "https://[2606:4700::1111]:1/x"),
            ("http://127.0.0.1:9000/x", "http://127.0.0.1:9000/x"), ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"),
            ("http://localhost:1/", "http://localhost:1/"), ("https://a.localhost/", "https://a.localhost/"),
            ("https://127.0.0.1/", "https://127.0.0.1/"), ("https://e/@x:1", "https://e/@x:1"),
        ]
    )
    func good(text: String, canonical: String) throws {
        #expect(try GuardedURL(text, policy: AddressPolicy(allowsLoopback: true)).text == canonical)
    }

    @Test(
        "is rejected when it is not https to a public host",
        arguments: [
            "http://hooks.example.com/", "http://8.8.8.8/", "ftp://e/", "//e/", "e", "", "https://", "https:///x",
            "https://u:p@e/", "https://u@e/", "https://@e/", "https://e:0/", "https://e:65536/", "https://e:/",
            "https://e:+1/", "https://e: 1/", "https://e/#f", "https://e\\@f/", "https://e/ä", "https://e /",
            "https://exa%6dple.com/", "https://e..f/", "https://.e/", "https://e./", "https://-\u{0}/",
            "https://10.0.0.1/", "https://192.168.0.1/", "https://172.16.0.1/", "https://100.64.0.1/",
            "https://169.254.169.254/latest/meta-data", "https://0.0.0.0/", "https://224.0.0.1/",
            "https://[fd00::1]/", "https://[fe80::1]/", "https://[::ffff:10.0.0.1]/", "https://[::ffff:a00:1]/",
            "https://[64:ff9b::a00:1]/", "https://[2002:a00:1::]/", "https://[::]/", "https://[::1", "https://[e]/",
            "https://[1.2.3.4]/", "https://[::1]x/", "https://2130706433/", "https://0x7f000001/", "https://0x7f.1/",
            "http://127.0.0.1.example/x", "http://1270.0.0.1/", "ftp://idp.example/", "/token", "https://e/a b",
            "https://idp.example/" + String(repeating: "a", count: 2048), "https://0177.0.0.1/", "https://127.1/",
            "https://1.2.3.4.5/", "https://a.1/", "https://010.8.8.8/",
        ]
    )
    func bad(text: String) {
        #expect(throws: GuardedURL.Rejection.self) { try GuardedURL(text, policy: AddressPolicy(allowsLoopback: true)) }
    }

    @Test("may name a private network if the instance allows it, and no other special address")
    func allowed() throws {
        for text in ["https://10.0.0.1/", "https://[fd00::1]/", "https://100.64.0.1/"] {
            _ = try GuardedURL(text, policy: AddressPolicy(allowsPrivate: true, allowsLoopback: true))
        }
        for text in ["http://10.0.0.1/", "https://169.254.169.254/", "https://[fe80::1]/", "https://0.0.0.0/"] {
            #expect(throws: GuardedURL.Rejection.self) {
                try GuardedURL(text, policy: AddressPolicy(allowsPrivate: true, allowsLoopback: true))
            }
        }
    }

    @Test(
        "may not name this host if loopback is off",
        arguments: [
            "http://127.0.0.1/", "https://127.0.0.1/", "http://localhost:8080/", "https://a.localhost/",
            "https://[::1]/",
            "https://127.255.0.1/",
        ]
    )
    func closedLoopback(text: String) {
        for policy in [AddressPolicy(), AddressPolicy(allowsPrivate: true)] {
            #expect(throws: GuardedURL.Rejection.self) { try GuardedURL(text, policy: policy) }
        }
    }

    @Test("may never name a port of the gateway itself")
    func ownPort() throws {
        let ownPorts = OwnPorts()
        ownPorts.add(8080)
        ownPorts.add(443)
        let policy = AddressPolicy(allowsPrivate: true, allowsLoopback: true, ownPorts: ownPorts)
        for text in [
            "http://127.0.0.1:8080/", "http://127.1.2.3:8080/", "http://localhost:8080/", "http://a.localhost:8080/",
            "http://[::1]:8080/", "https://[::ffff:127.0.0.1]:8080/", "https://localhost/", "https://0.0.0.0:8080/",
            "https://[::]:8080/",
        ] {
            #expect(throws: GuardedURL.Rejection.self) { try GuardedURL(text, policy: policy) }
        }
        for text in ["http://127.0.0.1:8081/", "http://localhost/", "https://8.8.8.8:8080/"] {
            _ = try GuardedURL(text, policy: policy)
        }
    }
}
