import Foundation
import GatewayModel
import HTTP2Connections
import PushProviders
import PushSimulator
import TestSupport
import Testing

@Suite("Certificate lanes", .timeLimit(.minutes(10)))
struct CertificateLaneTests {
    @Test("lanes of a key and of a certificate, and both environments, send side by side and never share a connection")
    func sideBySide() async throws {
        try await CertificateFixture.run { fixture in
            let app = fixture.app(try fixture.pem)
            try await fixture.lane(fixture.tokenApp) { token, tokenSource in
                try await fixture.lane(app) { production, productionSource in
                    try await fixture.lane(app, .sandbox) { sandbox, sandboxSource in
                        async let first = CertificateFixture.send(20, token, tokenSource)
                        async let second = CertificateFixture.send(20, production, productionSource)
                        async let third = CertificateFixture.send(20, sandbox, sandboxSource)
                        let responses = await first + second + third
                        #expect(responses.count == 60)
                        #expect(responses.allSatisfy { $0.status == 200 })
                    }
                }
            }
            let signed = fixture.production.pushes.filter { $0.has("authorization") }
            let unsigned = fixture.production.pushes.filter { !$0.has("authorization") }
            #expect(signed.count == 20)
            #expect(unsigned.count == 20)
            #expect(Set(signed.map(\.connection)).isDisjoint(with: unsigned.map(\.connection)))
            #expect(fixture.sandbox.pushes.count == 20)
            #expect(fixture.sandbox.pushes.allSatisfy { !$0.has("authorization") })
            let all = fixture.production.pushes + fixture.sandbox.pushes
            #expect(all.allSatisfy { $0.value("apns-topic") == fixture.credentials.topic })
        }
    }

    /// The file formats of certificates.
    enum Form: CaseIterable {
        case pem, encryptedPEM, archive, archiveInLines, oldArchive, archiveWithoutPassword
    }

    @Test("every format of a certificate works", arguments: Form.allCases)
    func forms(form: Form) async throws {
        try await CertificateFixture.run { fixture in
            let pem = try fixture.pem
            let archive = try Data(contentsOf: URL(fileURLWithPath: fixture.credentials.certificateArchiveFile))
            let export = ["pkcs12", "-export", "-in", "IN", "-out", "OUT", "-passout"]
            let app =
                switch form {
                case .pem: fixture.app(pem)
                case .encryptedPEM:
                    fixture.app(
                        String(
                            decoding: try OpenSSLCommand.run(
                                ["pkcs8", "-topk8", "-passout", "pass:secret", "-in", "IN", "-out", "OUT"],
                                input: Array(pem.utf8)
                            ),
                            as: UTF8.self
                        ) + pem.prefix(upTo: try #require(pem.firstRange(of: "-----BEGIN PRIVATE")).lowerBound),
                        password: "secret"
                    )
                case .archive: fixture.app(archive.base64EncodedString(), password: "simulator")
                case .archiveInLines:
                    fixture.app(archive.base64EncodedString(options: .lineLength76Characters), password: "simulator")
                case .oldArchive:
                    fixture.app(
                        Data(
                            try OpenSSLCommand.run(
                                export + [
                                    "pass:old", "-legacy", "-certpbe", "PBE-SHA1-RC2-40", "-keypbe", "PBE-SHA1-3DES",
                                ],
                                input: Array(pem.utf8)
                            )
                        ).base64EncodedString(),
                        password: "old"
                    )
                case .archiveWithoutPassword:
                    fixture.app(
                        Data(try OpenSSLCommand.run(export + ["pass:"], input: Array(pem.utf8))).base64EncodedString()
                    )
                }
            #expect(fixture.fault(app) == nil)
            try await fixture.lane(app) { provider, source in
                let responses = await CertificateFixture.send(1, provider, source)
                #expect(responses.map(\.status) == [200])
            }
        }
    }

    @Test("a certificate's connection does not wait for a first answer before it opens more streams")
    func streams() async throws {
        try await CertificateFixture.run { fixture in
            let pem = try fixture.pem
            try await Harness.run(respond: { _ in nil }) { harness in
                var app = fixture.app(pem)
                app.apns?.endpoints = .init(production: "https://localhost:\(harness.port)")
                try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                    source.add(50)
                    provider.wake()
                    let pushes = await harness.application.pushes.take(50)
                    #expect(pushes.allSatisfy { $0["authorization"] == nil })
                }
            }
        }
    }

