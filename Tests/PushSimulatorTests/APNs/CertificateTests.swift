import PushSimulator
import Testing

@Suite("Certificates of senders")
struct CertificateTests {
    private static let voip = "com.example.bank.voip"

    /// Returns the response of APNs to a push on a connection with a client certificate.
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

    @Test("the topic is one of the certificate's, and may be omitted only if there is one")
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
        // Only a token may request a device's location.
        #expect(
            try reason {
                $0.set("apns-topic", "com.example.bank.location-query")
                $0.set("apns-push-type", "location")
            } == "TopicDisallowed"
        )
    }

    @Test("one without a topic or expired is bad, and each environment requires its extension")
    func refused() throws {
        #expect(try reason(topics: []) == "BadCertificate")
        #expect(try reason(secondsLeft: 0) == "BadCertificate")
        #expect(try reason(isForProduction: false) == "BadCertificateEnvironment")
        #expect(try reason(isForProduction: false, onSandbox: true) == nil)
        #expect(try reason(isForSandbox: false, onSandbox: true) == "BadCertificateEnvironment")
    }
}
