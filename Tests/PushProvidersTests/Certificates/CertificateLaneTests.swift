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
        try await CertificateStage.run { stage in
            let app = stage.app(try stage.pem)
            try await stage.lane(stage.tokenApp) { token, tokenSource in
                try await stage.lane(app) { production, productionSource in
                    try await stage.lane(app, .sandbox) { sandbox, sandboxSource in
                        async let first = CertificateStage.send(20, token, tokenSource)
                        async let second = CertificateStage.send(20, production, productionSource)
                        async let third = CertificateStage.send(20, sandbox, sandboxSource)
                        let answers = await first + second + third
                        #expect(answers.count == 60)
                        #expect(answers.allSatisfy { $0.status == 200 })
                    }
                }
            }
            let signed = stage.production.pushes.filter { $0.has("authorization") }
            let unsigned = stage.production.pushes.filter { !$0.has("authorization") }
            #expect(signed.count == 20)
            #expect(unsigned.count == 20)
            #expect(Set(signed.map(\.connection)).isDisjoint(with: unsigned.map(\.connection)))
            #expect(stage.sandbox.pushes.count == 20)
            #expect(stage.sandbox.pushes.allSatisfy { !$0.has("authorization") })
            let all = stage.production.pushes + stage.sandbox.pushes
            #expect(all.allSatisfy { $0.value("apns-topic") == stage.credentials.topic })
        }
    }

    /// The file formats of certificates.
    enum Form: CaseIterable {
        case pem, encryptedPEM, archive, archiveInLines, oldArchive, archiveWithoutPassword
    }

    @Test("every format of a certificate works", arguments: Form.allCases)
    func forms(form: Form) async throws {
        try await CertificateStage.run { stage in
            let pem = try stage.pem
            let archive = try Data(contentsOf: URL(fileURLWithPath: stage.credentials.certificateArchiveFile))
            let export = ["pkcs12", "-export", "-in", "IN", "-out", "OUT", "-passout"]
            let app =
                switch form {
                case .pem: stage.app(pem)
                case .encryptedPEM:
                    stage.app(
                        String(
                            decoding: try OpenSSLCommand.run(
                                ["pkcs8", "-topk8", "-passout", "pass:secret", "-in", "IN", "-out", "OUT"],
                                input: Array(pem.utf8)
                            ),
                            as: UTF8.self
                        ) + pem.prefix(upTo: try #require(pem.firstRange(of: "-----BEGIN PRIVATE")).lowerBound),
                        password: "secret"
                    )
                case .archive: stage.app(archive.base64EncodedString(), password: "simulator")
                case .archiveInLines:
                    stage.app(archive.base64EncodedString(options: .lineLength76Characters), password: "simulator")
                case .oldArchive:
                    stage.app(
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
                    stage.app(
                        Data(try OpenSSLCommand.run(export + ["pass:"], input: Array(pem.utf8))).base64EncodedString()
                    )
                }
            #expect(stage.fault(app) == nil)
            try await stage.lane(app) { provider, source in
                let answers = await CertificateStage.send(1, provider, source)
                #expect(answers.map(\.status) == [200])
            }
        }
    }

    @Test("a certificate's connection does not wait for a first answer before it opens more streams")
    func streams() async throws {
        try await CertificateStage.run { stage in
            let pem = try stage.pem
            try await Harness.run(answer: { _ in nil }) { harness in
                var app = stage.app(pem)
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
        try await CertificateStage.run { stage in
            var stranger = SimulatorConfiguration()
            stranger.control = nil
            let other = try await PushSimulator.start(stranger)
            let pem = try String(contentsOfFile: other.credentials.certificateFile, encoding: .utf8)
            await other.stop()
            try await stage.lane(stage.app(pem)) { provider, source in
                source.add(token: "ab12")
                provider.wake()
                let state = await source.states.first { if case .failed = $0 { true } else { false } }
                guard case .failed(_, let reason) = state else {
                    Issue.record("the lane did not fail")
                    return
                }
                #expect(reason.contains("localhost:\(stage.production.apns.port)"))
                #expect(reason.contains("alert"))
                #expect(stage.production.pushes.isEmpty)
                let verdict = await provider.check()
                #expect(!verdict.isUsable)
            }
        }
    }

    @Test("a certificate of one environment is never used for the other")
    func environments() async throws {
        try await CertificateStage.run { stage in
            let app = stage.app(try stage.pem { $0.isForProduction = false })
            #expect(stage.fault(app) == nil)
            try await stage.lane(app, .sandbox) { provider, source in
                #expect(await CertificateStage.send(1, provider, source).map(\.status) == [200])
            }
            let error = await #expect(throws: PushCredentialError.self) {
                try await stage.lane(app) { _, _ in }
            }
            #expect(error?.pointer == "/apns/certificate")
            #expect(error?.detail.contains("production") == true)
            #expect(PushProviderFactory.isUsed(TestMessages.lane(.apns, .sandbox), app: app))
            #expect(!PushProviderFactory.isUsed(TestMessages.lane(.apns), app: app))
            #expect(stage.production.statistics.connections[.apns] == nil)
        }
    }

    @Test("a response of APNs about a certificate stops the lane and loses no device")
    func refused() async throws {
        try await CertificateStage.run { stage in
            // Without Apple's extensions its environment is unknown here, so the server must reject it.
            let unmarked = try stage.pem {
                $0.isForProduction = false
                $0.isForSandbox = false
            }
            try await stage.lane(stage.app(unmarked)) { provider, source in
                let answer = await CertificateStage.send(1, provider, source)[0]
                #expect(answer.status == 403)
                #expect(answer.reason == "BadCertificateEnvironment")
                #expect(answer.outcome == .misconfigured)
            }
        }
    }

    @Test("a certificate that expires in use sends nothing any more, and the reason is reported")
    func expires() async throws {
        try await CertificateStage.run { stage in
            let pem = try stage.pem { $0.validForSeconds = 3600 }
            let end = try APNsCertificate(APNsCertificateSettings(certificate: pem)).facts.expiresAt
            let app = stage.app(pem)
            try await stage.lane(app) { provider, source in
                let answers = await CertificateStage.send(3, provider, source)
                #expect(answers.map(\.status) == [200, 200, 200])
                let before = await provider.check()
                #expect(before.isUsable)
                #expect(before.text.contains("expires within a day"))
                stage.clock.advance(milliseconds: end.milliseconds - stage.clock.now.milliseconds)
                source.add(token: "ab12")
                provider.wake()
                let state = await source.states.first { if case .failed = $0 { true } else { false } }
                guard case .failed(_, let reason) = state else {
                    Issue.record("the lane did not fail")
                    return
                }
                #expect(reason.contains("the certificate expired on "))
                #expect(source.waiting == 1)
                #expect(stage.production.pushes.count == 3)
                let after = await provider.check()
                #expect(!after.isUsable)
            }
            #expect(throws: PushCredentialError.self) {
                try stage.factory.make(
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
        try await CertificateStage.run { stage in
            try await stage.lane(stage.app(try stage.pem)) { provider, _ in
                let verdict = await provider.check()
                #expect(verdict.isUsable)
                #expect(verdict.text.contains("Apple Push Services: \(stage.credentials.topic)"))
                #expect(verdict.text.contains("valid until 20"))
            }
        }
    }
}

extension SimulatedPush {
    func value(_ name: String) -> String? { headers.first { $0.name == name }?.value }
    func has(_ name: String) -> Bool { value(name) != nil }
}
