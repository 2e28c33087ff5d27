internal import GatewayStorage

extension StatsWindow {
    /// Parses `15m`, `1h` or `30d`; nil for anything else, and for less than one minute or more than thirty days.
    init?(_ text: String) {
        guard text.utf8.count <= 6, let unit = text.last, let count = Int64(text.dropLast()), count > 0,
            text.utf8.first.map({ $0 >= UInt8(ascii: "1") && $0 <= UInt8(ascii: "9") }) == true
        else { return nil }
        let seconds: Int64
        switch unit {
        case "m": seconds = count * 60
        case "h": seconds = count * 3600
        case "d": seconds = count * 86_400
        default: return nil
        }
        guard seconds <= Self.longest else { return nil }
        self.init(seconds: seconds)
    }
}
