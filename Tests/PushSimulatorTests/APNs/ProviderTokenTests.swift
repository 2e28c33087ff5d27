import PushSimulator
import Testing

@Suite struct ProviderTokenTests {
    private static func verdict(
        _ validator: APNsValidator,
        _ authorization: String,
        _ connection: inout APNsConnectionState,
        at now: SimulatorTime
    ) throws -> String? {
        var push = try APNsFixture().push()
        push.set("authorization", authorization)
        return validator.verdict(on: push, connection: &connection, at: now).reason
    }

    @Test(
        "a provider token is valid for an hour around its iat",
        arguments: [
            (-3600, nil), (3600, nil), (-3601, "InvalidProviderToken"), (3601, "ExpiredProviderToken"),
        ] as [(Int64, String?)]
    )
    func age(seconds: Int64, expected: String?) throws {
        let fixture = APNsFixture()
        var connection = APNsConnectionState()
        let token = try fixture.authorization(issuedAt: APNsFixture.now.seconds - seconds)
        let reason = try Self.verdict(fixture.validator(), token, &connection, at: APNsFixture.now)
        #expect(reason == expected)
    }

    @Test("a token also expires on an open connection")
    func expiryInUse() throws {
        let fixture = APNsFixture()
        var connection = APNsConnectionState()
        let token = try fixture.authorization()
        let later = SimulatorTime(seconds: APNsFixture.now.seconds + 3601)
        #expect(try Self.verdict(fixture.validator(), token, &connection, at: APNsFixture.now) == nil)
        #expect(try Self.verdict(fixture.validator(), token, &connection, at: later) == "ExpiredProviderToken")
    }

    @Test(
        "a token may be replaced 20 minutes after its first use, not after its signing",
        arguments: [(1199, "TooManyProviderTokenUpdates"), (1200, nil)] as [(Int64, String?)]
    )
    func updates(seconds: Int64, expected: String?) throws {
        let fixture = APNsFixture()
        var connection = APNsConnectionState()
        // Signed 44 minutes before its first use.
        let first = try fixture.authorization(issuedAt: APNsFixture.now.seconds - 2640)
        #expect(try Self.verdict(fixture.validator(), first, &connection, at: APNsFixture.now) == nil)
        let later = SimulatorTime(seconds: APNsFixture.now.seconds + seconds)
        let second = try fixture.authorization(issuedAt: later.seconds)
        #expect(try Self.verdict(fixture.validator(), second, &connection, at: later) == expected)
        // Another connection counts separately.
        var other = APNsConnectionState()
        #expect(try Self.verdict(fixture.validator(), second, &other, at: later) == nil)
    }

    @Test("a second key on one connection is rejected, and valid on another")
    func unrelatedKey() throws {
        let fixture = APNsFixture()
        var second = APNsFixture()
        second.keyID = "KEY0000002"
        let validator = fixture.validator(and: [second.teamKey])
        var connection = APNsConnectionState()
        let (one, two) = (try fixture.authorization(), try second.authorization())
        #expect(try Self.verdict(validator, one, &connection, at: APNsFixture.now) == nil)
        #expect(try Self.verdict(validator, two, &connection, at: APNsFixture.now) == "UnrelatedKeyIdInToken")
        var other = APNsConnectionState()
        #expect(try Self.verdict(validator, two, &other, at: APNsFixture.now) == nil)
    }

    @Test("a key of the other environment is rejected with that reason")
    func otherEnvironment() throws {
        var fixture = APNsFixture()
        fixture.isOfOtherEnvironment = true
        var connection = APNsConnectionState()
        let reason = try Self.verdict(
            fixture.validator(),
            try fixture.authorization(),
            &connection,
            at: APNsFixture.now
        )
        #expect(reason == "BadEnvironmentKeyIdInToken")
    }

    typealias Members = [JSONValue.JSONMember]
    static let alg = JSONValue.JSONMember(name: "alg", value: .string("ES256"))
    static let kid = JSONValue.JSONMember(name: "kid", value: .string("KEY0000001"))
    static let iss = JSONValue.JSONMember(name: "iss", value: .string("TEAM000001"))
    static let iat = JSONValue.JSONMember(name: "iat", value: .integer(APNsFixture.now.seconds))

    static let wrongParts: [(name: String, header: Members, claims: Members)] = [
        ("another algorithm", [.init(name: "alg", value: .string("HS256")), kid], [iss, iat]),
        ("no algorithm", [kid], [iss, iat]),
        ("no key id", [alg], [iss, iat]),
        ("an unknown key id", [alg, .init(name: "kid", value: .string("KEY9999999"))], [iss, iat]),
        ("critical extensions", [alg, kid, .init(name: "crit", value: .array([.string("exp")]))], [iss, iat]),
        ("no team", [alg, kid], [iat]),
        ("another team", [alg, kid], [.init(name: "iss", value: .string("TEAM000002")), iat]),
        ("no iat", [alg, kid], [iss]),
        ("an iat that is text", [alg, kid], [iss, .init(name: "iat", value: .string("1800000000"))]),
        ("an iat in milliseconds", [alg, kid], [iss, .init(name: "iat", value: .integer(1_800_000_000_000))]),
    ]

    @Test("a token with a wrong part is invalid although its signature is right", arguments: wrongParts.indices)
    func malformed(index: Int) throws {
        let row = Self.wrongParts[index]
        let fixture = APNsFixture()
        var connection = APNsConnectionState()
        let token = try fixture.authorization(header: row.header, claims: row.claims)
        let reason = try Self.verdict(fixture.validator(), token, &connection, at: APNsFixture.now)
        #expect(reason == "InvalidProviderToken", "\(row.name)")
    }

    @Test("a valid token of these parts is accepted: the table above differs in one part each")
    func wellFormed() throws {
        let fixture = APNsFixture()
        var connection = APNsConnectionState()
        let token = try fixture.authorization(header: [Self.alg, Self.kid], claims: [Self.iss, Self.iat])
        #expect(try Self.verdict(fixture.validator(), token, &connection, at: APNsFixture.now) == nil)
    }
}
