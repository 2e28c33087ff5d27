import Cryptography
import GatewayModel
import PushPayloads
import PushSimulator
import Testing

/// A comparison of our table of push types with the simulator's, which was made independently from Apple's pages.
@Suite("Push types")
struct PushTypeTests {
    private static let bundleID = "com.example.app"
    private let now = SimulatorTime(seconds: 1_800_000_000)

    /// Returns the reason of the simulator's APNs for a push of a type; nil for accepted.
    private func rejection(
        _ row: APNsPushTypeRow,
        topic: String? = nil,
        priority: APNsPriority? = nil,
        bytes: Int? = nil
    ) throws -> String? {
        // No keys: any well-formed token is accepted, so only the push itself is validated.
        let token = try CompactJWS.signed(
            header: .object([
                .init(name: "alg", value: .string("ES256")), .init(name: "kid", value: .string("KEY1234567")),
            ]),
            claims: .object([
                .init(name: "iss", value: .string("TEAM123456")), .init(name: "iat", value: .integer(now.seconds)),
            ]),
            with: P256.PrivateKey()
        )
        var body =
            switch row.content {
            case .aps: #"{"aps":{"alert":"x"},"pad":""#
            case .contentAvailable: #"{"aps":{"content-available":1},"pad":""#
            case .mdm: #"{"mdm":"x","pad":""#
            }
        body += String(repeating: "x", count: max(0, (bytes ?? 0) - body.utf8.count - 2)) + "\"}"
        let request = SimulatorRequest(
            method: "POST",
            path: "/3/device/ab12",
            headers: [
                ("authorization", "bearer " + token), ("apns-topic", topic ?? row.topic(Self.bundleID)),
                ("apns-push-type", row.name),
                ("apns-priority", (priority ?? row.defaultPriority).rawValue),
            ],
            body: Array(body.utf8)
        )
        var connection = APNsConnectionState()
        return APNsValidator(directory: APNsDirectory()).verdict(on: request, connection: &connection, at: now).reason
    }

    @Test("every type of APNs is in the table, once")
    func complete() {
        #expect(APNsPushTypeRow.table.count == APNsPushType.allCases.count)
        #expect(Set(APNsPushTypeRow.table.map(\.name)) == Set(APNsPushType.allCases.map(\.rawValue)))
    }

    @Test("the topic is the one that APNs requires, and no other type's", arguments: APNsPushTypeRow.table)
    func topic(row: APNsPushTypeRow) throws {
        let type = try #require(APNsPushType(rawValue: row.name))
        #expect(row.topicSuffix ?? "" == type.topicSuffix)
        #expect((row.topicSuffix == nil) == (type == .mdm))
        #expect(try rejection(row) == nil)
        for other in APNsPushTypeRow.table where other.topicSuffix ?? "" != row.topicSuffix ?? "" {
            #expect(try rejection(row, topic: other.topic(Self.bundleID)) == "BadTopic")
        }
    }

    @Test(
        "APNs accepts exactly the priorities of the table, and the default is one of them",
        arguments: APNsPushTypeRow.table
    )
    func priorities(row: APNsPushTypeRow) throws {
        #expect(row.priorities.contains(row.defaultPriority))
        for priority in APNsPriority.allCases {
            let isAllowed = row.priorities.contains(priority)
            #expect(try rejection(row, priority: priority) == (isAllowed ? nil : "BadPriority"))
            #expect(row.priority(priority) == (isAllowed ? priority : row.defaultPriority))
        }
    }

    @Test("a body at the limit is accepted, one byte more is not", arguments: APNsPushTypeRow.table)
    func size(row: APNsPushTypeRow) throws {
        #expect(try rejection(row, bytes: row.maxBodyBytes) == nil)
        #expect(try rejection(row, bytes: row.maxBodyBytes + 1) == "PayloadTooLarge")
    }

    @Test("the table matches the text of Apple's page")
    func words() {
        #expect(APNsPushTypeRow.table.filter { $0.maxBodyBytes != 4096 } == [.voip])
        #expect(APNsPushTypeRow.voip.maxBodyBytes == 5120)
        #expect(APNsPushTypeRow.table.filter(\.isTokenAuthOnly) == [.location])
        #expect(APNsPushTypeRow.background.priorities == [.powerAware])
        #expect(APNsPushTypeRow.table.filter { $0.content == .mdm } == [.mdm])
        #expect(APNsPushTypeRow.table.filter { $0.content == .contentAvailable } == [.background])
    }
}
