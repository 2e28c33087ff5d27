import PushSimulator
import Testing

@Suite("Certificates of senders")
struct CertificateTests {
    private static let voip = "com.example.bank.voip"

    /// What APNs says to a push on a connection that signed in.
    private func reason(
        topics: Set<String> = [APNsFixture.bundleID, voip],
        isForSandbox: Bool = true,
        isForProduction: Bool = true,
        secondsLeft: Int64 = 1,
        onSandbox: Bool = false,
        _ change: (inout SimulatorRequest) -> Void = { _ in }
    ) throws -> String? {
        let fixture = APNsFixture()
        var push = try fixture.push()
        push.set("authorization", nil)
        change(&push)
        var validator = fixture.validator()
        validator.directory.isSandbox = onSandbox
        var connection = APNsConnectionState()
        connection.certificate = APNsClientCertificate(
            topics: topics,
            isForSandbox: isForSandbox,
            isForProduction: isForProduction,
            notAfter: SimulatorTime(seconds: APNsFixture.now.seconds + secondsLeft)
        )
        return validator.verdict(on: push, connection: &connection, at: APNsFixture.now).reason
    }

    @Test("a push needs no token, and a wrong one is ignored")
    func noToken() throws {
        #expect(try reason() == nil)
        #expect(try reason { $0.set("authorization", "bearer nonsense") } == nil)
    }

    @Test("the topic is one of the certificate's, and may be left out only where there is one")
    func topics() throws {
        #expect(try reason { $0.set("apns-topic", "com.example.other") } == "TopicDisallowed")
        #expect(try reason { $0.set("apns-topic", nil) } == "MissingTopic")
        #expect(try reason(topics: [APNsFixture.bundleID]) { $0.set("apns-topic", nil) } == nil)
        #expect(
            try reason {
                $0.set("apns-topic", Self.voip)
                $0.set("apns-push-type", "voip")
            } == nil
        )
        // Only a token may ask for a device's place.
        #expect(
            try reason {
                $0.set("apns-topic", "com.example.bank.location-query")
                $0.set("apns-push-type", "location")
            } == "TopicDisallowed"
        )
    }

    @Test("one that names no topic or has expired is bad, and each environment wants its mark")
    func refused() throws {
        #expect(try reason(topics: []) == "BadCertificate")
        #expect(try reason(secondsLeft: 0) == "BadCertificate")
        #expect(try reason(isForProduction: false) == "BadCertificateEnvironment")
        #expect(try reason(isForProduction: false, onSandbox: true) == nil)
        #expect(try reason(isForSandbox: false, onSandbox: true) == "BadCertificateEnvironment")
    }
}
