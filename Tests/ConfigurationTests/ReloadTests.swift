import Delivery
import Messaging
import Telemetry
import Testing

@testable import Gateway

@Suite("SIGHUP names the settings that need a restart")
struct ReloadTests {
    /// A change of each section, and the section's name in the log line.
    private static var changes: [(member: String, name: String, change: (inout GatewaySettings) -> Void)] {
        [
            ("server", "server", { $0.server.dataDir = "/elsewhere" }),
            ("storage", "storage", { $0.storage.sqlitePath = "/elsewhere" }),
            ("provider", "provider", { $0.provider.trustRoots = "/elsewhere" }),
            ("delivery", "intake, delivery", { $0.delivery.slotsPerLane += 1 }),
            ("housekeeping", "retention", { $0.housekeeping.auditRetentionDays += 1 }),
            ("outgoing", "outgoing", { $0.outgoing.allowsLoopback.toggle() }),
            ("operators", "operators", { $0.operators.webhookSecretFile = "/elsewhere" }),
            ("window", "window", { $0.window.limits.maxOpen += 1 }),
            ("log", "log.format", { $0.log.format = $0.log.format == .json ? .text : .json }),
            ("metrics", "metrics", { $0.metrics.listen = ListenAddress(host: "127.0.0.1", port: 9) }),
            ("telemetry", "telemetry", { $0.telemetry.traceShare = 1 }),
        ]
    }

    @Test("every section that differs is named, and no other")
    func named() {
        let running = GatewaySettings()
        let members = Mirror(reflecting: running).children.compactMap(\.label)
        #expect(Self.changes.map(\.member) == members)
        #expect(running.partsNeedingRestart(in: running).isEmpty)
        for (_, name, change) in Self.changes {
            var read = running
            change(&read)
            #expect(read != running && running.partsNeedingRestart(in: read) == [name])
        }
    }
}
