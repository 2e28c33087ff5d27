import Foundation
import GatewayHTTP
import ServiceLifecycle

/// Keeps the last verdicts on canaries in a file of the data directory, for `switchboard check` of a stopped gateway.
struct CanaryFile: Service {
    /// Verdicts by the names of lanes.
    typealias Verdicts = [String: CanaryStatus.Verdict]

    /// The maximum size of a file that is read, in bytes.
    private static let maxBytes = 16 << 20

    let path: String
    /// Returns the lanes with a canary, and the last verdicts since the start.
    let current: @Sendable () -> [(lane: String, verdict: CanaryStatus.Verdict?)]

    /// Writes the file once a minute when it has changed, and at the end.
    func run() async throws {
        var written = Self.read(path)
        var isLast = false
        while !isLast {
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(60)) }
            isLast = Task.isShuttingDownGracefully || Task.isCancelled
            let verdicts = Self.merged(written, current())
            // What cannot be written, because the disk is full, is tried again.
            if verdicts != written, Self.write(verdicts, path) { written = verdicts }
        }
    }

    /// Returns the present verdicts; a canary that was not sent since the start keeps the one from before.
    static func merged(_ old: Verdicts, _ current: [(lane: String, verdict: CanaryStatus.Verdict?)]) -> Verdicts {
        var verdicts: Verdicts = [:]
        for (lane, verdict) in current { verdicts[lane] = verdict ?? old[lane] }
        return verdicts
    }

    /// Reads the file; empty when there is none, or it is damaged.
    static func read(_ path: String) -> Verdicts {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
        guard let size, size.intValue <= maxBytes, let data = FileManager.default.contents(atPath: path) else {
            return [:]
        }
        return (try? JSONDecoder().decode(Verdicts.self, from: data)) ?? [:]
    }

    /// Replaces the file; returns false when it cannot be written.
    static func write(_ verdicts: Verdicts, _ path: String) -> Bool {
        guard let data = try? JSONEncoder().encode(verdicts) else { return false }
        return (try? data.write(to: URL(filePath: path), options: .atomic)) != nil
    }
}
