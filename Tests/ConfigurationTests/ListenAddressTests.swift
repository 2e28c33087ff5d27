import Testing

@testable import Gateway

@Suite("Listen address")
struct ListenAddressTests {
    @Test(
        "HOST:PORT is parsed and formatted again",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8080, true), ("localhost:0", "localhost", 0, true),
            ("[::1]:65535", "::1", 65_535, true), ("0.0.0.0:80", "0.0.0.0", 80, false),
            ("gateway.example:443", "gateway.example", 443, false), ("127.0.1.1:1", "127.0.1.1", 1, true),
            ("127.example:443", "127.example", 443, false),
        ]
    )
    func reads(text: String, host: String, port: Int, loopback: Bool) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.host == host && address.port == port && address.isLoopback == loopback)
        #expect(address.description == text)
    }

    @Test(
        "anything else is rejected",
        arguments: [
            "", ":", ":80", "h", "h:", "h:-1", "h:+1", "h:65536", "h:1x", "::1:80", "http://h:80", "a b:1", "h:٣",
        ]
    )
    func refuses(text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
