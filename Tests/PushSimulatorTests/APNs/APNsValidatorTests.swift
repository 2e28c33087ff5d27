import PushSimulator
import Testing

@Suite struct APNsValidatorTests {
    /// One change to a valid push, and the response of APNs.
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var reason: APNsReason
        var status: Int
        var change: @Sendable (inout SimulatorRequest) -> Void

        init(
            _ name: String,
            _ status: Int,
            _ reason: APNsReason,
            _ change: @escaping @Sendable (inout SimulatorRequest) -> Void
        ) {
            self.testDescription = name
            self.status = status
            self.reason = reason
            self.change = change
        }
    }

    static let refused: [Row] = [
        Row("collapse id of 65 bytes", 400, .badCollapseID) {
            $0.set("apns-collapse-id", String(repeating: "é", count: 32) + "x")
        },
        Row("device token with an odd digit", 400, .badDeviceToken) { $0.path = "/3/device/abc" },
        Row("device token that is not hexadecimal", 400, .badDeviceToken) { $0.path = "/3/device/abxz" },
        Row("expiration that is no number", 400, .badExpirationDate) { $0.set("apns-expiration", "soon") },
        Row("expiration below zero", 400, .badExpirationDate) { $0.set("apns-expiration", "-1") },
        Row("id that is no UUID", 400, .badMessageID) { $0.set("apns-id", "42") },
        Row("priority 7", 400, .badPriority) { $0.set("apns-priority", "7") },
        Row("background push with priority 10", 400, .badPriority) {
            $0.set("apns-push-type", "background")
            $0.set("apns-priority", "10")
        },
        Row("topic that misses the suffix of its push type", 400, .badTopic) { $0.set("apns-push-type", "voip") },
        Row("topic with a space", 400, .badTopic) { $0.set("apns-topic", "com.example bank") },
        Row("token of another app", 400, .deviceTokenNotForTopic) { $0.path = "/3/device/00bb" },
        Row("repeated field", 400, .duplicateHeaders) { $0.headers.append(("apns-topic", APNsFixture.bundleID)) },
        Row("unknown push type", 400, .invalidPushType) { $0.set("apns-push-type", "Alert") },
        Row("no device token", 400, .missingDeviceToken) { $0.path = "/3/device/" },
        Row("no topic", 400, .missingTopic) { $0.set("apns-topic", nil) },
        Row("no body", 400, .payloadEmpty) { $0.body = [] },
        Row("body without aps", 400, .payloadEmpty) { $0.body = Array("{}".utf8) },
        Row("body that is no JSON", 400, .payloadEmpty) { $0.body = Array(#"{"aps":{}"#.utf8) },
        Row("body that is not UTF-8", 400, .payloadEmpty) {
            $0.body = Array(#"{"aps":""#.utf8) + [0xFF] + Array("\"}".utf8)
        },
        Row("topic that the key may not send for", 400, .topicDisallowed) { $0.set("apns-topic", "com.example.shop") },
        Row("no provider token", 403, .missingProviderToken) { $0.set("authorization", nil) },
        Row("provider token of another scheme", 403, .invalidProviderToken) { $0.set("authorization", "basic eDp5") },
        Row("provider token with a changed signature", 403, .invalidProviderToken) { request in
            let value = request.header("authorization") ?? ""
            request.set("authorization", value.dropLast(4) + (value.hasSuffix("AAAA") ? "BBBB" : "AAAA"))
        },
        Row("another path", 404, .badPath) { $0.path = "/4/device/abab" },
        Row("a path with another segment", 404, .badPath) { $0.path += "/more" },
        Row("another method", 405, .methodNotAllowed) { $0.method = "GET" },
        Row("device that is gone", 410, .unregistered) { $0.path = "/3/device/00AA" },
        Row("body of 4097 bytes", 413, .payloadTooLarge) { $0.body = padded(to: 4097) },
        Row("voip body of 5121 bytes", 413, .payloadTooLarge) {
            $0.set("apns-push-type", "voip")
            $0.set("apns-topic", "com.example.bank.voip")
            $0.body = padded(to: 5121)
        },
    ]

    @Test("an invalid push is rejected with Apple's status and reason", arguments: refused)
    func rejection(row: Row) throws {
        let fixture = APNsFixture()
        var push = try fixture.push()
        row.change(&push)
        var connection = APNsConnectionState()
        let verdict = fixture.validator().verdict(on: push, connection: &connection, at: APNsFixture.now)
        #expect(verdict.reason == row.reason.rawValue)
        #expect(verdict.bodyReason == row.reason.rawValue)
        #expect(verdict.reply.status == row.status)
        #expect(row.reason.status == row.status)
        #expect(!verdict.isAccepted)
    }

    static let accepted: [(name: String, change: @Sendable (inout SimulatorRequest) -> Void)] = [
        ("as it is", { _ in }),
        ("no push type", { $0.set("apns-push-type", nil) }),
        ("body of 4096 bytes", { $0.body = padded(to: 4096) }),
        ("collapse id of 64 bytes", { $0.set("apns-collapse-id", String(repeating: "é", count: 32)) }),
        ("expiration 0", { $0.set("apns-expiration", "0") }),
        (
            "background push with priority 5",
            {
                $0.set("apns-push-type", "background")
                $0.set("apns-priority", "5")
            }
        ),
        (
            "voip body of 5120 bytes",
            {
                $0.set("apns-push-type", "voip")
                $0.set("apns-topic", "com.example.bank.voip")
                $0.body = padded(to: 5120)
            }
        ),
        (
            "live activity",
            {
                $0.set("apns-push-type", "liveactivity")
                $0.set("apns-topic", "com.example.bank.push-type.liveactivity")
            }
        ),
    ]

    @Test("a valid push is accepted", arguments: accepted.indices)
    func acceptance(index: Int) throws {
        let fixture = APNsFixture()
        var push = try fixture.push()
        Self.accepted[index].change(&push)
        var connection = APNsConnectionState()
        let verdict = fixture.validator().verdict(on: push, connection: &connection, at: APNsFixture.now)
        #expect(verdict.reason == nil, "\(Self.accepted[index].name)")
        #expect(verdict.reply.status == 200)
        #expect(verdict.reply.body.isEmpty)
    }

    @Test("each push type requires its own suffix", arguments: APNsPushType.allCases)
    func suffixes(type: APNsPushType) throws {
        let fixture = APNsFixture()
        var push = try fixture.push()
        push.set("apns-push-type", type.rawValue)
        push.set("apns-topic", APNsFixture.bundleID + type.topicSuffix)
        if type == .mdm { push.body = Array(#"{"mdm":"magic"}"#.utf8) }
        var connection = APNsConnectionState()
        let validator = fixture.validator()
        #expect(validator.verdict(on: push, connection: &connection, at: APNsFixture.now).reason == nil)
        // The connection caches the topic; another one must still be checked.
        push.set("apns-topic", APNsFixture.bundleID + (type == .voip ? "" : ".voip"))
        let again = validator.verdict(on: push, connection: &connection, at: APNsFixture.now)
        #expect(again.reason == APNsReason.badTopic.rawValue)
    }

    @Test("the sender's id is echoed, also in errors, and one is generated when there is none")
    func ids() throws {
        let fixture = APNsFixture()
        let id = "01234567-89ab-4cde-8f01-23456789abcd"
        var connection = APNsConnectionState()
        var push = try fixture.push()
        func answered(_ push: SimulatorRequest) -> String? {
            let verdict = fixture.validator().verdict(on: push, connection: &connection, at: APNsFixture.now)
            return verdict.reply.headers.first { $0.name == "apns-id" }?.value
        }
        #expect(answered(push) == "made-id")
        push.set("apns-id", id)
        #expect(answered(push) == id)
        push.body = []
        #expect(answered(push) == id)
    }

    @Test("410 has the time of unregistration in milliseconds, and other statuses have no time")
    func timestamp() throws {
        let fixture = APNsFixture()
        var push = try fixture.push()
        push.path = "/3/device/00aa"
        var connection = APNsConnectionState()
        let gone = fixture.validator().verdict(on: push, connection: &connection, at: APNsFixture.now)
        #expect(try JSONValue(parsing: gone.reply.body)["timestamp"] == .integer(1_799_999_999_123))
        push.path = "/3/device/abc"
        let bad = fixture.validator().verdict(on: push, connection: &connection, at: APNsFixture.now)
        #expect(try JSONValue(parsing: bad.reply.body)["timestamp"] == nil)
    }

    /// Returns a valid body of that size.
    static func padded(to count: Int) -> [UInt8] {
        let frame = #"{"aps":{},"x":""}"#
        return Array(#"{"aps":{},"x":""#.utf8) + Array(repeating: UInt8(ascii: "y"), count: count - frame.utf8.count)
            + Array("\"}".utf8)
    }
}
