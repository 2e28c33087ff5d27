import PushSimulator
import Testing

@Suite struct ValueTests {
    @Test(
        "a time is written as RFC 3339 in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_709_210_096_007, "2024-02-29T12:34:56.007Z"),
            (1_735_689_599_999, "2024-12-31T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        ] as [(Int64, String)]
    )
    func times(milliseconds: Int64, text: String) {
        #expect(SimulatorTime(milliseconds: milliseconds).rfc3339 == text)
    }

    @Test("generated ids are distinct UUIDs of version 4")
    func uuids() throws {
        let form = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        let ids = (0..<200).map { _ in RandomID.uuid() }
        #expect(ids.allSatisfy { $0.wholeMatch(of: form) != nil })
        #expect(Set(ids).count == ids.count)
    }

    @Test(
        "addresses are HOST:PORT",
        arguments: [
            ("127.0.0.1:0", "127.0.0.1", 0), ("[::1]:443", "::1", 443), ("localhost:2197", "localhost", 2197),
        ]
    )
    func addresses(text: String, host: String, port: Int) {
        #expect(SimulatorAddress(text) == SimulatorAddress(host: host, port: port))
        #expect(SimulatorAddress(text)?.description == text)
    }

    @Test("other texts are not addresses", arguments: ["127.0.0.1", ":80", "::1:80", "x:70000", "x:", "x:-1"])
    func noAddresses(text: String) {
        #expect(SimulatorAddress(text) == nil)
    }
}
