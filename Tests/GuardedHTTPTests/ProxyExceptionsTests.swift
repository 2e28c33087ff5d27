import GuardedHTTP
import Testing

@Suite("Hosts that are reached without the outbound proxy")
struct ProxyExceptionsTests {
    @Test(
        "an entry matches the host as it is written",
        arguments: [
            ("example.com", "example.com", true), ("example.com", "EXAMPLE.com.", true),
            ("Example.COM", "a.b.example.com", true), ("example.com", "badexample.com", false),
            ("example.com", "example.com.evil", false), (".example.com", "example.com", false),
            (".example.com", "a.example.com", true), (".example.com", "aexample.com", false),
            ("localhost", "localhost", true), ("localhost", "a.localhost", true), ("com", "example.com", true),
            ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3", "10.1.2.4", false), ("10.0.0.0/8", "10.9.8.7", true),
            ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/8", "::ffff:10.0.0.1", true),
            ("10.0.0.0/8", "10.example.com", false), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false),
            ("::1", "::1", true), ("::1", "[::1]", true), ("2001:db8::/32", "2001:db8:1::9", true),
            ("2001:db8::/32", "2001:db9::1", false), ("2001:db8::/32", "example.com", false),
            (" example.com ", "example.com", true), ("my_host", "MY_HOST", true), ("example.com", "", false),
        ]
    )
    func matching(entry: String, host: String, isMatch: Bool) throws {
        let exceptions = try #require(ProxyExceptions([entry]))
        #expect(exceptions.contains(host) == isMatch)
        // Further entries change nothing for a host that they do not match.
        #expect(try #require(ProxyExceptions(["other.invalid", entry, "192.0.2.7"])).contains(host) == isMatch)
    }

    @Test(
        "an entry that is no name, suffix, address or range is rejected",
        arguments: [
            "", " ", ".", "..", "a..b", "*.example.com", "*", "http://example.com", "example.com:80", "10.0.0.0/33",
            "10.0.0.0/-1", "10.0.0", "1.2.3.4.5", "[::1]", "ex ample.com", "ex\u{e4}mple.com",
            String(repeating: "a", count: 64),
        ]
    )
    func invalid(entry: String) {
        #expect(ProxyExceptions([entry]) == nil)
        #expect(ProxyExceptions(["example.com", entry]) == nil)
    }

    @Test("the default is this host")
    func loopback() {
        for host in ["localhost", "127.0.0.1", "127.9.9.9", "::1"] { #expect(ProxyExceptions.loopback.contains(host)) }
        #expect(!ProxyExceptions.loopback.contains("example.com"))
        #expect(ProxyExceptions(["localhost", "127.0.0.0/8", "::1"]) == .loopback)
    }

    @Test("a description of the proxy has no credentials")
    func description() {
        let proxy = OutboundProxy(host: "2001:db8::1", port: 3128, credentials: (user: "u", password: "secret"))
        #expect("\(proxy)" == "[2001:db8::1]:3128")
        #expect(proxy.authorizationHeader == "Basic dTpzZWNyZXQ=")
    }
}
