/// A duration in the JSON mapping of protocol buffers: seconds, at most nine decimals, and `s`.
struct FCMDuration: Equatable {
    /// The whole seconds.
    var seconds: Int64
    /// Whether there were decimals.
    var hasFraction: Bool

    /// Parses a duration; nil when it has another form.
    ///
    /// - Parameter text: For example `3.5s`.
    init?(_ text: String) {
        guard text.hasSuffix("s") else { return nil }
        let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, let seconds = Int64(whole), !whole.hasPrefix("+") else { return nil }
        if parts.count > 1 {
            guard (1...9).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
        }
        self.seconds = seconds
        self.hasFraction = parts.count > 1 && parts[1].contains { $0 != "0" }
    }
}