    @Test("a certificate that the server does not trust makes the lane fail with the reason, and nothing is sent")
    func untrusted() async throws {
        try await CertificateFixture.run { fixture in
            var stranger = SimulatorConfiguration()
            stranger.control = nil
            let other = try await PushSimulator.start(stranger)
            let pem = try String(contentsOfFile: other.credentials.certificateFile, encoding: .utf8)
            await other.stop()
            try await fixture.lane(fixture.app(pem)) { provider, source in
                source.add(token: "ab12")
                provider.wake()
                let state = await source.states.first { if case .failed = $0 { true } else { false } }
                guard case .failed(_, let reason) = state else {
                    Issue.record("the lane did not fail")
                    return
                }
                #expect(reason.contains("localhost:\(fixture.production.apns.port)"))
                #expect(reason.contains("alert"))
                #expect(fixture.production.pushes.isEmpty)
                let verdict = await provider.check()
                #expect(!verdict.isUsable)
            }
        }
    }

    @Test("a certificate of one environment is never used for the other")
    func environments() async throws {
        try await CertificateFixture.run { fixture in
            let app = fixture.app(try fixture.pem { $0.isForProduction = false })
            #expect(fixture.fault(app) == nil)
            try await fixture.lane(app, .sandbox) { provider, source in
                #expect(await CertificateFixture.send(1, provider, source).map(\.status) == [200])
            }
            let error = await #expect(throws: PushCredentialError.self) {
                try await fixture.lane(app) { _, _ in }
            }
            #expect(error?.pointer == "/apns/certificate")
            #expect(error?.detail.contains("production") == true)
            #expect(PushProviderFactory.isUsed(TestMessages.lane(.apns, .sandbox), app: app))
            #expect(!PushProviderFactory.isUsed(TestMessages.lane(.apns), app: app))
            #expect(fixture.production.statistics.connections[.apns] == nil)
        }
    }

    @Test("a response of APNs about a certificate stops the lane and loses no device")
    func refused() async throws {
        try await CertificateFixture.run { fixture in
            // Without Apple's extensions its environment is unknown here, so the server must reject it.
            let unmarked = try fixture.pem {
                $0.isForProduction = false
                $0.isForSandbox = false
            }
            try await fixture.lane(fixture.app(unmarked)) { provider, source in
                let response = await CertificateFixture.send(1, provider, source)[0]
                #expect(response.status == 403)
                #expect(response.reason == "BadCertificateEnvironment")
                #expect(response.outcome == .misconfigured)
            }
        }
    }

    @Test("a certificate that expires in use sends nothing any more, and the reason is reported")
    func expires() async throws {
        try await CertificateFixture.run { fixture in
            let pem = try fixture.pem { $0.validForSeconds = 3600 }
            let end = try APNsCertificate(APNsCertificateSettings(certificate: pem)).facts.expiresAt
            let app = fixture.app(pem)
            try await fixture.lane(app) { provider, source in
                let responses = await CertificateFixture.send(3, provider, source)
                #expect(responses.map(\.status) == [200, 200, 200])
                let before = await provider.check()
                #expect(before.isUsable)
                #expect(before.text.contains("expires within a day"))
                fixture.clock.advance(milliseconds: end.milliseconds - fixture.clock.now.milliseconds)
                source.add(token: "ab12")
                provider.wake()
                let state = await source.states.first { if case .failed = $0 { true } else { false } }
                guard case .failed(_, let reason) = state else {
                    Issue.record("the lane did not fail")
                    return
                }
                #expect(reason.contains("the certificate expired on "))
                #expect(source.waiting == 1)
                #expect(fixture.production.pushes.count == 3)
                let after = await provider.check()
                #expect(!after.isUsable)
            }
            #expect(throws: PushCredentialError.self) {
                try fixture.factory.make(
                    lane: TestMessages.lane(.apns),
                    app: app,
                    brand: TestMessages.brand,
                    source: TestSource()
                )
            }
        }
    }

    @Test("a check names the certificate and its expiry")
    func check() async throws {
        try await CertificateFixture.run { fixture in
            try await fixture.lane(fixture.app(try fixture.pem)) { provider, _ in
                let verdict = await provider.check()
                #expect(verdict.isUsable)
                #expect(verdict.text.contains("Apple Push Services: \(fixture.credentials.topic)"))
                #expect(verdict.text.contains("valid until 20"))
            }
        }
    }
}

extension SimulatedPush {
    func value(_ name: String) -> String? { headers.first { $0.name == name }?.value }
    func has(_ name: String) -> Bool { value(name) != nil }
}
