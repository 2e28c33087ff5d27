import GatewayHTTP
import GatewayModel
import Messaging

/// A finding of `switchboard check` about the host or the data.
package struct CheckFinding: Sendable, Equatable {
    /// The weight of a finding.
    package enum Level: Sendable {
        /// Nothing is to be done.
        case ok
        /// It works, but something should be changed.
        case warning
        /// It does not work.
        case bad
    }

    /// The item that was checked.
    package let subject: String
    /// The weight.
    package let level: Level
    /// The finding and what to do, without secrets.
    package let text: String

    init(_ subject: String, _ level: Level, _ text: String) {
        self.subject = subject
        self.level = level
        self.text = text
    }

    // MARK: From what was measured

    /// The free space beside the least that events need; `data` are the bytes of the database.
    static func disk(free: UInt64?, minFree: UInt64, data: UInt64) -> CheckFinding {
        guard let free else { return CheckFinding("disk", .warning, "the free space of the data is not known") }
        let text = "\(mebibytes(free)) are free where the data is, which has \(mebibytes(data))"
        if free < minFree {
            let least = "storage.minFreeMegabytes (\(mebibytes(minFree)))"
            return CheckFinding("disk", .bad, "\(text): less than \(least), so that events are rejected; free some")
        }
        // A migration, or a backup beside the data, needs as much again.
        let isShort = free < data || free < 4 * minFree
        return CheckFinding("disk", isShort ? .warning : .ok, isShort ? "\(text): free some" : text)
    }

    /// The limits that the limit of file descriptors allows, beside those of the settings.
    static func limits(_ fit: ConnectionLimits, _ settings: GatewaySettings) -> CheckFinding {
        let reduced = [
            (SettingKey.serverMaxConnections, fit.server.maxConnections, settings.server.limits.maxConnections),
            (.providerMaxConnections, fit.providers, settings.provider.maxConnections),
            (.windowMaxOpen, fit.windows.maxOpen, settings.window.limits.maxOpen),
        ].filter { $0.1 < $0.2 }.map { "\($0.0.rawValue) \($0.1) instead of \($0.2)" }
        let limit = "the limit of \(fit.descriptors) file descriptors"
        guard !reduced.isEmpty else { return CheckFinding("limits", .ok, "\(limit) is enough for the settings") }
        let list = reduced.joined(separator: ", ")
        return CheckFinding("limits", .warning, "\(limit) leaves \(list); raise it (ulimit -n, LimitNOFILE of systemd)")
    }

    /// The system clock beside the newest time in the data.
    static func clock(_ system: Timestamp, newest: Timestamp?, isGuarded: Bool) -> CheckFinding {
        guard let newest else {
            return CheckFinding("clock", .ok, "there is no time in the data yet")
        }
        let ahead = system.seconds - newest.seconds
        if isGuarded {
            let text = "the system clock is \(age(ahead)) ahead of the newest time in the data, \(newest)"
            let advice = "set it; or, if it is right, start the gateway and run switchboard clock accept"
            return CheckFinding("clock", .warning, "\(text): \(advice)")
        }
        guard ahead < -1 else { return CheckFinding("clock", .ok, "the system clock agrees with the data") }
        let text = "the system clock is \(age(-ahead)) behind the newest time in the data, \(newest)"
        return CheckFinding("clock", .warning, "\(text): set it; providers reject tokens of a wrong time")
    }

    /// The pushes that are not finished.
    static func waiting(_ count: Int, oldest: Timestamp?, now: Timestamp) -> CheckFinding {
        guard count > 0, let oldest else { return CheckFinding("pushes", .ok, "none waits") }
        let seconds = max(0, now.seconds - oldest.seconds)
        let text = "\(count) wait; the oldest has waited for \(age(seconds)), since \(oldest)"
        return CheckFinding("pushes", seconds > 3600 ? .warning : .ok, text)
    }

    /// The last verdict on a lane's canary; nil when there is none yet.
    static func canary(_ lane: String, _ verdict: CanaryStatus.Verdict?, now: Timestamp) -> CheckFinding {
        guard let verdict else { return CheckFinding("canary \(lane)", .ok, "no verdict yet") }
        let age = age(max(0, now.seconds - Timestamp(milliseconds: verdict.attemptedAt).seconds))
        let text = "\(verdict.outcome), \(age) ago"
        guard verdict.isAlarming else { return CheckFinding("canary \(lane)", .ok, text) }
        return CheckFinding("canary \(lane)", .warning, "\(text). \(verdict.sentence)")
    }

    /// The addresses of a host name.
    static func name(_ host: String, addresses: Int) -> CheckFinding {
        guard addresses > 0 else {
            let advice = "look at the name server of this host (/etc/resolv.conf), or set provider.proxy"
            return CheckFinding("dns \(host)", .bad, "the name has no address: \(advice)")
        }
        return CheckFinding("dns \(host)", .ok, "the name has \(addresses) addresses")
    }

    /// The places of the system's certificate authorities that hold any.
    static func trust(_ places: [String], of searched: [String], further: String?) -> CheckFinding {
        let rest = further.map { "; provider.trustRoots adds \($0)" } ?? ""
        guard !places.isEmpty else {
            let text = "this host has no certificate authorities in \(searched.joined(separator: " or "))"
            return CheckFinding("tls trust", .warning, "\(text): install ca-certificates\(rest)")
        }
        return CheckFinding("tls trust", .ok, "the system's certificate authorities are in \(places[0])\(rest)")
    }

    /// Returns a number of seconds in one unit.
    static func age(_ seconds: Int64) -> String {
        switch seconds {
        case ..<120: "\(seconds) seconds"
        case ..<7200: "\(seconds / 60) minutes"
        case ..<172_800: "\(seconds / 3600) hours"
        default: "\(seconds / 86_400) days"
        }
    }

    private static func mebibytes(_ bytes: UInt64) -> String { "\(bytes >> 20) MiB" }
}
