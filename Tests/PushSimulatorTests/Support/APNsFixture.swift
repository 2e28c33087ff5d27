import Cryptography
import PushSimulator

/// A team with its key, and a push of it that APNs accepts.
struct APNsFixture {
    static let now = SimulatorTime(seconds: 1_800_000_000)
    static let bundleID = "com.example.bank"
    static let deviceToken = String(repeating: "ab", count: 32)
    static let goneSince = SimulatorTime(milliseconds: 1_799_999_999_123)

    let key = P256.PrivateKey()
    var keyID = "KEY0000001"
    var teamID = "TEAM000001"
    var topics: Set<String> = [bundleID]
    var isOfOtherEnvironment = false

    var teamKey: APNsTeamKey {
        APNsTeamKey(
            keyID: keyID,
            teamID: teamID,
            publicKey: key.publicKey,
            topics: topics,
            isOfOtherEnvironment: isOfOtherEnvironment
        )
    }

    /// A validator with this team, an unregistered device, and a device of another app.
    func validator(and others: [APNsTeamKey] = []) -> APNsValidator {
        let devices: [String: SimulatedDevice] = [
            "00aa": SimulatedDevice(unregisteredSince: Self.goneSince),
            "00bb": SimulatedDevice(app: "com.example.other"),
        ]
        return APNsValidator(directory: APNsDirectory(keys: [teamKey] + others, devices: devices)) { "made-id" }
    }

    /// The value of `authorization`.
    func authorization(
        issuedAt: Int64 = now.seconds,
        header: [JSONValue.JSONMember]? = nil,
        claims: [JSONValue.JSONMember]? = nil
    ) throws -> String {
        let header =
            header ?? [.init(name: "alg", value: .string("ES256")), .init(name: "kid", value: .string(keyID))]
        let claims =
            claims ?? [.init(name: "iss", value: .string(teamID)), .init(name: "iat", value: .integer(issuedAt))]
        return "bearer " + (try CompactJWS.signed(header: .object(header), claims: .object(claims), with: key))
    }

    /// A push that is accepted.
    func push() throws -> SimulatorRequest {
        SimulatorRequest(
            method: "POST",
            path: "/3/device/" + Self.deviceToken,
            headers: [
                ("authorization", try authorization()), ("apns-topic", Self.bundleID), ("apns-push-type", "alert"),
            ],
            body: Array(#"{"aps":{"alert":"Hello"},"messageId":"m1"}"#.utf8)
        )
    }
}

extension SimulatorRequest {
    /// Sets or replaces a field; nil removes it.
    mutating func set(_ name: String, _ value: String?) {
        headers.removeAll { $0.name == name }
        if let value { headers.append((name, value)) }
    }
}

extension PushVerdict {
    /// Apple's reason in the response's body.
    var bodyReason: String? {
        (try? JSONValue(parsing: reply.body))?["reason"]?.stringValue
    }
}
