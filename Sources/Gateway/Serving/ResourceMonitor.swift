import Delivery
import Logging
import ServiceLifecycle
import Telemetry

/// Checks every second whether the host has the resources that accepted work needs, and notifies the delivery core.
struct ResourceMonitor: Service {
    /// The delivery core to notify.
    let delivery: DeliveryService
    /// The data.
    let files: DataDirectory
    /// The bytes that must be free there; 0 disables the check.
    let minFreeBytes: UInt64
    /// The metrics of faults.
    let metrics: HostMetrics<HostFault>
    /// The logger for faults.
    let logger: Logger

    /// Checks until the service group shuts down.
    func run() async throws {
        var known: Set<HostFault> = []
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            let found = check()
            if found != known {
                delivery.report(found)
                metrics.record(found)
                log(begun: found.subtracting(known), passed: known.subtracting(found))
                known = found
            }
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(1)) }
        }
    }

    /// Checks once.
    func check() -> Set<HostFault> {
        var found: Set<HostFault> = []
        if !DescriptorLimit.hasRoom() { found.insert(.fileDescriptorsExhausted) }
        if let free = files.freeBytes {
            metrics.record(freeBytes: free)
            if free < minFreeBytes { found.insert(.diskSpaceLow) }
        }
        return found
    }

    private func log(begun: Set<HostFault>, passed: Set<HostFault>) {
        for fault in begun {
            logger.error(
                "events are rejected until the host has the resources for accepted ones again",
                metadata: [LogKey.fault: "\(fault.rawValue)", LogKey.errorText: "\(Self.text(fault))"]
            )
        }
        for fault in passed {
            logger.notice("a resource fault of the host is over", metadata: [LogKey.fault: "\(fault.rawValue)"])
        }
    }

    private static func text(_ fault: HostFault) -> String {
        switch fault {
        case .fileDescriptorsExhausted:
            "fewer than 16 file descriptors are left: raise the limit (ulimit -n) or lower server.maxConnections or provider.maxConnections"
        case .diskSpaceLow:
            "less than storage.minFreeMegabytes is free where the data is"
        }
    }
}
