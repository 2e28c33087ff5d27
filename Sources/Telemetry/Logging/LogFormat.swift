/// The format of log lines.
package enum LogFormat: String, CaseIterable, Sendable {
    /// One JSON object per line, for log collectors.
    case json
    /// One readable line per event.
    case text
}
