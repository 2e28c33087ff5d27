package import GatewayModel

extension QuietHours {
    /// The column's text: `mode/from/to/timeZone`, in minutes, the last part empty when there is none.
    package var stored: String { "\(mode.rawValue)/\(from)/\(to)/\(timeZone ?? "")" }

    /// Reads a column; nil when its format is unknown.
    package init?(stored: String) {
        let parts = stored.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, let mode = Mode(rawValue: String(parts[0])), let from = Int(parts[1]),
            let to = Int(parts[2])
        else { return nil }
        self.init(from: from, to: to, timeZone: parts[3].isEmpty ? nil : String(parts[3]), mode: mode)
    }
}
