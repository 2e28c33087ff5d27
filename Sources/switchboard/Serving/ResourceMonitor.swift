import Delivery
import Logging
import SQLiteStorage
import ServiceLifecycle
import Telemetry

/// Looks every second whether the machine lacks something that accepted work needs, and tells the delivery core.
struct ResourceMonitor: Service {
    /// Whom to tell.
    let delivery: DeliveryService
    /// A path on the file system of the data.
    let dataPath: String
    /// How much must be free there; 0 looks at nothing.
    let minFreeBytes: UInt64
    /// Shows what is wrong.
    let metrics: MachineMetrics<MachineFault>
    /// For what operators should know.
    let logger: Logger

    /// Looks until the service group shuts down.
    func run() async throws {
        var known: Set<MachineFault> = []
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            let found = look()
            if found != known {
                delivery.report(found)
                metrics.record(found)
                log(begun: found.subtracting(known), passed: known.subtracting(found))
                known = found
            }
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(1)) }
        }
    }

    /// Looks once.
    ///
    /// - Returns: What is wrong.
    func look() -> Set<MachineFault> {
        var found: Set<MachineFault> = []
        if !DescriptorLimit.hasRoom() { found.insert(.fileDescriptorsExhausted) }
        if minFreeBytes > 0, let free = FreeSpace.bytes(at: dataPath), free < minFreeBytes {
            found.insert(.diskSpaceLow)
        }
        return found
    }

    private func log(begun: Set<MachineFault>, passed: Set<MachineFault>) {
        for fault in begun {
            logger.error(
                "no events are taken while the machine lacks what accepted ones need",
                metadata: [LogKey.fault: "\(fault.rawValue)", LogKey.errorText: "\(Self.text(fault))"]
            )
        }
        for fault in passed {
            logger.notice("a fault of the machine has passed", metadata: [LogKey.fault: "\(fault.rawValue)"])
        }
    }

    private static func text(_ fault: MachineFault) -> String {
        switch fault {
        case .fileDescriptorsExhausted:
            "fewer than 16 file descriptors are left: raise the limit (ulimit -n) or lower server.maxConnections or provider.maxConnections"
        case .diskSpaceLow:
            "less than storage.minFreeMegabytes is free where the data is"
        }
    }
}
