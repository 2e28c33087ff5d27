import Delivery
import Foundation
import GatewayClient
import GatewayHTTP
import GatewayModel
import GatewayStorage
import GuardedHTTP
import Identity
import PushProviders
import TLS

extension Gateway {
    /// Returns the findings about disk, limits, clock, trust, waiting pushes and canaries, about what expires soon, and about
    /// the names of providers; looks names up, and reads every unfinished push.
    ///
    /// - Throws: ``CommandFailure`` when the data cannot be read.
    package func check() async throws -> [CheckFinding] {
        let files = DataDirectory(settings: settings)
        let now = SystemClock().now
        var findings = [
            CheckFinding.disk(
                free: files.freeBytes,
                minFree: settings.storage.minFreeMegabytes << 20,
                data: Self.bytes(of: files.databasePath)
            ),
            .limits(ConnectionLimits(settings, descriptors: DescriptorLimit.raise()), settings),
        ]
        let clock = services.keeper.state
        findings.append(
            .clock(clock.system, newest: clock.newestStored, isGuarded: clock.guardedUntil != nil)
        )
        let environment = ProcessInfo.processInfo.environment
        let searched = TLSClientContext.systemRoots.map { environment[$0.variable] ?? $0.path }
        let trust = searched.filter { path in
            Self.bytes(of: path) > 0 && (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty != true
        }
        findings.append(.trust(trust, of: searched, further: settings.provider.trustRoots))
        do throws(StorageError) {
            let pushes = try await store.unfinishedPushes()
            findings.append(.waiting(pushes.count, oldest: pushes.oldest, now: now))
        } catch {
            throw CommandFailure(error, path: files.databasePath)
        }
        findings += directory.allApps.sorted { ($0.brand, $0.id) < ($1.brand, $1.id) }.compactMap {
            app -> CheckFinding? in
            guard let certificate = app.certificate else { return nil }
            let expiry = CertificateExpiry(of: certificate.expiresAt, now: now)
            let level = expiry == .far ? CheckFinding.Level.ok : expiry == .expired ? .bad : .warning
            let text = "its APNs certificate \(expiry.text(certificate.expiresAt))"
            return CheckFinding("app \(app.brand)/\(app.id)", level, text)
        }
        let verdicts = CanaryFile.read(files.canariesPath)
        findings += directory.allApps.sorted { ($0.brand, $0.id) < ($1.brand, $1.id) }.compactMap { app in
            guard let lane = app.settings.canary?.lane(of: app.id, brand: app.brand) else { return nil }
            return .canary("\(lane)", verdicts["\(lane)"], now: now)
        }
        for brand in directory.brands {
            for credential in directory.credentials(brand: brand.id) {
                // One that has ended is what a rotation leaves.
                guard let end = credential.expiresAt, end > now, CertificateExpiry(of: end, now: now) > .far else {
                    continue
                }
                let text = "\(credential.kind.rawValue) \(credential.id) expires on \(end)"
                findings.append(CheckFinding("brand \(brand.id)", .warning, text + ": rotate it if it is in use"))
            }
        }
        return findings + (await nameFindings())
    }

    /// Looks up the names of all lanes' endpoints.
    private func nameFindings() async -> [CheckFinding] {
        let hosts = directory.lanes.reduce(into: Set<String>()) { hosts, lane in
            hosts.formUnion(providerFactory.hostsToResolve(lane: lane.key, app: lane.app))
        }
        return await withTaskGroup(of: CheckFinding.self) { group in
            // The resolver bounds the lookups at one time.
            for host in hosts {
                group.addTask { [names] in
                    CheckFinding.name(host, addresses: await names.providers.addresses(of: host, for: "").count)
                }
            }
            var findings: [CheckFinding] = []
            for await finding in group { findings.append(finding) }
            return findings.sorted { $0.subject < $1.subject }
        }
    }

    /// The bytes of a file or directory; 0 when it does not exist.
    private static func bytes(of path: String) -> UInt64 {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        )
        return (attributes?[.size] as? NSNumber)?.uint64Value ?? 0
    }
}
